/* Weights in parts: which parameters make a layer; a step worked by hand (times in microseconds, as
 * in test_parallel.c); recorded steps. */
#include <stdlib.h>
#include <string.h>

#include <habitat/replay.h>

#include "check.h"
#include "made_gpu.h"
#include "made_trace.h"
#include "replay/parallel.h"
#include "replay/sharded.h"
#include "replay/stack.h"
#include "workload/collective.h"

static habitat_gpu gpu;

/* The layers as digits. */
static void layers_of(size_t count, const uint64_t *sizes, uint32_t want, const char *digits) {
    uint32_t layer[64];
    char text[65] = "";
    CHECK_INT(replay_mark_layers(count, sizes, layer), want);
    for (size_t i = 0; i < count; i++)
        text[i] = (char)('0' + layer[i]);
    CHECK_TEXT(text, digits);
}

static void test_marks(void) {
    layers_of(13, (uint64_t[]){50, 10, 2, 7, 1, 10, 2, 7, 1, 10, 2, 7, 1}, 3, "0111122223333");
    layers_of(9, (uint64_t[]){50, 10, 2, 7, 1, 10, 2, 7, 2}, 0, "000000000");
    check_case("layers are what repeats, one set of sizes right behind the other");
    layers_of(20, (uint64_t[]){8, 3, 4, 3, 8, 3, 4, 3, 5, 9, 4, 9, 4, 1, 9, 4, 9, 4, 1, 5}, 4,
              "11112222033333444440");
    check_case("there may be several stacks of them");
    layers_of(8, (uint64_t[]){6, 6, 6, 6, 6, 6, 6, 6}, 2, "11112222");
    layers_of(6, (uint64_t[]){6, 3, 6, 3, 6, 3}, 0, "000000");
    layers_of(1, (uint64_t[]){6}, 0, "0");
    layers_of(0, (uint64_t[]){6}, 0, "");
    check_case("no layer has fewer than four parameters");
    layers_of(17, (uint64_t[]){1 << 30, 7, 7, 7, 7, 7, 7, 7, 7, 1 << 20, 9, 8, 9, 1 << 20, 9, 8, 9},
              2, "00000000011112222");
    check_case("nor does it hold next to nothing");
}

/* ---- a step: a table, two layers, and back; the optimiser ---- */

enum { KERNELS = 7, KERNEL_US = 10000, CPU_US = 20 * KERNELS };

static void operation(made_text *text, int at, const char *name, int sequence, int forward) {
    made_write(text,
               "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": 1, \"tid\": 1, "
               "\"ts\": %d, \"dur\": 12, \"args\": {\"Sequence number\": %d, \"Fwd thread id\": "
               "%d}},\n",
               name, 1000 + at, sequence, forward);
}

static double parameters_bytes; /* noted, of all weights; 0: those with gradients are all */
static int swapped = KERNELS;   /* this kernel and the next run the other way round */

static void kernel(made_text *text, int i) {
    int at = i == swapped ? i + 1 : i == swapped + 1 ? i - 1 : i;
    made_write(text,
               "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", "
               "\"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 5, \"args\": {\"correlation\": "
               "%d}},\n{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k%d\", \"pid\": 0, "
               "\"tid\": 7, \"ts\": %d, \"dur\": %d, \"args\": {\"correlation\": %d, "
               "\"device\": 0, \"stream\": 7, \"grid\": [400, 1, 1], \"block\": [256, 1, "
               "1]}},\n",
               1000 + 20 * i, i + 1, i, 1010 + (KERNEL_US + 1) * at, KERNEL_US, i + 1);
}

static void gradient(made_text *text, int at) {
    made_write(text,
               "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"autograd::engine::evaluate_"
               "function: torch::autograd::AccumulateGrad\", \"pid\": 1, \"tid\": 1, \"ts\": %d, "
               "\"dur\": 1, \"args\": {}},\n",
               1000 + at);
}

