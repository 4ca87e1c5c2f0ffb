/* Values of a wrong kind, negative and absurd ones in the events that count: refused with the field
 * and its place, by the fast way and by yajl alike; and what exporters do write is read. */
#include <stdlib.h>

#include <habitat/trace.h>

#include "trace/read.h"

#include "check.h"

#define OPERATION                                                                                  \
    "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":1,"        \
    "\"dur\":9,\"args\":{\"External id\":1}},\n"
#define CALL(name, arguments)                                                                      \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":" name ",\"pid\":1,\"tid\":1,\"ts\":2,"       \
    "\"dur\":1,\"args\":{" arguments "}}"
#define LAUNCH CALL("\"cudaLaunchKernel\"", "\"correlation\":7") ",\n"
#define KERNEL_OF(ph, name, more, arguments)                                                       \
    "{\"ph\":" ph ",\"cat\":\"kernel\",\"name\":" name ",\"ts\":5" more ",\"args\":" arguments "}"
#define KERNEL(arguments)                                                                          \
    KERNEL_OF("\"X\"", "\"gemm\"", ",\"dur\":4,\"pid\":0,\"tid\":7",                               \
              "{\"device\":0,\"stream\":7," arguments "}")
#define FINE KERNEL("\"correlation\":7,\"grid\":[1,2,3],\"block\":[32,1,1]")
#define COPY(arguments)                                                                            \
    "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD\",\"ts\":5,\"dur\":4,"            \
    "\"args\":{\"device\":0,\"stream\":7," arguments "}}"
#define INPUTS(fields)                                                                             \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::add\",\"pid\":1,\"tid\":1,\"ts\":11,"       \
    "\"dur\":2,\"args\":{" fields "}}"

/* The event stands behind others, where the fast way has begun: event 3, or 2 in its place. */
#define THIRD(event) OPERATION LAUNCH event ",\n" FINE "]"

typedef struct wrong {
    const char *json;
    habitat_status code;
    const char *problem;
} wrong;

