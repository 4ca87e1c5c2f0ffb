/* Several GPUs: buckets, messages and a step worked by hand (times in microseconds, as in
 * test_replay.c); a recorded step. */
#include <stdlib.h>

#include <habitat/replay.h>

#include "check.h"
#include "made_gpu.h"
#include "made_trace.h"
#include "replay/buckets.h"
#include "workload/collective.h"

static habitat_gpu gpu;

static void test_buckets(void) {
    double bytes[] = {400e3, 400e3, 400e3, 10e6, 20e6, 1e6};
    uint32_t bucket[6] = {9, 9, 9, 9, 9, 9};
    CHECK_INT(replay_fill_buckets(6, bytes, bucket), 3);
    CHECK(bucket[0] == 0 && bucket[1] == 0 && bucket[2] == 0); /* 1.2 of 1.05 MB */
    CHECK(bucket[3] == 1 && bucket[4] == 1);                   /* 30 of 26.2 MB */
    CHECK_INT(bucket[5], 2);
    CHECK_INT(replay_fill_buckets(5, bytes, bucket), 2);
    CHECK_INT(replay_fill_buckets(1, bytes, bucket), 1);
    check_case("a bucket is full with the gradient that brings it to its size");
}

static double sum_us(double bytes, uint32_t count) {
    return collective_time_ns(&gpu, HABITAT_COLLECTIVE_ALL_REDUCE, bytes, count) / 1e3;
}

static void test_messages(void) {
    habitat_gpu slow = gpu, none = gpu;
    CHECK_NEAR(sum_us(2e6, 2), 6 + 20 / 0.86 + 0.1455 * sqrt(20000.0), 1e-9);
    CHECK_NEAR(sum_us(1e6, 4), 10 + 15 / 0.86 + 0.1455 * sqrt(15000.0), 1e-9);
    double before = 0.0;
    for (uint32_t n = 2; n < 200; n++) {
        CHECK(sum_us(25e6, n) >= before);
        before = sum_us(25e6, n);
    }
    CHECK(sum_us(25e6, 9) > sum_us(25e6, 8) + 1000.0); /* 3.5 ms of network */
    slow.nvlink_bytes_per_s = NAN;
    slow.pcie_bytes_per_s = 64e9;
    CHECK_NEAR(collective_time_ns(&slow, HABITAT_COLLECTIVE_ONE_WAY, 32e6, 2) / 1e3,
               6 + 500 / 0.66 + 0.1455 * sqrt(500000.0), 1e-9);
    CHECK(collective_time_ns(&slow, HABITAT_COLLECTIVE_ALL_REDUCE, 2e6, 2) / 1e3 > sum_us(2e6, 2));
    none.nvlink_bytes_per_s = none.pcie_bytes_per_s = NAN;
    CHECK(isnan(collective_time_ns(&none, HABITAT_COLLECTIVE_ALL_REDUCE, 2e6, 2)));
    check_case("a message takes its latency, its bytes and the root of them");
}

/* ---- a step of four kernels: forward, two of the backward pass, the optimiser ---- */

enum { CPU_US = 80, GPU_US = 404 }; /* a step, from one to the next */

static void launch_and_kernel(made_text *text, const char *name, int step, int i) {
    made_write(text,
               "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", "
               "\"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 5, \"args\": {\"correlation\": "
               "%d}},\n{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": 0, "
               "\"tid\": 7, \"ts\": %d, \"dur\": 100, \"args\": {\"correlation\": %d, "
               "\"device\": 0, \"stream\": 7, \"grid\": [400, 1, 1], \"block\": [256, 1, "
               "1]}},\n",
               1000 + CPU_US * step + 20 * i, 10 * step + i + 1, name,
               1010 + GPU_US * step + 101 * i, 10 * step + i + 1);
}

/* dims: of the gradient, where the recording has shapes; else NULL. */
static void gradient(made_text *text, int at, const char *dims) {
    made_write(text,
               "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"autograd::engine::evaluate_"
               "function: torch::autograd::AccumulateGrad\", \"pid\": 1, \"tid\": 1, \"ts\": %d, "
               "\"dur\": 2, \"args\": {}},\n",
               1000 + at);
    if (dims)
        made_write(text,
                   "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"torch::autograd::"
                   "AccumulateGrad\", \"pid\": 1, \"tid\": 1, \"ts\": %d.5, \"dur\": 1, \"args\": "
                   "{\"Input Dims\": [%s], \"Input type\": [\"float\"]}},\n",
                   1000 + at, dims);
}

static void optimiser_step(made_text *text, int at) {
    made_write(text,
               "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": "
               "\"Optimizer.step#SGD.step\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": "
               "5},\n",
               1000 + at);
}