/* optimiser: its operation, or "". */
static habitat_trace *step_with(const char *sizes, const char *optimiser) {
    const char *const names[] = {"aten::embedding",
                                 "aten::linear",
                                 "aten::linear",
                                 "autograd::engine::evaluate_function: LinearBackward0",
                                 "autograd::engine::evaluate_function: LinearBackward0",
                                 "autograd::engine::evaluate_function: EmbeddingBackward0",
                                 optimiser};
    made_text text = {0};
    habitat_trace *trace = NULL;
    habitat_error err = {0};
    made_write(&text,
               "{\"habitat\": {\"schema\": 1, \"batch_size\": 8, \"peak_memory_bytes\": 30000000, "
               "\"memory\": {\"parameters_bytes\": %.0f, \"parameter_sizes\": {%s}}}, "
               "\"deviceProperties\": [{\"id\": 0, \"name\": \"made\"}], \"traceEvents\": [\n",
               parameters_bytes, sizes);
    for (int i = 0; i < KERNELS; i++) {
        bool back = i >= 3;
        if (*names[i])
            operation(&text, 20 * i - 2, names[i], i == 6 ? 0 : back ? 6 - i : i + 1, back ? 1 : 0);
        kernel(&text, i);
        for (int k = 0; back && i < 6 && k < (i == 5 ? 1 : 4); k++)
            gradient(&text, 20 * i + 10 + 2 * k);
    }
    made_write(&text,
               "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#1\", "
               "\"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": %d}]}\n",
               990, CPU_US + 10);
    CHECK_INT(habitat_trace_read_memory(text.data, text.used, "made", &trace, &err), HABITAT_OK);
    free(text.data);
    return trace;
}

static habitat_trace *step_of(const char *sizes) {
    return step_with(sizes, "");
}

/* Whoever waits comes behind all that it waits for. */
static void check_order(const habitat_replay *r, const habitat_gpu *to, uint32_t count) {
    replay_parallel made = {0};
    replay_parted told = {0};
    habitat_error err = {0};
    double *ns = malloc((r->graph.kernel_count + 1) * sizeof *ns);
    size_t backward = 0;
    for (size_t i = 0; i < r->graph.kernel_count; i++)
        ns[i] = 1e3;
    CHECK_INT(replay_part(r, ns, to, count, &made, &told, &err), HABITAT_OK);
    for (uint32_t i = 0; i < made.graph.node_count; i++)
        for (uint32_t e = made.graph.nodes[i].first_edge; e < made.graph.nodes[i + 1].first_edge;
             e++) {
            uint32_t from = made.graph.edges[e].from, state = from ^ REPLAY_CARRY;
            backward += from & REPLAY_CARRY ? state >= made.graph.state_count : from >= i;
        }
    CHECK_INT(backward, 0);
    replay_parallel_free(&made);
    free(ns);
}

/* iteration_ms is NaN where it is refused; `err` says why. */
static habitat_prediction sharded(const habitat_trace *trace, const habitat_gpu *origin,
                                  const habitat_gpu *to, uint32_t count, double cpu_ms,
                                  habitat_error *err) {
    habitat_workload *w = NULL;
    habitat_replay *r = NULL;
    habitat_prediction *p = NULL, out = {.iteration_ms = NAN};
    habitat_replay_options options = {.cpu_ms = cpu_ms};
    CHECK_INT(habitat_workload_create(trace, origin, &w, err), HABITAT_OK);
    CHECK_INT(habitat_replay_create(w, &options, &r, err), HABITAT_OK);
    CHECK_INT(habitat_predict(w, to, HABITAT_METHOD_BANDWIDTH, &p, err), HABITAT_OK);
    if (habitat_replay_apply_sharded(r, count, p, err) == HABITAT_OK) {
        out = *p;
        if (count > 1)
            check_order(r, to, count);
        CHECK_INT(p->gpu_count, count);
        CHECK(p->sharded == (count > 1));
        CHECK(p->low_ms <= p->iteration_ms && p->iteration_ms <= p->high_ms);
        CHECK(p->exposed_ms >= 0.0 && p->exposed_ms <= p->iteration_ms);
        CHECK(count == 1 ? p->communication_ms == 0.0 : p->communication_ms > 0.0);
        out.trace_kernels = NULL;
    } else {
        CHECK(p->assembled == HABITAT_ASSEMBLE_SUM && !p->sharded);
    }
    habitat_prediction_free(p);
    habitat_replay_free(r);
    habitat_workload_free(w);
    return out;
}

static double gathered_us(double bytes, uint32_t count) {
    return collective_time_ns(&gpu, HABITAT_COLLECTIVE_ALL_GATHER, bytes, count) / 1e3;
}

/* Read and written once at 1.6 TB/s, and a kernel's own 1 us. */
static double copied_us(double bytes) {
    return 2.0 * bytes / 1.6e6 + 1.0;
}