static const wrong wrongs[] = {
    {THIRD(KERNEL("\"correlation\":\"7x\"")), HABITAT_E_FORMAT, "\"correlation\" is not a number"},
    {THIRD(KERNEL("\"correlation\":true")), HABITAT_E_FORMAT, "\"correlation\" is not a number"},
    {THIRD(KERNEL("\"correlation\":[7]")), HABITAT_E_FORMAT, "\"correlation\" is not a number"},
    {THIRD(KERNEL("\"correlation\":{}")), HABITAT_E_FORMAT, "\"correlation\" is not a number"},
    {THIRD(KERNEL("\"correlation\":-5")), HABITAT_E_RANGE, "\"correlation\" is negative"},
    {THIRD(KERNEL("\"correlation\":7.5")), HABITAT_E_FORMAT, "\"correlation\" is no whole number"},
    {THIRD(KERNEL("\"External id\":\"x\"")), HABITAT_E_FORMAT, "\"External id\" is not a number"},
    {THIRD(KERNEL("\"graph id\":true")), HABITAT_E_FORMAT, "\"graph id\" is not a number"},
    {THIRD(KERNEL("\"device\":true")), HABITAT_E_FORMAT, "\"device\" is not a number"},
    {THIRD(KERNEL("\"stream\":[]")), HABITAT_E_FORMAT, "\"stream\" is not a number"},
    {THIRD(KERNEL("\"registers per thread\":false")), HABITAT_E_FORMAT,
     "\"registers per thread\" is not a number"},
    {THIRD(KERNEL("\"shared memory\":{}")), HABITAT_E_FORMAT, "\"shared memory\" is not a number"},
    {THIRD(KERNEL("\"dram bytes\":[]")), HABITAT_E_FORMAT, "\"dram bytes\" is not a number"},
    {THIRD(KERNEL("\"flop\":true")), HABITAT_E_FORMAT, "\"flop\" is not a number"},
    {THIRD(KERNEL("\"grid\":5")), HABITAT_E_FORMAT, "\"grid\" is no list of three numbers"},
    {THIRD(KERNEL("\"grid\":\"x\"")), HABITAT_E_FORMAT, "\"grid\" is no list of three numbers"},
    {THIRD(KERNEL("\"grid\":true")), HABITAT_E_FORMAT, "\"grid\" is no list of three numbers"},
    {THIRD(KERNEL("\"grid\":{}")), HABITAT_E_FORMAT, "\"grid\" is no list of three numbers"},
    {THIRD(KERNEL("\"grid\":[]")), HABITAT_E_FORMAT, "\"grid\" is no list of three numbers"},
    {THIRD(KERNEL("\"grid\":[1]")), HABITAT_E_FORMAT, "\"grid\" is no list of three numbers"},
    {THIRD(KERNEL("\"grid\":[1,1,1,1]")), HABITAT_E_FORMAT, "\"grid\" is no list of three numbers"},
    {THIRD(KERNEL("\"grid\":[null,1,1,1]")), HABITAT_E_FORMAT,
     "\"grid\" is no list of three numbers"},
    {THIRD(KERNEL("\"grid\":[1,[1],1]")), HABITAT_E_FORMAT, "\"grid\" is no list of three numbers"},
    {THIRD(KERNEL("\"grid\":[1,\"x\",1]")), HABITAT_E_FORMAT, "\"grid\" is not a number"},
    {THIRD(KERNEL("\"grid\":[0,1,1]")), HABITAT_E_RANGE, "\"grid\" has a side of 0"},
    {THIRD(KERNEL("\"block\":[0,1,1]")), HABITAT_E_RANGE, "\"block\" has a side of 0"},
    {THIRD(KERNEL("\"block\":[2048,1,1]")), HABITAT_E_RANGE, "\"block\" is absurdly large"},
    {THIRD(KERNEL("\"block\":[32,32,2]")), HABITAT_E_RANGE, "\"block\" is absurdly large"},
    {THIRD(KERNEL_OF("5", "\"gemm\"", ",\"dur\":4", "{}")), HABITAT_E_FORMAT, "\"ph\" is no text"},
    {THIRD(KERNEL_OF("null", "\"gemm\"", ",\"dur\":4", "{}")), HABITAT_E_FORMAT,
     "\"ph\" is missing"},
    {THIRD(KERNEL_OF("\"X\"", "5", ",\"dur\":4", "{}")), HABITAT_E_FORMAT, "\"name\" is no text"},
    {THIRD(KERNEL_OF("\"X\"", "[\"k\"]", ",\"dur\":4", "{}")), HABITAT_E_FORMAT,
     "\"name\" is no text"},
    {THIRD(KERNEL_OF("\"X\"", "\"gemm\"", ",\"dur\":4", "[]")), HABITAT_E_FORMAT,
     "\"args\" is no object"},
    {THIRD(KERNEL_OF("\"X\"", "\"gemm\"", ",\"dur\":4", "\"x\"")), HABITAT_E_FORMAT,
     "\"args\" is no object"},
    {THIRD(KERNEL_OF("\"X\"", "\"gemm\"", ",\"dur\":true", "{}")), HABITAT_E_FORMAT,
     "\"dur\" is not a number"},
    {THIRD(KERNEL_OF("\"X\"", "\"gemm\"", ",\"dur\":null", "{}")), HABITAT_E_FORMAT,
     "\"dur\" is not a number"},
    {THIRD(KERNEL_OF("\"X\"", "\"gemm\"", ",\"dur\":[1]", "{}")), HABITAT_E_FORMAT,
     "\"dur\" is not a number"},
    {THIRD(KERNEL_OF("\"X\"", "\"gemm\"", "", "{}")), HABITAT_E_FORMAT, "\"dur\" is missing"},
    {THIRD("{\"ph\":\"X\",\"cat\":5,\"name\":\"gemm\",\"ts\":5,\"dur\":4}"), HABITAT_E_FORMAT,
     "\"cat\" is no text"},
    {THIRD(KERNEL_OF("\"X\"", "\"ncclKernel\"", ",\"dur\":4",
                     "{\"device\":0,\"stream\":7,\"In msg nelems\":\"many\"}")),
     HABITAT_E_FORMAT, "\"In msg nelems\" is not a number"},
    {THIRD(KERNEL_OF("\"X\"", "\"ncclKernel\"", ",\"dur\":4",
                     "{\"device\":0,\"stream\":7,\"Group size\":-3}")),
     HABITAT_E_RANGE, "\"Group size\" is negative"},
    {THIRD(COPY("\"bytes\":true")), HABITAT_E_FORMAT, "\"bytes\" is not a number"},
    {THIRD(COPY("\"correlation\":\"7x\"")), HABITAT_E_FORMAT, "\"correlation\" is not a number"},
    {THIRD(CALL("\"cudaLaunchKernel\"", "\"correlation\":\"7x\"")), HABITAT_E_FORMAT,
     "\"correlation\" is not a number"},
    {THIRD(CALL("5", "\"correlation\":8")), HABITAT_E_FORMAT, "\"name\" is no text"},
    {THIRD(
         "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"f\",\"pid\":true,\"ts\":2,\"dur\":1}"),
     HABITAT_E_FORMAT, "\"pid\" is neither number nor text"},
    {THIRD("{\"ph\":\"E\",\"tid\":[],\"ts\":20}"), HABITAT_E_FORMAT,
     "\"tid\" is neither number nor text"},
    {THIRD(INPUTS("\"Input Dims\":\"x\"")), HABITAT_E_FORMAT, "\"Input Dims\" is no list"},
    {THIRD(INPUTS("\"Input Dims\":5")), HABITAT_E_FORMAT, "\"Input Dims\" is no list"},
    {THIRD(INPUTS("\"Input Dims\":[[-3,5]]")), HABITAT_E_RANGE,
     "\"Input Dims\" holds a negative number"},
    {THIRD(INPUTS("\"Input Dims\":[[[2],[-1]]]")), HABITAT_E_RANGE,
     "\"Input Dims\" holds a negative number"},
    {THIRD(INPUTS("\"Input Dims\":[[1e30]]")), HABITAT_E_RANGE,
     "\"Input Dims\" holds an absurdly large number"},
    {THIRD(INPUTS("\"Input Dims\":[[2.5]]")), HABITAT_E_FORMAT,
     "\"Input Dims\" holds what is no whole number"},
    {THIRD(INPUTS("\"Input Dims\":[[2,true]]")), HABITAT_E_FORMAT,
     "\"Input Dims\" holds what is no whole number"},
    {THIRD(INPUTS("\"Input Dims\":[[2,{}]]")), HABITAT_E_FORMAT,
     "\"Input Dims\" holds what is no whole number"},
    {THIRD(INPUTS("\"Input Dims\":[[2],5]")), HABITAT_E_FORMAT,
     "\"Input Dims\" holds what is no list"},
    {THIRD(INPUTS("\"Input Strides\":[[-1]]")), HABITAT_E_RANGE,
     "\"Input Strides\" holds a negative number"},
    {THIRD(INPUTS("\"Input type\":[3]")), HABITAT_E_FORMAT, "\"Input type\" holds what is no text"},
    {THIRD(INPUTS("\"Input type\":true")), HABITAT_E_FORMAT, "\"Input type\" is no list"},
    {THIRD(INPUTS("\"Concrete Inputs\":\"x\"")), HABITAT_E_FORMAT,
     "\"Concrete Inputs\" is no list"},
    {THIRD(INPUTS("\"Sequence number\":\"x\"")), HABITAT_E_FORMAT,
     "\"Sequence number\" is not a number"},
    {THIRD(INPUTS("\"Sequence number\":-2")), HABITAT_E_RANGE, "\"Sequence number\" is negative"},
    {THIRD(INPUTS("\"Fwd thread id\":true")), HABITAT_E_FORMAT,
     "\"Fwd thread id\" is not a number"},
    {THIRD(INPUTS("\"External id\":[]")), HABITAT_E_FORMAT, "\"External id\" is not a number"},
};

