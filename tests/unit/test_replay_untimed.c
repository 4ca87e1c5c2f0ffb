/* Several GPUs from a recording without one: the step of test_sharded.c as operations with shapes,
 * worked by hand (times in microseconds). */
#include <stdlib.h>
#include <string.h>

#include <habitat/replay.h>

#include "check.h"
#include "made_gpu.h"
#include "made_trace.h"
#include "predict/untimed.h"
#include "replay/parallel.h"
#include "replay/sharded.h"
#include "workload/collective.h"
#include "workload/recorded_shapes.h"

enum { OPERATIONS = 8 };
/* Six operations that autograd follows or asks for, two others and nine gradients:
 * constants_recordings.h. */
static const double cpu_us = 6 * 33.0 + 2 * 20.0 + 9 * 60.0;
static habitat_gpu gpu;

static void event(made_text *text, int at, int long_us, const char *name, const char *args) {
    made_write(text,
               "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": 1, \"tid\": 1, "
               "\"ts\": %d, \"dur\": %d, \"args\": {%s}},\n",
               name, at, long_us, args);
}

/* 1e12 multiplications and additions: 25 ms at 40 TFLOP/s. */
static void product(made_text *text, int at, const char *more) {
    char args[256];
    snprintf(args, sizeof args,
             "\"Input type\": [\"float\", \"float\"], \"Concrete Inputs\": [\"\", \"\"], \"Input "
             "Dims\": [[5000, 10000], [10000, 10000]]%s",
             more);
    event(text, at, 1, "aten::mm", args);
}

static void backward(made_text *text, int at, int sequence, int gradients) {
    char args[64];
    snprintf(args, sizeof args, "\"Sequence number\": %d, \"Fwd thread id\": 1", sequence);
    event(text, at, 5, "autograd::engine::evaluate_function: MmBackward0", args);
    product(text, at + 2, "");
    for (int k = 0; k < gradients; k++)
        event(text, at + 6 + k, 1,
              "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", "");
}

/* A product, two layers, and back; two products in the step of the optimiser's place. */
static const char *noted = ""; /* in the habitat object */
static const char *waits = ""; /* calls of CUDA, events of the trace */

static habitat_trace *step_of(bool with_gradients) {
    made_text text = {0};
    made_write(&text,
               "{\"habitat\": {\"schema\": 1, \"batch_size\": 8, \"recorded_without_gpu\": "
               "true, %s \"peak_memory_bytes\": 30000000, \"memory\": {\"parameters_bytes\": "
               "4016000, \"parameter_sizes\": {\"float32\": [500000, 250000, 1000, 300, "
               "700, 250000, 1000, 300, 700]}}}, \"traceEvents\": [\n",
               noted);
    for (int i = 0; i < 3; i++) {
        char number[64];
        snprintf(number, sizeof number, ", \"Sequence number\": %d, \"Fwd thread id\": 0", i + 1);
        product(&text, 10 + 20 * i, number);
    }
    for (int i = 0; i < 3; i++)
        backward(&text, 70 + 20 * i, 3 - i, !with_gradients ? 0 : i == 2 ? 1 : 4);
    for (int i = 0; i < 2; i++)
        event(&text, 140 + 4 * i, 1, "aten::add_",
              "\"Input type\": [\"float\", \"float\", \"Scalar\"], \"Concrete Inputs\": [\"\", "
              "\"\", \"1\"], \"Input Dims\": [[4000000000], [4000000000], []]");
    made_write(&text, "%s", waits);
    made_write(&text, "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#1\", "
                      "\"pid\": 1, \"tid\": 1, \"ts\": 0, \"dur\": 200}]}\n");
    return made_trace_without_gpu(&text);
}

typedef habitat_status (*apply)(const habitat_replay *, uint32_t, habitat_prediction *,
                                habitat_error *);

/* Of `count` GPUs; iteration_ms is NaN where it is refused, and `err` says why. products_us,
 * adds_us: receive what each of the kernels takes. */
static habitat_prediction on(apply how, uint32_t count, bool with_gradients, double *product_us,
                             double *add_us, habitat_error *err) {
    habitat_trace *trace = step_of(with_gradients);
    habitat_workload *w = NULL;
    habitat_replay *r = NULL;
    habitat_prediction *p = NULL, out = {.iteration_ms = NAN};
    CHECK_INT(workload_from_shapes_of(trace, &w, err), HABITAT_OK);
    CHECK_INT(habitat_replay_create(w, NULL, &r, err), HABITAT_OK);
    CHECK_INT(habitat_predict(w, &gpu, HABITAT_METHOD_ROOFLINE, &p, err), HABITAT_OK);
    CHECK_INT(p->trace_kernel_count, OPERATIONS);
    *product_us = p->trace_kernels[0].ms * 1e3;
    *add_us = p->trace_kernels[OPERATIONS - 1].ms * 1e3;
    if (how(r, count, p, err) == HABITAT_OK) {
        out = *p;
        CHECK(p->low_ms <= p->iteration_ms && p->iteration_ms <= p->high_ms);
        CHECK(p->assembled == HABITAT_ASSEMBLE_REPLAY);
    }
    habitat_prediction_free(p);
    habitat_replay_free(r);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    return out;
}