/* sizes: as noted; shapes: they are recorded. marks: so are so many steps of optimisers, the last
 * before the last kernel, another one before the first layer's. */
static habitat_trace *steps_with(const char *sizes, bool shapes, int marks, int steps) {
    made_text text = {0};
    habitat_trace *trace = NULL;
    habitat_error err = {0};
    made_write(&text,
               "{\"habitat\": {\"schema\": 1, \"batch_size\": 8, \"memory\": "
               "{\"parameter_sizes\": {%s}}}, \"deviceProperties\": [{\"id\": 0, \"name\": "
               "\"made\"}], \"traceEvents\": [\n",
               sizes);
    for (int n = 0; n < steps; n++) {
        launch_and_kernel(&text, "forward", n, 0);
        launch_and_kernel(&text, "last_layer", n, 1);
        gradient(&text, CPU_US * n + 30, shapes ? "[1000, 500]" : NULL);
        if (marks > 1)
            optimiser_step(&text, CPU_US * n + 34);
        launch_and_kernel(&text, "first_layer", n, 2);
        gradient(&text, CPU_US * n + 50, shapes ? "[250000]" : NULL);
        if (marks)
            optimiser_step(&text, CPU_US * n + 55);
        launch_and_kernel(&text, "optimizer", n, 3);
        made_write(&text,
                   "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": "
                   "\"ProfilerStep#%d\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": "
                   "%d},\n",
                   n + 1, 1000 + CPU_US * n, CPU_US);
    }
    made_write(&text, "{\"ph\": \"M\", \"name\": \"x\", \"pid\": 1, \"args\": {}}]}\n");
    CHECK_INT(habitat_trace_read_memory(text.data, text.used, "made", &trace, &err), HABITAT_OK);
    free(text.data);
    return trace;
}

static habitat_trace *step_of(const char *sizes, bool shapes) {
    return steps_with(sizes, shapes, 0, 1);
}

/* NaN where it is refused; `err` says why. */
static double shared_ms(const habitat_trace *trace, const habitat_gpu *origin,
                        const habitat_gpu *to, uint32_t count, double cpu_ms, double *samples_per_s,
                        habitat_error *err) {
    habitat_workload *w = NULL;
    habitat_replay *r = NULL;
    habitat_prediction *p = NULL;
    habitat_replay_options options = {.cpu_ms = cpu_ms};
    double ms = NAN;
    CHECK_INT(habitat_workload_create(trace, origin, &w, err), HABITAT_OK);
    CHECK_INT(habitat_replay_create(w, &options, &r, err), HABITAT_OK);
    CHECK_INT(habitat_predict(w, to, HABITAT_METHOD_BANDWIDTH, &p, err), HABITAT_OK);
    if (habitat_replay_apply_parallel(r, count, p, err) == HABITAT_OK) {
        ms = p->iteration_ms;
        CHECK_INT(p->gpu_count, count);
        CHECK(p->low_ms <= ms && ms <= p->high_ms);
        CHECK(count == 1 ? p->communication_ms == 0.0 : p->communication_ms > 0.0);
        CHECK(count == 1 || isnan(p->largest_batch));
        CHECK(p->exposed_ms >= 0.0 && p->exposed_ms <= ms);
        *samples_per_s = p->samples_per_s;
    }
    habitat_prediction_free(p);
    habitat_replay_free(r);
    habitat_workload_free(w);
    return ms;
}