static void test_step(void) {
    habitat_trace *trace =
        step_of("\"float32\": [500000, 250000, 1000, 300, 700, 250000, 1000, 300, 700]");
    habitat_error err = {0};
    double one = sharded(trace, &gpu, &gpu, 1, 0.1, &err).iteration_ms * 1e3;
    CHECK_NEAR(one, KERNELS * (KERNEL_US + 1) + 0.1, 1e-9);
    /* What is around the layers is gathered before all, and summed behind all. A layer is gathered
     * beside what runs before it; its gradients are summed beside what runs behind it: these cost
     * 0.7 of their time. 1.1: the pause before each. Of the optimiser half is left. */
    double around = 2e6, layer = 1.008e6, pause = 1.1;
    double gather = copied_us(layer / 2) + gathered_us(layer, 2), sum = gathered_us(layer, 2);
    double first = pause + copied_us(around / 2) + gathered_us(around, 2);
    double copies = 2 * (pause + copied_us(around)) + 6 * (pause + copied_us(layer));
    double beside = 0.7 * (4 * gather + 2 * sum);
    double last = pause + gathered_us(around, 2) + pause + copied_us(around / 2);
    habitat_prediction two = sharded(trace, &gpu, &gpu, 2, 0.1, &err);
    CHECK_NEAR(two.iteration_ms * 1e3, one + first + copies + beside + last - KERNEL_US / 2, 1e-9);
    CHECK_NEAR(two.communication_ms * 1e3, 2 * gathered_us(around, 2) + 6 * gathered_us(layer, 2),
               1e-9);
    CHECK_INT(two.layer_count, 2);
    check_case("layers gathered and summed beside others, what is around them before and behind");
    /* weights and Adam's two states, half of which are left; gradients are not there yet at a peak
     * of almost twice all four. Whole at once: weights around the layers, three of a layer */
    double all = 4.016e6;
    CHECK_NEAR(two.memory_bytes, 30e6 - 0.5 * 3 * all + around + 3 * layer, 1e-6);
    CHECK(isnan(two.largest_batch));
    check_case("memory loses what the others keep");
    CHECK(isnan(sharded(trace, &gpu, &gpu, 0, 0.1, &err).iteration_ms));
    CHECK_INT(err.code, HABITAT_E_ARG);
    habitat_gpu none = gpu;
    none.nvlink_bytes_per_s = none.pcie_bytes_per_s = NAN;
    CHECK(isnan(sharded(trace, &gpu, &none, 2, 0.1, &err).iteration_ms));
    CHECK_INT(err.code, HABITAT_E_NO_SPEC);
    check_case("without a link there is no answer");
    habitat_trace_free(trace);
    trace = step_of("\"float32\": [500000, 250000, 1000, 300, 700, 200000, 1000, 300, 700]");
    two = sharded(trace, &gpu, &gpu, 2, 0.1, &err);
    all = 3.816e6;
    CHECK_INT(two.layer_count, 0);
    CHECK_NEAR(two.iteration_ms * 1e3,
               one + 4 * pause + copied_us(all / 2) + 2 * gathered_us(all, 2) + 2 * copied_us(all) +
                   pause + copied_us(all / 2) - KERNEL_US / 2,
               1e-9);
    habitat_trace_free(trace);
    check_case("without layers all is gathered before, and summed behind");
}

/* 1 MB more in each of the two layers that has no gradient is gathered and copied twice, the first
 * time beside what comes next, and never summed. */
static void test_frozen(void) {
    static const char sizes[] =
        "\"float32\": [500000, 250000, 1000, 300, 700, 250000, 1000, 300, 700]";
    double layer = 1.008e6, more = 1e6;
    habitat_error err = {0};
    habitat_trace *trace = step_with(sizes, "");
    habitat_prediction trained = sharded(trace, &gpu, &gpu, 2, 0.1, &err);
    habitat_trace_free(trace);
    parameters_bytes = 4.016e6 + 2 * more;
    trace = step_with(sizes, "");
    habitat_prediction frozen = sharded(trace, &gpu, &gpu, 2, 0.1, &err);
    habitat_trace_free(trace);
    parameters_bytes = 0.0;
    double message_us = gathered_us(layer + more, 2) - gathered_us(layer, 2);
    double part_us = copied_us((layer + more) / 2) - copied_us(layer / 2);
    double copy_us = copied_us(layer + more) - copied_us(layer);
    CHECK_NEAR((frozen.communication_ms - trained.communication_ms) * 1e3, 4 * message_us, 1e-9);
    CHECK_NEAR((frozen.iteration_ms - trained.iteration_ms) * 1e3,
               4 * copy_us + 0.7 * 4 * (message_us + part_us), 1e-9);
    check_case("weights without gradients are gathered, and nothing of them is summed");
}

/* As two threads may launch at once. */
static void test_swapped(void) {
    habitat_error err = {0};
    for (swapped = 0; swapped < KERNELS - 1; swapped++) {
        habitat_trace *trace =
            step_of("\"float32\": [500000, 250000, 1000, 300, 700, 250000, 1000, 300, 700]");
        CHECK(sharded(trace, &gpu, &gpu, 2, 0.1, &err).iteration_ms >= 6.5 * KERNEL_US / 1e3);
        habitat_trace_free(trace);
    }
    swapped = KERNELS;
    check_case("kernels may have run in another order than they were launched in");
}

