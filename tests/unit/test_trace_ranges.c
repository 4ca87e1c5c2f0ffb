/* Iteration ranges of several processes, and forward operations told apart by thread. */
#include <habitat/trace.h>

#include "check.h"

#define STEP(pid, ts, dur)                                                                         \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"pid\":" pid           \
    ",\"tid\":1,\"ts\":" ts ",\"dur\":" dur "},"
#define OP(name, tid, ts, dur, args)                                                               \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":1,\"tid\":" tid ",\"ts\":" ts  \
    ",\"dur\":" dur ",\"args\":{" args "}},"
#define KERNEL(tid, launch, correlation, ts)                                                       \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":" tid  \
    ",\"ts\":" launch ",\"dur\":1,\"args\":{\"correlation\":" correlation "}},"                    \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":" ts               \
    ",\"dur\":5,\"args\":{\"device\":0,\"stream\":7,\"correlation\":" correlation                  \
    ",\"grid\":[64,1,1],\"block\":[128,1,1],\"registers per thread\":32,\"shared memory\":0}},"
#define TRACE(events)                                                                              \
    "{\"deviceProperties\":[{\"id\":0,\"name\":\"made\"}],\"traceEvents\":[" events                \
    "{\"ph\":\"M\",\"name\":\"x\",\"pid\":1}]}"

static habitat_trace *read_text(const char *text) {
    habitat_trace *trace = NULL;
    habitat_error err = {0};
    if (habitat_trace_read_memory(text, strlen(text), "made", &trace, &err) != HABITAT_OK)
        printf("# does not read: %s\n", err.message);
    return trace;
}

static void test_one_step_of_two_processes(void) {
    /* 0..100 and 10..120 us: 90 of 100 us are both's. One step, 0..120. */
    habitat_trace *trace = read_text(TRACE(STEP("1", "100", "100") STEP("2", "110", "110") KERNEL(
        "1", "100", "1", "150") KERNEL("1", "215", "2", "216")));
    size_t count = 0, kernel_count = 0;
    const habitat_iteration *it = habitat_trace_iterations(trace, &count);
    const habitat_kernel *kernels = habitat_trace_kernels(trace, &kernel_count);
    CHECK_INT(count, 1);
    CHECK_INT(it[0].start_ns, 0);
    CHECK_INT(it[0].duration_ns, 120000);
    CHECK_INT(it[0].kernel_count, 2);
    CHECK(kernel_count == 2 && kernels[1].iteration == 0); /* launched in the second's last part */
    check_case("ranges that overlap by more than half are one step, as long as both");
    habitat_trace_free(trace);

    /* the shorter counts: 60..80 us lies in 0..100 */
    trace = read_text(TRACE(STEP("1", "100", "100") STEP("2", "160", "20")
                                KERNEL("1", "100", "1", "150") KERNEL("1", "190", "2", "195")));
    it = habitat_trace_iterations(trace, &count);
    CHECK_INT(count, 1);
    CHECK_INT(it[0].duration_ns, 100000);
    check_case("a range inside another leaves it as long as it is");
    habitat_trace_free(trace);

    /* 0..100 and 95..195 us: 5 of 100 us. Two steps; the first ends where the second starts. */
    trace = read_text(TRACE(STEP("1", "100", "100") STEP("2", "195", "100")
                                KERNEL("1", "100", "1", "150") KERNEL("1", "197", "2", "198")));
    it = habitat_trace_iterations(trace, &count);
    CHECK_INT(count, 2);
    CHECK_INT(it[0].duration_ns, 95000);
    CHECK_INT(it[1].start_ns, 95000);
    CHECK_INT(it[1].kernel_count, 1);
    check_case("ranges that hardly overlap are two steps");
    habitat_trace_free(trace);
}

static const habitat_operation *operation_named(const habitat_trace *trace, const char *name) {
    size_t count = 0;
    const habitat_operation *ops = habitat_trace_operations(trace, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(ops[i].form->name, name) == 0)
            return &ops[i];
    return NULL;
}