/* The graph of one GPU with all of its kernels as long as that. */
static double run_us(double kernel_us) {
    habitat_trace *trace = step_of(true);
    habitat_workload *w = NULL;
    habitat_replay *r = NULL;
    habitat_replay_result result = {.iteration_ms = NAN};
    habitat_error err = {0};
    double ns[OPERATIONS];
    for (size_t i = 0; i < OPERATIONS; i++)
        ns[i] = kernel_us * 1e3;
    CHECK_INT(workload_from_shapes_of(trace, &w, &err), HABITAT_OK);
    CHECK_INT(habitat_replay_create(w, NULL, &r, &err), HABITAT_OK);
    CHECK_INT(habitat_replay_run(r, NULL, &result, &err), HABITAT_E_ARG);
    CHECK_INT(habitat_replay_run(r, ns, &result, &err), HABITAT_OK);
    CHECK(result.bound_by == (OPERATIONS * kernel_us > cpu_us ? HABITAT_BY_GPU : HABITAT_BY_CPU));
    habitat_replay_free(r);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    return result.iteration_ms * 1e3;
}

static double message_us(habitat_collective kind, double bytes) {
    return collective_time_ns(&gpu, kind, bytes, 2) / 1e3;
}

/* Read and written once at 1.6 TB/s, and a kernel's own 1 us. */
static double copied_us(double bytes) {
    return 2.0 * bytes / 1.6e6 + 1.0;
}

static double one_us(double product_us, double add_us) {
    return 6.0 * product_us + 2.0 * add_us;
}

static void test_one(void) {
    double product_us, add_us;
    habitat_error err = {0};
    habitat_prediction one = on(habitat_replay_apply_parallel, 1, true, &product_us, &add_us, &err);
    CHECK(product_us > 1e4 && add_us > 1e4);
    CHECK_NEAR(one.iteration_ms * 1e3, one_us(product_us, add_us), 1e-6);
    CHECK_NEAR(one.cpu_ms * 1e3, cpu_us, 1e-9);
    CHECK_NEAR(run_us(10.0), cpu_us, 1e-9);
    CHECK_NEAR(run_us(200.0), OPERATIONS * 200.0, 1e-9);
    check_case("one GPU takes the longer of its kernels and the CPU, the graph as the rule");
    CHECK_NEAR(on(habitat_replay_apply_parallel, 1, false, &product_us, &add_us, &err).iteration_ms,
               one.iteration_ms, 1e-12);
    on(habitat_replay_apply_parallel, 2, false, &product_us, &add_us, &err);
    CHECK_INT(err.code, HABITAT_E_UNSUPPORTED);
    CHECK(strstr(err.message, "an older Habitat") != NULL);
    check_case("without gradients there is nothing to share");
}

/* The script reads a value behind its forward pass. Kernels of 200: the CPU goes on when the third
 * ends, and the fourth is launched an operation (33) later; it begins the other two of the backward
 * pass 153 and 306 later (half of a gradient is behind its product, half before the product that
 * reads its parameter), so all kernels follow each other, into the next iteration. Kernels of 10:
 * the third is launched when the CPU is at the end of its operation, and the CPU waits for
 * these 10.
 */
static void test_waits(void) {
    double product_us, add_us;
    habitat_error err = {0};
    waits = "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaStreamSynchronize\", "
            "\"pid\": 1, \"tid\": 1, \"ts\": 60, \"dur\": 1, \"args\": {}},\n";
    CHECK_NEAR(run_us(200.0), 33.0 + OPERATIONS * 200.0, 1e-9);
    CHECK_NEAR(run_us(10.0), cpu_us + 10.0, 1e-9);
    habitat_prediction one = on(habitat_replay_apply_parallel, 1, true, &product_us, &add_us, &err);
    CHECK_NEAR(one.iteration_ms * 1e3, one_us(product_us, add_us) + 33.0, 1e-6);
    CHECK_NEAR(one.idle_ms * 1e3, 33.0, 1e-6);
    CHECK_NEAR(one.samples_per_s, 8.0 / one.iteration_ms * 1e3, 1e-6);
    CHECK_NEAR(one.path_cpu_ms + one.path_kernel_ms, one.iteration_ms, 1e-9);
    CHECK(one.bound_by == HABITAT_BY_GPU);
    check_case("the CPU waits for the GPU where the script does");
    waits = "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaStreamSynchronize\", "
            "\"pid\": 1, \"tid\": 1, \"ts\": 205, \"dur\": 1, \"args\": {}},\n";
    CHECK_NEAR(run_us(200.0), OPERATIONS * 200.0, 1e-9);
    check_case("a wait of another iteration is none of this one");
    waits = "";
}

