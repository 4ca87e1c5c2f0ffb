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
            if (s->kernels[j].kernel->stream == s->kernels[i].kernel->stream)
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
    habitat_gpu_table_free(table);
    return check_done();
}