static void test_step(void) {
    habitat_trace *trace = step_of("\"float32\": [250000, 500000]", false);
    habitat_error err = {0};
    double rate = 0.0, one = shared_ms(trace, &gpu, &gpu, 1, 0.080, &rate, &err);
    CHECK_NEAR(one, 0.4041, 1e-9);
    CHECK_NEAR(rate, 8 / 0.4041e-3, 1e-9);
    /* copies at 1.6 TB/s both ways and 1 us of a kernel's own: 3.5 and 2.25 us, a pause of 1.1
     * before each; the first sum runs beside the first layer, and costs it 0.7 of its own time */
    double first = sum_us(2e6, 2), second = sum_us(1e6, 2);
    double want = 101.1 + 101 + (1.1 + 3.5) + 101 + (1.1 + 2.25 + 0.7 * first) + (1.1 + second) +
                  (1.1 + 2.25) + 101;
    CHECK_NEAR(shared_ms(trace, &gpu, &gpu, 2, 0.080, &rate, &err), want / 1e3, 1e-9);
    CHECK_NEAR(rate, 16 / want * 1e6, 1e-9);
    /* over PCIe a sum costs the layer beside it a quarter of its own time */
    habitat_gpu slow = gpu;
    slow.nvlink_bytes_per_s = NAN;
    slow.pcie_bytes_per_s = 64e9;
    first = collective_time_ns(&slow, HABITAT_COLLECTIVE_ALL_REDUCE, 2e6, 2) / 1e3;
    second = collective_time_ns(&slow, HABITAT_COLLECTIVE_ALL_REDUCE, 1e6, 2) / 1e3;
    CHECK_NEAR(shared_ms(trace, &gpu, &slow, 2, 0.080, &rate, &err),
               (101.1 + 101 + (1.1 + 3.5) + 101 + (1.1 + 2.25 + 0.25 * first) + (1.1 + second) +
                (1.1 + 2.25) + 101) /
                   1e3,
               1e-9);
    CHECK(collective_is_quick(&gpu, 8) && !collective_is_quick(&gpu, 9));
    CHECK_NEAR(collective_beside_share(&gpu, 9), 0.25, 1e-12);
    CHECK_NEAR(collective_beside_share(&slow, 2), 0.25, 1e-12);
    /* between hosts over 25 GB/s in each: 18 us, 1.864 ms / 0.86 and 4.6 us times the root of 1864
     * are 2.384 of the network's
     * 3.728 ms */
    slow.nvlink_bytes_per_s = 50e9;
    CHECK_NEAR(collective_beside_share(&slow, 8), 0.7, 1e-12);
    CHECK_NEAR(collective_beside_share(&slow, 9), 0.7 * 2.384 / 3.728, 1e-4);
    check_case("copies, sums beside the backward pass, the last one before the optimiser");
    CHECK(isnan(shared_ms(trace, &gpu, &gpu, 0, 0.080, &rate, &err)));
    CHECK_INT(err.code, HABITAT_E_ARG);
    habitat_trace_free(trace);
    trace = step_of("", true);
    CHECK_NEAR(shared_ms(trace, &gpu, &gpu, 2, 0.080, &rate, &err), want / 1e3, 1e-9);
    habitat_trace_free(trace);
    check_case("sizes that are not noted are those of the gradients' shapes");
    static const char *const untold[] = {"\"float33\": [250000, 500000]", "\"float32\": [0, 0]"};
    for (size_t i = 0; i < 2; i++) {
        trace = step_of(untold[i], true);
        CHECK_NEAR(shared_ms(trace, &gpu, &gpu, 2, 0.080, &rate, &err), want / 1e3, 1e-9);
        habitat_trace_free(trace);
        trace = step_of(untold[i], false);
        CHECK(isnan(shared_ms(trace, &gpu, &gpu, 2, 0.080, &rate, &err)));
        CHECK_INT(err.code, HABITAT_E_UNSUPPORTED);
        habitat_trace_free(trace);
    }
    check_case("a format that nobody knows tells no sizes, nor do parameters of no elements");
    trace = step_of("", false);
    CHECK(isnan(shared_ms(trace, &gpu, &gpu, 2, 0.080, &rate, &err)));
    CHECK_INT(err.code, HABITAT_E_UNSUPPORTED);
    CHECK_TEXT(err.message,
               "the recording does not say how large its gradients are: its AccumulateGrad "
               "operations have no shapes; record it with record_shapes=True, or with `habitat "
               "record`");
    habitat_trace_free(trace);
    check_case("what is not recorded is not guessed");
}

/* With the wait of fp16's scaler before the last kernel, or without it. */
static double scaled_ms(const habitat_trace *trace, uint32_t count, bool waits) {
    habitat_workload *w = NULL;
    habitat_replay *r = NULL;
    habitat_prediction *p = NULL;
    habitat_error err = {0};
    habitat_replay_options options = {.cpu_ms = 0.080};
    CHECK_INT(habitat_workload_create(trace, &gpu, &w, &err), HABITAT_OK);
    CHECK_INT(habitat_replay_create(w, &options, &r, &err), HABITAT_OK);
    CHECK_INT(habitat_predict(w, &gpu, HABITAT_METHOD_BANDWIDTH, &p, &err), HABITAT_OK);
    p->scaler_waits = waits;
    CHECK_INT(habitat_replay_apply_parallel(r, count, p, &err), HABITAT_OK);
    double ms = p->iteration_ms;
    habitat_prediction_free(p);
    habitat_replay_free(r);
    habitat_workload_free(w);
    return ms;
}