static void check_wrong(const wrong *w) {
    char first[512] = "", want[256];
    snprintf(want, sizeof want,
             "event 2 of \"traceEvents\": %s; record it again, or remove that event", w->problem);
    for (int slow_only = 0; slow_only < 2; slow_only++) {
        habitat_trace *t = NULL;
        habitat_error err = {0};
        habitat_status status =
            trace_read_memory_as(w->json, strlen(w->json), "wrong.json", slow_only, &t, &err);
        CHECK_TEXT(habitat_status_name(status), habitat_status_name(w->code));
        CHECK(strstr(err.message, want) != NULL);
        CHECK_INT(err.line, 3);
        CHECK(t == NULL);
        if (slow_only)
            CHECK_TEXT(err.message, first);
        else
            snprintf(first, sizeof first, "%s", err.message);
        habitat_trace_free(t);
    }
    if (check_case_failed)
        printf("# %s\n# in: %s\n", first, w->json);
    check_case(w->problem);
}

/* What exporters write, and what does not concern the event that has it. */
static const char *const fine[] = {
    /* profilers' "none" */
    INPUTS("\"Sequence number\":-1,\"Fwd thread id\":0,\"External id\":0"),
    CALL("\"cudaEventQuery\"", "\"correlation\":0"),
    KERNEL("\"correlation\":-1,\"External id\":-1,\"grid\":[1,1,1],\"block\":[1024,1,1]"),
    "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Wait "
    "Event\",\"ts\":5,\"dur\":1,\"args\":"
    "{\"correlation\":7,\"stream\":-1,\"wait_on_stream\":-1,"
    "\"wait_on_cuda_event_record_corr_id\":-1}}",
    /* null: not known */
    KERNEL("\"correlation\":null,\"grid\":null"),
    INPUTS("\"Input Dims\":[[2],null],\"Input type\":[\"float\",null],\"Input Strides\":null"),
    /* numbers in quotes, and threads with a name */
    KERNEL("\"correlation\":\"7\",\"grid\":[\"1\",\"2\",\"3\"]"),
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"f\",\"pid\":\"main\",\"tid\":-7,\"ts\":1,\"dur\":"
    "1}",
    /* arguments of the operation's own: Inductor notes how its Triton kernel is launched */
    INPUTS("\"stream\":[],\"grid\":\"grid(1024, 1, 1)\",\"device\":\"cuda\""),
    COPY("\"bytes\":4,\"grid\":[0,0,0],\"block\":[0,0,0]"),
    /* events that do not count */
    "{\"ph\":5,\"cat\":\"other\",\"name\":5,\"ts\":true,\"args\":[]}",
    "{\"ph\":\"M\",\"name\":\"process_name\",\"args\":[]}",
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"a.py: f\",\"ts\":1,\"dur\":1}",
};

