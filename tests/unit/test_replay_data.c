/* What the CPU does with the data of a batch grows with it, worked by hand; see src/replay/data.c.
 * Times in microseconds. */
#include <string.h>

#include "replay_subject.h"

/* An operation of the CPU of 30 ms and one of 4 ms, each with its arguments, then a launch. */
enum { EVENTS = 6 };
typedef struct step {
    event list[EVENTS];
} step;

static step made(const char *name, const char *first, const char *second) {
    return (step){{{'o', name, 10, 30000, 1, 0, 0, first},
                   {'o', "aten::add", 30020, 4000, 1, 0, 0, second},
                   {'o', "aten::linear", 34030, 20, 1, 0, 0, NULL},
                   {'c', "cudaLaunchKernel", 34032, 5, 1, 0, 1, NULL},
                   {'c', "cudaEventRecord", 34052, 2, 1, 0, 2, NULL},
                   {'k', "a", 34050, 100, 0, 7, 1, NULL}}};
}

enum { STEP = 34060 };
/* Of 4.06 ms of work beside 30 ms of waits, under the profiler, 4 are left without it. */
#define WORK_MS  (4.0 * 4.0 / 4.06)
#define RECORDED "\"habitat\": {\"schema\": 1, \"batch_size\": 8},"

/* The same step of another batch size, its kernel as long as recorded. */
static habitat_prediction with_batch(const subject *s, uint64_t batch) {
    habitat_prediction *p = NULL, out = {0};
    habitat_error err = {0};
    CHECK_INT(habitat_predict(s->w, &gpu, HABITAT_METHOD_BANDWIDTH, &p, &err), HABITAT_OK);
    p->batch_size = batch;
    CHECK_INT(habitat_replay_apply(s->r, p, &err), HABITAT_OK);
    out = *p;
    out.trace_kernels = NULL;
    habitat_prediction_free(p);
    return out;
}

/* By how many ms the iteration of batch 16 and of batch 4 is longer than that of 8. */
static void grows(const event *list, size_t count, double twice, double half) {
    subject s = subject_of(list, count, STEP, RECORDED, &(habitat_replay_options){.cpu_ms = 34.0});
    habitat_prediction as_recorded = with_batch(&s, 8);
    CHECK_NEAR(as_recorded.iteration_ms, 34.0, 1e-9);
    CHECK_NEAR(with_batch(&s, 16).iteration_ms, 34.0 + twice, 1e-9);
    CHECK_NEAR(with_batch(&s, 16).cpu_ms, 34.0 + twice, 1e-9);
    CHECK_NEAR(with_batch(&s, 4).iteration_ms, 34.0 + half, 1e-9);
    done(&s);
}
#define GROWS(list, twice, half) grows(list, sizeof list / sizeof *list, twice, half)

static void test_sizes(void) {
    step unknown = made("aten::randn", NULL, NULL);
    GROWS(unknown.list, 30.0 + WORK_MS, -15.0 - WORK_MS / 2);
    step copied = made("aten::to", NULL, NULL);
    GROWS(copied.list, WORK_MS, -WORK_MS / 2);
    check_case("without sizes: what an operation of the CPU takes grows, but not a copy");
    step of_batch = made("aten::randn", ", \"Concrete Inputs\": [\"[8, 1000]\"]",
                         ", \"Input Dims\": [[8, 1000]], \"Input type\": "
                         "[\"float\"]");
    GROWS(of_batch.list, 30.0 + WORK_MS, -15.0 - WORK_MS / 2);
    step samples =
        made("aten::stack",
             ", \"Input Dims\": [[[5], [5], [5], [5], [5], [5], [5], [5]]], \"Input type\": "
             "[\"TensorList\"]",
             ", \"Input Dims\": [[1000, 8]], \"Input type\": [\"float\"]");
    GROWS(samples.list, 30.0, -15.0);
    step parts = made("aten::cat",
                      ", \"Input Dims\": [[[4, 7], [8, 7]]], \"Input type\": "
                      "[\"TensorList\"]",
                      ", \"Input Dims\": [[7]], \"Input type\": [\"float\"]");
    GROWS(parts.list, 30.0, -15.0);
    check_case("of the batch: its first size, or as many tensors");
    step others = made("aten::randn", ", \"Concrete Inputs\": [\"[80, 1000]\"]",
                       ", \"Input Dims\": [[1000, 8]], \"Input type\": "
                       "[\"float\"]");
    GROWS(others.list, 0.0, 0.0);
    check_case("what has other sizes stays");
}

/* A pause of 4 ms is work, which another host takes longer or shorter for, one of 30 ms is not. */
static void test_hosts(void) {
    static const double scales[] = {0.25, 1.0, 4.0};
    step all = made("aten::randn", NULL, NULL);
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        habitat_replay_options options = {.cpu_ms = 34.0, .cpu_scale = scales[i]};
        subject s = subject_of(all.list, EVENTS, STEP, RECORDED, &options);
        habitat_prediction as_recorded = with_batch(&s, 8), half = with_batch(&s, 4);
        CHECK_NEAR(as_recorded.cpu_ms, 30.0 + 4.0 * scales[i], 1e-9);
        CHECK_NEAR(half.cpu_ms, as_recorded.cpu_ms - 15.0 - WORK_MS / 2 * scales[i], 1e-9);
        CHECK_NEAR(half.iteration_ms, half.cpu_ms, 1e-9);
        done(&s);
    }
    check_case("work on the data is as long as the host's other work");
}

static void test_others(void) {
    step loader = made("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", NULL,
                       ", \"Input Dims\": [[7]], \"Input type\": [\"float\"]");
    GROWS(loader.list, 30.0, -15.0);
    check_case("a loader grows, whatever it does");
    step added = made("aten::add", NULL, NULL);
    event optimiser[EVENTS + 1] = {{'s', "Optimizer.step#SGD.step", 5, 34020, 1, 0, 0, NULL}};
    memcpy(&optimiser[1], added.list, sizeof added.list);
    GROWS(optimiser, 0.0, 0.0);
    check_case("an optimiser on the CPU does not");
    static const event launching[] = {{'o', "aten::nms", 10, 34000, 1, 0, 0, NULL},
                                      {'c', "cudaLaunchKernel", 34002, 5, 1, 0, 1, NULL},
                                      {'c', "cudaEventRecord", 34052, 2, 1, 0, 2, NULL},
                                      {'k', "a", 34020, 100, 0, 7, 1, NULL}};
    GROWS(launching, 0.0, 0.0);
    check_case("nor does what launches something");
    step backward = made("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
                         NULL, ", \"Input Dims\": [[7]], \"Input type\": [\"float\"]");
    GROWS(backward.list, 0.0, 0.0);
    static const event within[] = {
        {'o', "autograd::engine::evaluate_function: MulBackward0", 10, 34010, 1, 0, 0, NULL},
        {'o', "aten::mul", 15, 30000, 1, 0, 0, NULL},
        {'o', "aten::linear", 34030, 20, 1, 0, 0, NULL},
        {'c', "cudaLaunchKernel", 34032, 5, 1, 0, 1, NULL},
        {'c', "cudaEventRecord", 34052, 2, 1, 0, 2, NULL},
        {'k', "a", 34050, 100, 0, 7, 1, NULL}};
    GROWS(within, 0.0, 0.0);
    check_case("nor, without sizes, does what autograd runs");
}

int main(void) {
    gpu = made_gpu("made", 10, 1.0, 1000, 10);
    test_sizes();
    test_hosts();
    test_others();
    return check_done();
}
