/* Reading options: iterations by a range's name or by number, traces without a GPU; and which
 * description of a GPU belongs to the kernels. */
#include <stdlib.h>
#include <unistd.h>

#include <habitat/trace.h>

#include "check.h"

static char path[] = "/tmp/habitat-options-XXXXXX";

#define DEVICES "\"deviceProperties\": [{\"id\": 0, \"name\": \"made GPU\"}],"
#define RANGE(name, tid, ts, dur)                                                                  \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"" name "\",\"pid\":1,\"tid\":" tid       \
    ",\"ts\":" ts ",\"dur\":" dur "},\n"
#define CALL(name, ts, dur)                                                                        \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" ts        \
    ",\"dur\":" dur ",\"args\":{\"Input Dims\":[[2,3]],\"Input type\":[\"float\"]}},\n"
#define LAUNCHED(name, device, correlation, launch, ts, dur)                                       \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"    \
    "\"ts\":" launch ",\"dur\":0.5,\"args\":{\"correlation\":" correlation "}},\n"                 \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" ts        \
    ",\"dur\":" dur ",\"args\":{\"device\":" device ",\"stream\":7,\"correlation\":" correlation   \
    ",\"grid\":[64,1,1],\"block\":[128,1,1]}},\n"
#define TRACE_WITH(members, events)                                                                \
    "{" members "\"traceEvents\":[\n" events "{\"ph\":\"M\",\"name\":\"x\",\"pid\":1}]}\n"
#define TRACE(events) TRACE_WITH(DEVICES, events)

/* A warm-up kernel, then two steps of a gemm and a relu: 10 + 2 and 12 + 2 us. */
#define TWO_STEPS                                                                                  \
    LAUNCHED("warm_up", "0", "1", "10", "100", "50")                                               \
    LAUNCHED("gemm", "0", "2", "20", "200", "10")                                                  \
    LAUNCHED("relu", "0", "3", "22", "220", "2")                                                   \
    LAUNCHED("gemm", "0", "4", "30", "300", "12")                                                  \
    LAUNCHED("relu", "0", "5", "32", "320", "2")

static habitat_status read_text(const char *text, habitat_read_options options, habitat_trace **out,
                                habitat_error *err) {
    FILE *file = fopen(path, "w");
    *out = NULL;
    *err = (habitat_error){0};
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        return HABITAT_E_IO;
    return habitat_trace_read_with(path, &options, out, err);
}

/* The kernel time of each iteration, in order. */
static void check_iterations(const char *text, habitat_read_options options,
                             habitat_iterations_by by, size_t count, const double *kernel_us) {
    habitat_trace *t;
    habitat_error err;
    habitat_status status = read_text(text, options, &t, &err);
    CHECK_TEXT(err.message, "");
    CHECK_INT(status, HABITAT_OK);
    if (!t)
        return;
    size_t found;
    const habitat_iteration *it = habitat_trace_iterations(t, &found);
    CHECK_INT(found, count);
    CHECK_INT(habitat_trace_get_info(t)->iterations_by, by);
    for (size_t i = 0; i < found && i < count; i++)
        CHECK_NEAR(it[i].kernel_ms, kernel_us[i] / 1e3, 1e-12);
    habitat_trace_free(t);
}

static void check_refused(const char *text, habitat_read_options options, habitat_status code,
                          const char *message) {
    habitat_trace *t;
    habitat_error err;
    CHECK_INT(read_text(text, options, &t, &err), code);
    CHECK_TEXT(err.message, message);
    CHECK(t == NULL);
}