static void check_fine(const char *event) {
    char json[2048];
    snprintf(json, sizeof json, OPERATION LAUNCH "%s,\n" FINE "]", event);
    for (int slow_only = 0; slow_only < 2; slow_only++) {
        habitat_trace *t = NULL;
        habitat_error err = {0};
        size_t count = 0;
        CHECK_INT(trace_read_memory_as(json, strlen(json), "fine.json", slow_only, &t, &err),
                  HABITAT_OK);
        if (t)
            CHECK(habitat_trace_kernels(t, &count) && count >= 1);
        else
            printf("# %s\n# in: %s\n", err.message, event);
        habitat_trace_free(t);
    }
}

/* Threads whose numbers are too long, or no whole ones, are told apart. */
static void check_threads(void) {
    static const char json[] =
        "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":98765432109876543210,"
        "\"ts\":1,\"dur\":9},{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":1,\"tid\":1.5,"
        "\"ts\":2,\"dur\":3},{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"c\",\"pid\":1,\"tid\":7.0,"
        "\"ts\":2,\"dur\":3},{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"d\",\"pid\":1,\"tid\":7,"
        "\"ts\":3,\"dur\":1}," FINE "]";
    habitat_trace *t = NULL;
    habitat_error err = {0};
    CHECK_INT(trace_read_memory_as(json, strlen(json), "threads", false, &t, &err), HABITAT_OK);
    size_t count;
    if (t) {
        const habitat_operation *o = habitat_trace_operations(t, &count);
        uint32_t of[4] = {0}, deep = 0;
        for (size_t i = 0; i < count && count == 4; i++) {
            of[*o[i].form->name - 'a'] = o[i].form->thread;
            deep += o[i].parent != HABITAT_NONE; /* d in c alone */
        }
        CHECK(of[0] != of[1] && of[1] != of[2] && of[0] != of[2] && of[2] == of[3]);
        CHECK_INT(deep, 1);
    }
    habitat_trace_free(t);
    check_case("threads of any number are told apart");
}

int main(void) {
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++)
        check_wrong(&wrongs[i]);
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        check_fine(fine[i]);
    check_case("what exporters write, and what does not concern its event, is read");
    check_threads();
    return check_done();
}