static void test_scaler(void) {
    habitat_trace *trace = steps_with("\"float32\": [250000, 500000]", false, 1, 1);
    double one = scaled_ms(trace, 1, true) - scaled_ms(trace, 1, false);
    double two = scaled_ms(trace, 2, true) - scaled_ms(trace, 2, false);
    CHECK_NEAR(one, 0.013, 1e-9);
    CHECK_NEAR(two, one, 1e-9); /* the last kernel waits for all sums in both */
    habitat_trace_free(trace);
    check_case("the scaler waits for the sums of all GPUs");
    /* behind each wait 8 us to the launch, its 5 and 1 of latency, where a pause of 1 was */
    trace = steps_with("\"float32\": [250000, 500000]", false, 2, 1);
    CHECK_NEAR(scaled_ms(trace, 1, true) - scaled_ms(trace, 1, false), 2 * 0.013, 1e-9);
    habitat_trace_free(trace);
    check_case("the scaler waits before the step of each optimiser");
    trace = steps_with("\"float32\": [250000, 500000]", false, 1, 2);
    CHECK_NEAR(scaled_ms(trace, 1, true) - scaled_ms(trace, 1, false), 0.013, 1e-9);
    habitat_trace_free(trace);
    trace = steps_with("\"float32\": [250000, 500000]", false, 2, 3);
    CHECK_NEAR(scaled_ms(trace, 1, true) - scaled_ms(trace, 1, false), 2 * 0.013, 1e-9);
    habitat_trace_free(trace);
    check_case("and does so in each of several iterations");
}

/* The usual step is 5 us, as recorded: two gradients copied into buckets (5 steps each) and back
 * (3), two messages (30). */
static void test_cpu(void) {
    habitat_trace *trace = step_of("\"float32\": [250000, 500000]", false);
    habitat_error err = {0};
    double rate = 0.0, one = shared_ms(trace, &gpu, &gpu, 1, 2.0, &rate, &err);
    CHECK_NEAR(one, 2.0, 1e-9);
    CHECK_NEAR(shared_ms(trace, &gpu, &gpu, 2, 2.0, &rate, &err), 2.0 + 76 * 0.005, 1e-9);
    habitat_trace_free(trace);
    check_case("the CPU copies gradients and sends messages");
}

/* ---- a recording ---- */

static habitat_trace *read_recording(const char *name) {
    char path[512];
    habitat_trace *trace = NULL;
    habitat_error err = {0};
    snprintf(path, sizeof path, "%s/data/recordings/two_gpus/%s", HABITAT_SOURCE_DIR, name);
    CHECK_INT(habitat_trace_read(path, &trace, &err), HABITAT_OK);
    return trace;
}

static void test_recording(void) {
    static const uint32_t counts[] = {1, 2, 4, 8, 9, 64, 1000};
    habitat_trace *trace = read_recording("resnet50_b16_fp32_h200.json.gz");
    habitat_gpu_table *table = NULL;
    const habitat_gpu *h200 = NULL;
    habitat_error err = {0};
    double rate = 0.0, before = 0.0;
    CHECK_INT(habitat_gpu_table_create(NULL, &table, &err), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "H200-SXM5-141GB", &h200, NULL, &err), HABITAT_OK);
    double recorded = habitat_trace_get_info(trace)->iteration_ms;
    CHECK(shared_ms(trace, h200, h200, 1, 0.0, &rate, &err) == recorded);
    check_case("one GPU is the recording");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double ms = shared_ms(trace, h200, h200, counts[i], 0.0, &rate, &err);
        CHECK(ms >= before);
        before = ms;
    }
    check_case("more GPUs never shorten an iteration");
    habitat_gpu other = *h200;
    before = INFINITY;
    for (double share = 0.01; share < 4.0; share *= 2.0) {
        other.nvlink_bytes_per_s = share * h200->nvlink_bytes_per_s;
        double ms = shared_ms(trace, h200, &other, 8, 0.0, &rate, &err);
        CHECK(ms <= before);
        before = ms;
    }
    check_case("a faster link is never slower");
    habitat_trace_free(trace);
    trace = read_recording("resnet50_b64_tf32.rank0.json.gz");
    CHECK(isnan(shared_ms(trace, h200, h200, 2, 0.0, &rate, &err)));
    CHECK_TEXT(err.message, "the recording is of several GPUs already: it holds collectives; "
                            "record the step on one GPU");
    habitat_trace_free(trace);
    habitat_gpu_table_free(table);
    check_case("a recording of several GPUs is not shared again");
}

int main(void) {
    gpu = made_gpu("made", 100, 2.2, 2000, 50);
    gpu.nvlink_bytes_per_s = 200e9;
    test_buckets();
    test_messages();
    test_step();
    test_scaler();
    test_cpu();
    test_recording();
    return check_done();
}