static void named_ranges(void) {
    static const char text[] = TRACE(
        RANGE("step", "1", "19", "5") RANGE("step", "1", "29", "5") RANGE("inner", "1", "19.5", "2")
            RANGE("ProfilerStep#1", "1", "5", "90") RANGE("empty", "1", "60", "5") TWO_STEPS);
    check_iterations(text, (habitat_read_options){.range = "step"}, HABITAT_ITERATIONS_RANGE, 2,
                     (const double[]){12, 14});
    check_iterations(text, (habitat_read_options){.range = "inner"}, HABITAT_ITERATIONS_RANGE, 1,
                     (const double[]){10});
    check_iterations(text, (habitat_read_options){0}, HABITAT_ITERATIONS_MARKED, 1,
                     (const double[]){76});
    check_case("each range of the name is an iteration, before the trace's own marks");

    check_iterations(TRACE(RANGE("step 0", "1", "19", "5") RANGE("step 1", "1", "29", "5") RANGE(
                         "stepper", "1", "5", "90") RANGE("step", "9", "5", "1") TWO_STEPS),
                     (habitat_read_options){.range = "step 1"}, HABITAT_ITERATIONS_RANGE, 1,
                     (const double[]){14});
    check_iterations(TRACE(RANGE("step_0", "1", "19", "5") RANGE("step_1", "1", "29", "5") RANGE(
                         "stepper", "1", "5", "90") RANGE("step 2 of 3", "1", "5", "90") TWO_STEPS),
                     (habitat_read_options){.range = "step"}, HABITAT_ITERATIONS_RANGE, 2,
                     (const double[]){12, 14});
    check_case("a name finds the same with a number, unless it stands alone");

    check_refused(
        text, (habitat_read_options){.range = "stp"}, HABITAT_E_ARG,
        "no range \"stp\"; there are \"step\" (2), \"ProfilerStep#1\" (1), \"empty\" (1), "
        "\"inner\" (1)");
    check_refused(text, (habitat_read_options){.range = "empty"}, HABITAT_E_ARG,
                  "nothing was launched inside a range \"empty\"; name the range of a whole "
                  "iteration: there are \"step\" (2), \"ProfilerStep#1\" (1), \"empty\" (1), "
                  "\"inner\" (1)");
    check_refused(TRACE(TWO_STEPS), (habitat_read_options){.range = "step"}, HABITAT_E_ARG,
                  "no range \"step\": the trace holds no ranges at all; say how many iterations it "
                  "holds, or profile it with NVTX ranges");
    check_case("a range that is not there is refused, with those that are");
}

static bool differ(const char *text, size_t iterations) {
    habitat_trace *t;
    habitat_error err;
    read_text(text, (habitat_read_options){.iterations = iterations}, &t, &err);
    bool result = t && habitat_trace_get_info(t)->iterations_differ;
    habitat_trace_free(t);
    return result;
}

static void counted(void) {
    static const char alike[] = TRACE(LAUNCHED("gemm", "0", "2", "20", "200", "10")
                                          LAUNCHED("relu", "0", "3", "22", "220", "2")
                                              LAUNCHED("gemm", "0", "4", "30", "300", "12")
                                                  LAUNCHED("relu", "0", "5", "32", "320", "2"));
    check_iterations(alike, (habitat_read_options){0}, HABITAT_ITERATIONS_WHOLE, 1,
                     (const double[]){26});
    check_iterations(alike, (habitat_read_options){.iterations = 2}, HABITAT_ITERATIONS_COUNTED, 2,
                     (const double[]){12, 14});
    CHECK(!differ(alike, 2));
    CHECK(differ(alike, 4));
    CHECK(differ(TRACE(TWO_STEPS), 2)); /* the warm-up kernel makes five launches */
    check_case("a number cuts the launches into equal parts, and tells whether they are alike");

    check_refused(alike, (habitat_read_options){.iterations = 5}, HABITAT_E_ARG,
                  "5 iterations, but only 4 launches; say the number of iterations in the trace");
    check_refused(TRACE(RANGE("ProfilerStep#1", "1", "5", "90") TWO_STEPS),
                  (habitat_read_options){.iterations = 2}, HABITAT_E_ARG,
                  "the trace itself marks 1 iteration, not 2; leave the number out");
    check_iterations(TRACE(RANGE("ProfilerStep#1", "1", "5", "90") TWO_STEPS),
                     (habitat_read_options){.iterations = 1}, HABITAT_ITERATIONS_MARKED, 1,
                     (const double[]){76});
    check_refused(alike, (habitat_read_options){.iterations = 2, .range = "step"}, HABITAT_E_ARG,
                  "ranges mark iterations or a number divides the trace, not both; leave out one");
    check_refused(alike, (habitat_read_options){.range = ""}, HABITAT_E_ARG,
                  "a range without a name; name it");
    check_case("numbers that do not fit the trace are refused");
}

#define NOTED(batch) DEVICES "\"habitat\":{\"schema\":1,\"batch_size\":" batch "},"

static void check_batch(const char *text, uint64_t said, uint64_t batch, bool by_options) {
    habitat_trace *t;
    habitat_error err;
    CHECK_INT(read_text(text, (habitat_read_options){.batch_size = said}, &t, &err), HABITAT_OK);
    CHECK(t && habitat_trace_get_info(t)->batch_size == batch);
    CHECK(t && habitat_trace_get_info(t)->batch_size_said == by_options);
    habitat_trace_free(t);
}