/* As in test_sharded.c, but for pauses, of which no recording without a GPU knows. */
static void test_parts(void) {
    double product_us, add_us;
    habitat_error err = {0};
    habitat_prediction two = on(habitat_replay_apply_sharded, 2, true, &product_us, &add_us, &err);
    double around = 2e6, layer = 1.008e6;
    double gathered = message_us(HABITAT_COLLECTIVE_ALL_GATHER, layer);
    double gather = copied_us(layer / 2) + gathered, sum = gathered;
    double first = copied_us(around / 2) + message_us(HABITAT_COLLECTIVE_ALL_GATHER, around);
    double copies = 2 * copied_us(around) + 6 * copied_us(layer);
    double beside = 0.7 * (4 * gather + 2 * sum);
    double last = message_us(HABITAT_COLLECTIVE_REDUCE_SCATTER, around) + copied_us(around / 2);
    CHECK_NEAR(two.iteration_ms * 1e3,
               one_us(product_us, add_us) + first + copies + beside + last - add_us, 1e-6);
    CHECK_INT(two.layer_count, 2);
    CHECK_NEAR(two.cpu_ms * 1e3, cpu_us + (8 * 3 + 1 * 2) * 100 + 8 * 30 * 3.1, 1e-6);
    check_case("weights in parts, of an optimiser half");
}

/* Nine gradients from the last to the first: the 8th fills the first bucket (1 MiB), which is
 * copied back beside the sum of the second. */
static void test_gradients(void) {
    double product_us, add_us, buckets[2] = {0.0};
    habitat_error err = {0};
    habitat_prediction two = on(habitat_replay_apply_parallel, 2, true, &product_us, &add_us, &err);
    const double gradients[] = {2.8e3, 1.2e3, 4e3, 1e6, 2.8e3, 1.2e3, 4e3, 1e6, 2e6};
    double copies = 0.0, held = 0.0, messages = 0.0;
    size_t bucket = 0;
    for (size_t i = 0; i < 9; i++) {
        copies += copied_us(gradients[i]);
        held += gradients[i];
        buckets[bucket] = held;
        if (!bucket && held >= 1048576.0) {
            bucket = 1;
            held = 0.0;
        }
    }
    CHECK_INT(bucket, 1);
    for (size_t b = 0; b < 2; b++)
        messages += message_us(HABITAT_COLLECTIVE_ALL_REDUCE, buckets[b]);
    CHECK_NEAR(two.communication_ms * 1e3, messages, 1e-6);
    double more = two.iteration_ms * 1e3 - one_us(product_us, add_us);
    double returns = 8.0 * copied_us(buckets[0] / 8.0) + copied_us(buckets[1]);
    double beside = 0.7 * message_us(HABITAT_COLLECTIVE_ALL_REDUCE, buckets[0]);
    double exposed =
        message_us(HABITAT_COLLECTIVE_ALL_REDUCE, buckets[1]) - 8.0 * copied_us(buckets[0] / 8.0);
    CHECK_NEAR(more, copies + returns + beside + exposed, 1e-6);
    CHECK_NEAR(two.exposed_ms * 1e3, exposed + beside, 1e-6);
    check_case("gradients in buckets; the first is summed beside the rest of the backward pass");
}

static double memory_of(const char *notes) {
    double product_us, add_us;
    habitat_error err = {0};
    noted = notes;
    double bytes =
        on(habitat_replay_apply_sharded, 2, true, &product_us, &add_us, &err).memory_bytes;
    noted = "";
    return bytes;
}

/* Weights, Adam's two states and gradients that are there by half; what is whole at once comes on
 * top. Without moments a peak of twice all four is taken for one in the passes, before gradients.
 */
static void test_memory(void) {
    double all = 4.016e6, layer = 1.008e6, whole = 2e6 + 3 * layer;
    CHECK_NEAR(memory_of(""), 30e6 - 1.5 * all + whole, 1e-6);
    check_case("a peak without moments");
    /* beyond weights and states are all gradients, and something else */
    CHECK_NEAR(memory_of("\"peak_passes_moments_bytes\": [20000000, 10000000, 2, 3],"),
               0.5 * 4 * all + (20e6 - 4 * all) + 10e6 + whole, 1e-6);
    /* .. half of the gradients */
    CHECK_NEAR(memory_of("\"peak_passes_moments_bytes\": [14056000, 8000000],"),
               0.5 * 3.5 * all + 8e6 + whole, 1e-6);
    /* .. none */
    CHECK_NEAR(memory_of("\"peak_passes_moments_bytes\": [12000000, 8000000],"),
               0.5 * 3 * all + 8e6 + whole, 1e-6);
    CHECK_NEAR(memory_of("\"peak_passes_moments_bytes\": [12000000, 8000000], "
                         "\"peak_steps_moments_bytes\": [50000000, 1000000],"),
               0.5 * 50e6 + 1e6, 1e-6);
    check_case("moments of the passes, and of the optimiser's step, which works on parts");
}

int main(void) {
    gpu = made_gpu("made", 100, 2.2, 2000, 50);
    gpu.nvlink_bytes_per_s = 200e9;
    test_one();
    test_waits();
    test_parts();
    test_gradients();
    test_memory();
    return check_done();
}
