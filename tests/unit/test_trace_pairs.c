/* Events in two parts ("ph" B and E): what they are joined to, and what is refused. */
#include <stdio.h>
#include <string.h>

#include <habitat/trace.h>

#include "trace/read.h"

#include "check.h"

#define HEAD "{\"deviceProperties\":[{\"id\":0,\"name\":\"made\"}],\"traceEvents\":[\n"
#define TAIL "{\"ph\":\"M\",\"name\":\"x\",\"pid\":1}]}"
#define BEGIN(cat, name, thread, ts, args)                                                         \
    "{\"ph\":\"B\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":0,\"tid\":" thread            \
    ",\"ts\":" ts ",\"args\":{" args "}},\n"
#define END(thread, ts) "{\"ph\":\"E\",\"pid\":0,\"tid\":" thread ",\"ts\":" ts "},\n"
#define END_OF(name, thread, ts)                                                                   \
    "{\"ph\":\"E\",\"name\":\"" name "\",\"pid\":0,\"tid\":" thread ",\"ts\":" ts "},\n"
#define ON_GPU(number)           "\"device\":0,\"stream\":7,\"correlation\":" number
#define KERNEL(number, from, to) BEGIN("kernel", "k" number, "7", from, ON_GPU(number)) END("7", to)

static habitat_status read_as(const char *json, bool slow_only, habitat_trace **out,
                              habitat_error *err) {
    *out = NULL;
    return trace_read_memory_as(json, strlen(json), "pairs", slow_only, out, err);
}

static const habitat_operation *operation_of(const habitat_trace *t, const char *name) {
    size_t count = 0;
    const habitat_operation *all = habitat_trace_operations(t, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(all[i].form->name, name))
            return &all[i];
    return NULL;
}

static void check_whole(bool slow_only) {
    static const char json[] = HEAD BEGIN("cpu_op", "aten::mm", "1", "10", "")
        BEGIN("cuda_runtime", "cudaLaunchKernel", "1", "11", "\"correlation\":1") END("1", "13")
            END("1", "20") KERNEL("1", "30", "35")
                BEGIN("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", "7", "40",
                      ON_GPU("2") ",\"bytes\":8") END("7", "42") TAIL;
    habitat_trace *t = NULL;
    habitat_error err = {0};
    CHECK_INT(read_as(json, slow_only, &t, &err), HABITAT_OK);
    size_t kernels = 0, calls = 0;
    const habitat_kernel *k = t ? habitat_trace_kernels(t, &kernels) : NULL;
    const habitat_call *c = t ? habitat_trace_calls(t, &calls) : NULL;
    CHECK_INT(kernels, 2);
    CHECK_INT(calls, 1);
    if (kernels == 2 && calls == 1) {
        CHECK_INT(k[0].duration_ns, 5000);
        CHECK_INT(k[1].duration_ns, 2000);
        CHECK_INT(c[0].duration_ns, 2000);
        CHECK_INT(k[0].call, 0);
        CHECK(operation_of(t, "aten::mm") && operation_of(t, "aten::mm")->kernel_count == 1);
        CHECK_INT(habitat_trace_get_info(t)->trace_skipped_events, 1); /* M */
    }
    habitat_trace_free(t);
    check_case("kernels, copies and calls in two parts last from B to E");
}

/* Each in aten::mm, 10 to 20 us. */
static void check_skipped(bool slow_only) {
    static const char *const inside[] = {
        BEGIN("python_function", "a.py: f", "1", "11", "") END("1", "12"),
        BEGIN("other", "lock", "1", "11", "") END("1", "12"),
        BEGIN("other", "lock", "1", "9", "") END("1", "12"), /* of no matter in which order */
        BEGIN("cuda_sync", "wait", "1", "11", "\"correlation\":5") END("1", "12"),
        /* what ends behind it tells itself by its name */
        BEGIN("user_annotation", "later", "1", "11", "") END_OF("aten::mm", "1", "20")
            END_OF("later", "1", "25") END("2", "1"),
    };
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        char json[2048];
        bool ended = strstr(inside[i], "later");
        snprintf(json, sizeof json, HEAD BEGIN("cpu_op", "aten::mm", "1", "10", "") "%s%s%s",
                 inside[i], ended ? "" : END("1", "20"), KERNEL("1", "30", "35") TAIL);
        habitat_trace *t = NULL;
        habitat_error err = {0};
        CHECK_INT(read_as(json, slow_only, &t, &err), HABITAT_OK);
        const habitat_operation *mm = t ? operation_of(t, "aten::mm") : NULL;
        const habitat_operation *later = t ? operation_of(t, "later") : NULL;
        CHECK(mm && mm->duration_ns == 10000);
        CHECK(!ended || (later && later->duration_ns == 14000));
        habitat_trace_free(t);
    }
    check_case("the end of another event does not end an operation");
}

static void check_refused(bool slow_only) {
    static const struct {
        const char *json, *problem;
    } all[] = {
        {HEAD KERNEL("1", "30", "35") BEGIN("kernel", "late", "7", "40", ON_GPU("2")) TAIL,
         "the event \"late\" begins (\"ph\" B) and never ends"},
        {HEAD KERNEL("1", "30", "35")
             BEGIN("cuda_runtime", "cudaLaunchKernel", "1", "11", "\"correlation\":1") TAIL,
         "the event \"cudaLaunchKernel\" begins (\"ph\" B) and never ends"},
        {HEAD KERNEL("1", "30", "25") TAIL, "event 1 of \"traceEvents\": \"ts\" is before that"},
        {HEAD BEGIN("cpu_op", "a", "1", "10", "") BEGIN("cpu_op", "b", "1", "5", "") END("1", "12")
             END("1", "13") KERNEL("1", "30", "35") TAIL,
         "event 1 of \"traceEvents\": \"ts\" is before that"},
        {HEAD BEGIN("cpu_op", "a", "1", "10", "") END("1", "9") END("1", "13")
             KERNEL("1", "30", "35") TAIL,
         "event 1 of \"traceEvents\": \"ts\" is before that"},
        {HEAD KERNEL("1", "30", "9e15") TAIL, "ends an event absurdly long after it began"},
        {HEAD KERNEL("1", "30", "35") "{\"ph\":\"B\",\"cat\":\"kernel\",\"name\":\"k\"}," TAIL,
         "\"ts\" is missing"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        habitat_trace *t = NULL;
        habitat_error err = {0};
        CHECK(read_as(all[i].json, slow_only, &t, &err) != HABITAT_OK);
        CHECK(strstr(err.message, all[i].problem) != NULL);
        if (check_case_failed)
            printf("# %s\n", err.message);
        habitat_trace_free(t);
    }
    check_case("kernels and calls without an end, and parts in no order of time, are refused");
}

/* Operations without an end, and ends without a beginning, are left out as before. */
static void check_loose(bool slow_only) {
    static const char json[] =
        HEAD END("1", "5") BEGIN("cpu_op", "a", "1", "10", "") KERNEL("1", "30", "35") TAIL;
    habitat_trace *t = NULL;
    habitat_error err = {0};
    CHECK_INT(read_as(json, slow_only, &t, &err), HABITAT_OK);
    CHECK(t && !operation_of(t, "a") && habitat_trace_get_info(t)->trace_skipped_events == 3);
    habitat_trace_free(t);
    check_case("operations without an end, and ends without a beginning, are left out");
}

int main(void) {
    for (int slow_only = 0; slow_only < 2; slow_only++) {
        check_whole(slow_only);
        check_skipped(slow_only);
        check_refused(slow_only);
        check_loose(slow_only);
    }
    return check_done();
}