static void test_forward_by_thread(void) {
    /* Two threads number their operations from the start: both have a number 7. The arrow to the
     * backward call leaves thread 2, at a helper inside the product that made the node. */
    habitat_trace *trace = read_text(TRACE(
        OP("aten::mm", "1", "10", "10", "\"Sequence number\":7") KERNEL("1", "11", "1", "200")
            OP("aten::bmm", "2", "10", "10", "\"Sequence number\":7")
                OP("aten::expand", "2", "12", "2", "") KERNEL("2", "15", "2", "210") OP(
                    "BmmBackward0", "3", "100", "20", "\"Sequence number\":7,\"Fwd thread id\":2")
                    KERNEL("3", "105", "3", "300") "{\"ph\":\"s\",\"id\":5,\"pid\":1,\"tid\":2,"
                                                   "\"ts\":12,\"cat\":\"fwdbwd\",\"name\":"
                                                   "\"fwdbwd\"},{\"ph\":\"f\",\"id\":5,\"pid\":1,"
                                                   "\"tid\":3,\"ts\":100,\"cat\":\"fwdbwd\","
                                                   "\"name\":\"fwdbwd\",\"bp\":\"e\"},"));
    size_t count = 0;
    const habitat_operation *ops = habitat_trace_operations(trace, &count);
    const habitat_operation *backward = operation_named(trace, "BmmBackward0");
    CHECK(backward && backward->forward < count);
    if (backward && backward->forward < count)
        CHECK_TEXT(ops[backward->forward].form->name, "aten::bmm");
    habitat_trace_free(trace);

    /* the same from thread 1, whose own chain ends before thread 2's begins */
    trace = read_text(TRACE(
        OP("aten::matmul", "1", "10", "10", "\"Sequence number\":7") KERNEL("1", "11", "1", "200")
            OP("aten::bmm", "2", "30", "10", "\"Sequence number\":7") OP(
                "SomeBackward0", "3", "100", "20",
                "\"Sequence number\":7,\"Fwd thread id\":1") "{\"ph\":\"s\",\"id\":5,\"pid\":1,"
                                                             "\"tid\":1,\"ts\":10,\"cat\":"
                                                             "\"fwdbwd\",\"name\":"
                                                             "\"fwdbwd\"},{\"ph\":\"f\",\"id\":5,"
                                                             "\"pid\":1,\"tid\":3,\"ts\":100,"
                                                             "\"cat\":\"fwdbwd\","
                                                             "\"name\":\"fwdbwd\",\"bp\":\"e\"},"));
    ops = habitat_trace_operations(trace, &count);
    backward = operation_named(trace, "SomeBackward0");
    CHECK(backward && backward->forward < count);
    if (backward && backward->forward < count)
        CHECK_TEXT(ops[backward->forward].form->name, "aten::matmul");
    habitat_trace_free(trace);

    /* without an arrow nothing says which of the two threads it was */
    trace = read_text(TRACE(
        OP("aten::mm", "1", "10", "10", "\"Sequence number\":7") KERNEL("1", "11", "1", "200")
            OP("aten::bmm", "2", "10", "10", "\"Sequence number\":7")
                OP("BmmBackward0", "3", "100", "20", "\"Sequence number\":7,\"Fwd thread id\":2")));
    backward = operation_named(trace, "BmmBackward0");
    CHECK(backward && backward->forward == HABITAT_NONE);
    habitat_trace_free(trace);
    check_case("of two threads with one number, the arrow's is the forward operation's");
}

#define LAUNCH(tid, ts)                                                                            \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":" tid  \
    ",\"ts\":" ts ",\"dur\":1,\"args\":{\"correlation\":9}},"

static void test_shared_correlation(void) {
    /* Three processes' launches with one number: the last one before the kernel started is its own,
     * at 20 us of 10, 20 and 30; the first where the kernel seems to start before all of them. */
    static const struct {
        const char *start;
        uint64_t launch_ns;
    } rows[] = {{"25", 10000}, {"35", 20000}, {"15", 0}, {"9", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            TRACE(LAUNCH("1", "10") LAUNCH("2", "20") LAUNCH(
                "3", "30") "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,"
                           "\"ts\":%s,"
                           "\"dur\":5,\"args\":{\"device\":0,\"stream\":7,\"correlation\":9}},"),
            rows[i].start);
        habitat_trace *trace = read_text(text);
        size_t count = 0;
        const habitat_kernel *kernels = habitat_trace_kernels(trace, &count);
        CHECK_INT(count, 1);
        uint64_t first_ns =
            strcmp(rows[i].start, "9") == 0 ? 1000 : 0; /* times count from the first event */
        CHECK_INT(habitat_trace_launch(trace, &kernels[0])->start_ns, rows[i].launch_ns + first_ns);
        habitat_trace_free(trace);
    }
    check_case("of launches with one number the last before the kernel is its own");
}

int main(void) {
    test_shared_correlation();
    test_one_step_of_two_processes();
    test_forward_by_thread();
    return check_done();
}