static void batch_said(void) {
    check_batch(TRACE(TWO_STEPS), 0, 0, false);
    check_batch(TRACE(TWO_STEPS), 8, 8, true);
    check_batch(TRACE_WITH(NOTED("8"), TWO_STEPS), 0, 8, false);
    check_batch(TRACE_WITH(NOTED("8"), TWO_STEPS), 8, 8, false);
    check_refused(TRACE_WITH(NOTED("8"), TWO_STEPS), (habitat_read_options){.batch_size = 16},
                  HABITAT_E_ARG,
                  "the recording notes a batch size of 8, and 16 is said; say 8, or nothing");
    check_refused(TRACE(TWO_STEPS), (habitat_read_options){.batch_size = ((uint64_t)1 << 40) + 1},
                  HABITAT_E_ARG, "a batch of more than 2^40 samples; say its size");
    check_case("a batch size is said where the recording notes none");
}

static void without_gpu(void) {
    static const char text[] = TRACE(RANGE("ProfilerStep#1", "1", "5", "20") RANGE(
        "ProfilerStep#2", "1", "30", "20") CALL("aten::relu", "10", "5"));
    habitat_trace *t;
    habitat_error err;
    CHECK_INT(read_text(text, (habitat_read_options){.without_gpu = true}, &t, &err), HABITAT_OK);
    if (t) {
        size_t count;
        const habitat_trace_info *info = habitat_trace_get_info(t);
        CHECK(info->device_count == 0 && info->has_operations && info->has_shapes);
        CHECK(info->iteration_count == 2 && !info->device_facts.name);
        habitat_trace_kernels(t, &count);
        CHECK_INT(count, 0);
    }
    habitat_trace_free(t);
    check_refused(text, (habitat_read_options){0}, HABITAT_E_NO_GPU,
                  "no GPU activity in this trace (3 operations on the CPU); record it again on a "
                  "machine with a GPU, with ProfilerActivity.CUDA among the profiler's activities, "
                  "or with 'habitat record'; without a GPU with 'habitat record --no-gpu'");
    check_refused("{\"traceEvents\":[]}", (habitat_read_options){.without_gpu = true},
                  HABITAT_E_FORMAT,
                  "no operation and no kernel in it; export it with torch.profiler or 'habitat "
                  "record'");
    check_case("a recording of the CPU alone opens where it is asked for");
}

static void check_device(const char *text, const char *name) {
    habitat_trace *t;
    habitat_error err;
    CHECK_INT(read_text(text, (habitat_read_options){0}, &t, &err), HABITAT_OK);
    if (t && name)
        CHECK_TEXT(habitat_trace_get_info(t)->device_facts.name, name);
    else if (t)
        CHECK(!habitat_trace_get_info(t)->device_facts.name);
    habitat_trace_free(t);
}

#define GPU(id, name, sms) "{\"id\":" id ",\"name\":\"" name "\",\"numSms\":" sms "}"
#define GPUS(list)         "\"deviceProperties\":[" list "],"

static void device_numbers(void) {
    static const char on_2[] =
        TRACE_WITH(GPUS(GPU("0", "one", "80")), LAUNCHED("gemm", "2", "2", "20", "200", "10"));
    check_device(on_2, "one");
    check_case("kernels of another number belong to the one GPU that is described");
    check_device(TRACE_WITH(GPUS(GPU("0", "one", "80") "," GPU("1", "one", "80")),
                            LAUNCHED("gemm", "2", "2", "20", "200", "10")),
                 "one");
    check_device(TRACE_WITH(GPUS(GPU("0", "one", "80") "," GPU("1", "one", "40")),
                            LAUNCHED("gemm", "2", "2", "20", "200", "10")),
                 NULL);
    check_device(TRACE_WITH(GPUS(GPU("0", "one", "80") "," GPU("1", "two", "80")),
                            LAUNCHED("gemm", "2", "2", "20", "200", "10")),
                 NULL);
    check_device(TRACE_WITH(GPUS(GPU("0", "one", "80") "," GPU("1", "two", "80")),
                            LAUNCHED("gemm", "1", "2", "20", "200", "10")),
                 "two");
    check_case("of several described GPUs they must be alike");
    check_device(TRACE_WITH(GPUS(GPU("0", "one", "80")),
                            LAUNCHED("gemm", "2", "2", "20", "200", "10")
                                LAUNCHED("gemm", "0", "3", "30", "300", "5")),
                 NULL);
    check_case("a description that has kernels of its own says nothing of another device");
}

int main(void) {
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    named_ranges();
    counted();
    batch_said();
    without_gpu();
    device_numbers();
    unlink(path);
    return check_done();
}
