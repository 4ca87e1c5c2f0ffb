/* Replay, on recordings of every kind: the origin's own times give the recorded iteration; faster
 * kernels never lengthen it; it is no shorter than any stream's kernels and than the CPU's side;
 * its graph grows with the events and no faster. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/habitat.h>

#include "check.h"
#include "recorded.h"

static const char *const recordings[] = {
    "bert_b8_amp_fp16_h200",        "dcgan_b64_amp_fp16_h100",       "gnmt_b16_fp32_h200",
    "inception_v3_b16_fp32_h200",   "resnet50_b64_fp32_h100",        "transformer_b32_fp32_h100",
    "vgg16_training_b12_fp32_h200", "vgg16_inference_b12_tf32_h200", "llama_b2_tf32_h200"};

typedef struct subject {
    recorded of;
    habitat_replay *r;
    const habitat_workload_kernel *kernels;
    size_t count;
    double *ns;
} subject;

static subject subject_of(const habitat_gpu_table *table, const char *name) {
    subject s = {.of = recorded_open(table, name)};
    habitat_error err = {0};
    CHECK_INT(habitat_replay_create(s.of.w, NULL, &s.r, &err), HABITAT_OK);
    s.kernels = habitat_workload_kernels(s.of.w, &s.count);
    s.ns = malloc(s.count * sizeof *s.ns);
    for (size_t i = 0; i < s.count; i++)
        s.ns[i] = (double)s.kernels[i].kernel->duration_ns;
    return s;
}

static void done(subject *s) {
    free(s->ns);
    habitat_replay_free(s->r);
    recorded_close(&s->of);
}

static double run(const subject *s) {
    habitat_replay_result result = {0};
    habitat_error err = {0};
    CHECK_INT(habitat_replay_run(s->r, s->ns, &result, &err), HABITAT_OK);
    return result.iteration_ms;
}

static double longest_stream_ms(const subject *s) {
    double most = 0.0;
    for (size_t i = 0; i < s->count; i++) {
        double sum = 0.0;
        for (size_t j = i; j < s->count; j++)
            if (s->kernels[j].kernel->form->stream == s->kernels[i].kernel->form->stream)
                sum += s->ns[j];
        most = fmax(most, sum);
        if (i > 16) /* streams begin early */
            break;
    }
    return most / 1e6 * habitat_replay_get_info(s->r)->kernel_scale;
}

/* 0 <= x < 1, the same every time. */
static double draw(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* The GPU is busy for no longer than the iteration lasts, and idle for the rest, on any GPU. */
static void test_busy(const habitat_gpu_table *table, const char *name) {
    static const char *const gpus[] = {"K40", "T4", "V100-SXM2-16GB", "H100-SXM5-80GB",
                                       "H200-SXM5-141GB"};
    subject s = subject_of(table, name);
    habitat_error err = {0};
    for (size_t g = 0; g < sizeof gpus / sizeof *gpus; g++) {
        const habitat_gpu *gpu = NULL;
        habitat_prediction *p = NULL;
        CHECK_INT(habitat_gpu_find(table, gpus[g], &gpu, NULL, &err), HABITAT_OK);
        CHECK_INT(habitat_predict(s.of.w, gpu, HABITAT_METHOD_AUTO, &p, &err), HABITAT_OK);
        CHECK_INT(habitat_replay_apply(s.r, p, &err), HABITAT_OK);
        CHECK(p->busy_ms > 0.0 && p->busy_ms <= p->iteration_ms * (1.0 + 1e-9));
        CHECK(p->idle_ms >= 0.0);
        CHECK_NEAR(p->idle_ms, p->iteration_ms - p->busy_ms, 1e-9);
        for (size_t i = 0; i < s.count; i++)
            s.ns[i] = p->trace_kernels[i].ms * 1e6;
        if (p->iteration_ms != habitat_workload_get_info(s.of.w)->iteration_ms)
            CHECK(p->busy_ms >= longest_stream_ms(&s) * (1.0 - 1e-9));
        habitat_prediction_free(p);
    }
    done(&s);
}

static void test_recording(const habitat_gpu_table *table, const char *name) {
    subject s = subject_of(table, name);
    const habitat_replay_info *info = habitat_replay_get_info(s.r);
    size_t operations = 0, calls = 0;
    uint64_t state = 7;
    double own_ms = habitat_workload_get_info(s.of.w)->iteration_ms, before = run(&s);
    CHECK_NEAR(before, own_ms, 1e-6);
    habitat_trace_operations(s.of.trace, &operations);
    habitat_trace_calls(s.of.trace, &calls);
    CHECK(info->trace_node_count <= 2 * (operations + calls) + s.count + 2);
    CHECK(info->trace_edge_count <= 4 * info->trace_node_count);
    for (int round = 0; round < 8; round++) {
        for (size_t i = 0; i < s.count; i++)
            s.ns[i] *= draw(&state) < 0.3 ? draw(&state) : 1.0;
        double after = run(&s);
        CHECK(after <= before * (1.0 + 1e-12));
        CHECK(after >= longest_stream_ms(&s) * (1.0 - 1e-9));
        CHECK(after >= info->cpu_ms * (1.0 - 1e-9));
        before = after;
    }
    done(&s);
    check_case(name);
}

int main(void) {
    habitat_gpu_table *table = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_table_create(NULL, &table, &err), HABITAT_OK);
    for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++)
        test_recording(table, recordings[i]);
    for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++)
        test_busy(table, recordings[i]);
    check_case("busy and idle make the iteration, on every GPU");
    habitat_gpu_table_free(table);
    return check_done();
}