static void test_optimiser(void) {
    static const char sizes[] =
        "\"float32\": [500000, 250000, 1000, 300, 700, 250000, 1000, 300, 700]";
    static const char *const whole[] = {"aten::mm", "aten::bmm", "aten::_linalg_eigh"};
    habitat_error err = {0};
    habitat_trace *trace = step_with(sizes, "aten::mul");
    double parted = sharded(trace, &gpu, &gpu, 2, 0.1, &err).iteration_ms * 1e3;
    habitat_trace_free(trace);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        trace = step_with(sizes, whole[i]);
        CHECK_NEAR(sharded(trace, &gpu, &gpu, 2, 0.1, &err).iteration_ms * 1e3,
                   parted + KERNEL_US / 2, 1e-9);
        habitat_trace_free(trace);
    }
    check_case("an optimiser's products and decompositions of matrices are of whole ones");
}

/* Three times 100 us a parameter, as each is gathered, gathered again and summed, but for the one
 * around the layers, which stays; 30 of the usual steps a message. */
static void test_cpu(void) {
    habitat_trace *trace =
        step_of("\"float32\": [500000, 250000, 1000, 300, 700, 250000, 1000, 300, 700]");
    habitat_error err = {0};
    double one = sharded(trace, &gpu, &gpu, 1, 80.0, &err).iteration_ms;
    CHECK_NEAR(one, 80.0, 1e-9);
    double usual_ms = 0.002; /* from one point of the thread to the next, the median */
    double two = sharded(trace, &gpu, &gpu, 2, 80.0, &err).cpu_ms;
    CHECK_NEAR(two, 80.0 + (8 * 3 + 1 * 2) * 0.100 + 8 * 30 * usual_ms, 1e-9);
    habitat_trace_free(trace);
    check_case("the CPU gathers and sums parameter by parameter");
}

/* ---- recordings ---- */

static void test_recordings(void) {
    static const struct {
        const char *file;
        uint32_t layers;
    } all[] = {{"bert_b8_tf32_h200", 24}, /* as TransformerEncoderLayers */
               {"gpt2_b4_bf16_h200", 12},
               {"resnet50_b16_fp32_h200", 12},           /* blocks of each stage but its first */
               {"training_ways/checkpoint_b4_h200", 12}, /* run again in the backward pass */
               {"full_size/gpt2_xl_b2_tf32_h100", 48},   /* its peak is the optimiser's step */
               {"full_size/swin_base_b32_amp_bf16_h100", 24},
               {"full_size/adapters_7b_b1_bf16_h100", 28}}; /* beside frozen weights */
    habitat_gpu_table *table = NULL;
    const habitat_gpu *h200 = NULL, *h100 = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_table_create(NULL, &table, &err), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "H200-SXM5-141GB", &h200, NULL, &err), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "H100-SXM5-80GB", &h100, NULL, &err), HABITAT_OK);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char path[512];
        habitat_trace *trace = NULL;
        double before = INFINITY;
        snprintf(path, sizeof path, "%s/data/recordings/%s.json.gz", HABITAT_SOURCE_DIR,
                 all[i].file);
        CHECK_INT(habitat_trace_read(path, &trace, &err), HABITAT_OK);
        const habitat_gpu *origin = strstr(all[i].file, "h100") ? h100 : h200;
        for (uint32_t n = 2; n <= 64; n *= 2) {
            habitat_prediction p = sharded(trace, origin, h200, n, 0.0, &err);
            CHECK(p.iteration_ms > 0.0);
            CHECK_INT(p.layer_count, all[i].layers);
            CHECK(p.memory_bytes > p.passes_bytes && p.memory_bytes < before);
            before = p.memory_bytes;
        }
        habitat_gpu other = *h200;
        before = INFINITY;
        for (double share = 0.01; share < 4.0; share *= 2.0) {
            other.nvlink_bytes_per_s = share * h200->nvlink_bytes_per_s;
            double ms = sharded(trace, origin, &other, 8, 0.0, &err).iteration_ms;
            CHECK(ms <= before * (1.0 + 1e-12));
            before = ms;
        }
        habitat_trace_free(trace);
    }
    habitat_gpu_table_free(table);
    check_case("recorded layers; each GPU keeps less of them, but the passes' tensors; a faster "
               "link is never slower");
}

int main(void) {
    gpu = made_gpu("made", 100, 2.2, 2000, 50);
    gpu.nvlink_bytes_per_s = 200e9;
    test_marks();
    test_step();
    test_optimiser();
    test_swapped();
    test_frozen();
    test_cpu();
    test_recordings();
    return check_done();
}
