/* Methods habitat and mlp on recordings: whose number is whose, sums, and what no network covers.
 */
#include <stdlib.h>

#include <habitat/models.h>
#include <habitat/predict.h>

#include "ask_operation.h"
#include "check.h"
#include "gpu/gpu.h"
#include "recorded.h"

#define RECORDINGS HABITAT_SOURCE_DIR "/data/recordings/"

static habitat_gpu_table *table;

static const habitat_gpu *gpu_named(const char *name) {
    const habitat_gpu *gpu = NULL;
    CHECK_INT(habitat_gpu_find(table, name, &gpu, NULL, NULL), HABITAT_OK);
    return gpu;
}

typedef struct subject {
    recorded of;
    const habitat_workload_kernel *kernels;
    const habitat_workload_group *groups;
    const uint32_t *index;
    size_t kernel_count, group_count;
} subject;

static bool load(const char *path, subject *s) {
    size_t count;
    *s = (subject){.of = recorded_at(table, path)};
    CHECK(s->of.w != NULL);
    if (!s->of.w)
        return false;
    s->kernels = habitat_workload_kernels(s->of.w, &s->kernel_count);
    s->groups = habitat_workload_groups(s->of.w, &s->group_count);
    s->index = habitat_workload_group_index(s->of.w, &count);
    return true;
}

static void done(subject *s) {
    recorded_close(&s->of);
}

static habitat_prediction *predict(const subject *r, const char *gpu, habitat_method method) {
    habitat_prediction *p = NULL;
    CHECK_INT(habitat_predict(r->of.w, gpu_named(gpu), method, &p, NULL), HABITAT_OK);
    return p;
}

/* Whether the origin computed the group in TF32, which the networks do not know. */
static bool recorded_in_tf32(const subject *r, const habitat_workload_group *group) {
    const uint32_t *members = r->index + group->first_kernel;
    for (uint32_t i = 0; i < group->kernel_count; i++)
        if (r->kernels[members[i]].main && r->kernels[members[i]].facts.dtype == HABITAT_DTYPE_TF32)
            return true;
    return false;
}

/* T_o M_d / M_o; M_d where the networks have no M_o. */
static double expected_ms(const subject *r, const habitat_workload_group *group,
                          const habitat_gpu *dest, const habitat_models *models) {
    habitat_model_query query = {.work = group->work, .arithmetic = HABITAT_DTYPE_FP32};
    const habitat_gpu *both[] = {dest, habitat_workload_get_info(r->of.w)->origin};
    habitat_model_estimate answer[2];
    CHECK_INT(habitat_models_predict(models, HABITAT_MODEL_PAPER, 2, both, 1, &query, answer, NULL),
              HABITAT_OK);
    CHECK(answer[0].covered && answer[1].covered);
    return recorded_in_tf32(r, group) ? answer[0].ms
                                      : group->origin_ms * answer[0].ms / answer[1].ms;
}

/* Each kernel carries the network's number only in a group the networks cover, and then so do all
 * of the group: their sum is the measurement times the ratio of the network's answers for the two
 * GPUs, shared as on the origin. */
static void check_groups(const subject *r, const habitat_prediction *p,
                         const habitat_models *models) {
    size_t covered = 0;
    for (size_t g = 0; g < r->group_count; g++) {
        const habitat_workload_group *group = &r->groups[g];
        const uint32_t *members = r->index + group->first_kernel;
        size_t from_perceptron = 0;
        double sum = 0;
        for (uint32_t i = 0; i < group->kernel_count; i++) {
            const habitat_estimate *e = &p->trace_kernels[members[i]];
            from_perceptron += e->method == HABITAT_METHOD_MLP;
            sum += e->ms;
            CHECK(e->ms > 0 && e->low_ms <= e->ms && e->ms <= e->high_ms);
            CHECK(e->method != HABITAT_METHOD_MLP || group->work->varying);
        }
        CHECK(from_perceptron == 0 || from_perceptron == group->kernel_count);
        if (from_perceptron == 0)
            continue;
        CHECK_NEAR(sum, expected_ms(r, group, p->gpu, models), 1e-9);
        double origin = p->trace_kernels[members[0]].origin_ms;
        CHECK_NEAR(p->trace_kernels[members[0]].ms / sum, origin / group->origin_ms, 1e-9);
        covered++;
    }
    CHECK(covered > 0);
}

/* A single iteration's coverage: shares of methods sum to 1, and none but these made numbers. */
static void check_coverage(const habitat_prediction *p) {
    double sum = 0;
    for (int m = 0; m < HABITAT_METHOD_COUNT; m++) {
        sum += p->coverage[m];
        CHECK(p->coverage[m] == 0 || m == HABITAT_METHOD_MLP || m == HABITAT_METHOD_WAVE ||
              m == HABITAT_METHOD_WAVE_LARGE || m == HABITAT_METHOD_FALLBACK);
    }
    CHECK_NEAR(sum, 1, 1e-9);
}

static void recording(const char *name, double least_mlp, const habitat_models *models) {
    static const char *const gpus[] = {"V100-PCIE-32GB", "T4", "P100-PCIE-16GB", "RTX4090"};
    char path[512];
    subject r;
    snprintf(path, sizeof path, RECORDINGS "%s.json.gz", name);
    if (load(path, &r)) {
        for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
            habitat_prediction *p = predict(&r, gpus[i], HABITAT_METHOD_HABITAT);
            if (!p)
                continue;
            check_coverage(p);
            check_groups(&r, p, models);
            if (strcmp(gpus[i], "RTX4090") != 0) /* convolutions recorded in TF32 stay TF32 there */
                CHECK(p->coverage[HABITAT_METHOD_MLP] >= least_mlp);
            habitat_prediction *alone = predict(&r, gpus[i], HABITAT_METHOD_MLP);
            CHECK(alone && alone->coverage[HABITAT_METHOD_WAVE] == 0);
            for (size_t k = 0; alone && k < r.kernel_count; k++)
                if (p->trace_kernels[k].method == HABITAT_METHOD_MLP)
                    CHECK(alone->trace_kernels[k].ms == p->trace_kernels[k].ms);
            habitat_prediction_free(alone);
            habitat_prediction_free(p);
        }
        const habitat_workload_info *info = habitat_workload_get_info(r.of.w);
        habitat_prediction *back = predict(&r, info->origin->name, HABITAT_METHOD_HABITAT);
        CHECK(back && back->kernel_ms == info->kernel_ms && back->iteration_ms == info->busy_ms);
        CHECK(back && back->coverage[HABITAT_METHOD_SAME] == 1);
        habitat_prediction_free(back);
    }
    done(&r);
    check_case(name);
}

/* A card that differs from the origin in its clock alone is the same one to the networks: what they
 * cover takes as long as it was measured, whatever they say. */
static void equal_facts(void) {
    subject r;
    if (load(RECORDINGS "bert_large_inference_s512_b8_fp32_h200.json.gz", &r)) {
        habitat_gpu twin = *habitat_workload_get_info(r.of.w)->origin;
        twin.boost_clock_hz *= 0.5;
        habitat_prediction *p = NULL;
        CHECK_INT(habitat_predict(r.of.w, &twin, HABITAT_METHOD_MLP, &p, NULL), HABITAT_OK);
        size_t covered = 0;
        for (size_t k = 0; p && k < r.kernel_count; k++)
            if (p->trace_kernels[k].method == HABITAT_METHOD_MLP) {
                CHECK_NEAR(p->trace_kernels[k].ms, p->trace_kernels[k].origin_ms, 1e-12);
                covered++;
            }
        CHECK(covered > 100);
        habitat_prediction_free(p);
    }
    done(&r);
    check_case("a GPU of equal facts gets the measurement back");
}

/* The networks were trained in fp32: nothing of a bf16 iteration may bear their name. */
static void other_arithmetic(void) {
    subject r;
    if (load(RECORDINGS "gpt2_b4_bf16_h200.json.gz", &r)) {
        habitat_prediction *p = predict(&r, "A100-SXM4-80GB", HABITAT_METHOD_HABITAT);
        for (size_t k = 0; p && k < r.kernel_count; k++)
            if (r.groups[r.kernels[k].group].work->dtype == HABITAT_DTYPE_BF16)
                CHECK(p->trace_kernels[k].method != HABITAT_METHOD_MLP);
        CHECK(p && p->coverage[HABITAT_METHOD_FALLBACK] > 0.3);
        habitat_prediction_free(p);
    }
    done(&r);
    check_case("bf16 products go through the fallback");
}

static void other_libraries(void) {
    subject r;
    if (load(RECORDINGS "resnet50_b4_fp32_h200.json.gz", &r)) {
        habitat_prediction *p = predict(&r, "MI300X", HABITAT_METHOD_HABITAT);
        CHECK(p && p->coverage[HABITAT_METHOD_MLP] == 0);
        habitat_prediction_free(p);
    }
    done(&r);
    check_case("a GPU of another vendor is not what the networks were trained on");
}

/* ---- single operations ---- */

static void one_operation(void) {
    habitat_gemm_shape product = {.b = 1, .m = 4096, .n = 4096, .k = 1024, .bias = true};
    habitat_conv_shape conv = {.dims = 2,
                               .batch = 32,
                               .c_in = 64,
                               .c_out = 64,
                               .groups = 1,
                               .in = {56, 56},
                               .out = {56, 56},
                               .kernel = {3, 3},
                               .stride = {1, 1},
                               .padding = {1, 1},
                               .dilation = {1, 1}};
    habitat_work work;
    habitat_estimate e, parts[2], both;
    habitat_error err = {0};
    CHECK_INT(habitat_work_gemm(&product, HABITAT_DTYPE_FP32, &work), HABITAT_OK);
    CHECK_INT(ask_operation(&work, gpu_named("V100-PCIE-32GB"), HABITAT_METHOD_MLP, &e, NULL),
              HABITAT_OK);
    CHECK(e.method == HABITAT_METHOD_MLP && e.low_ms <= e.ms && e.ms <= e.high_ms);
    /* 34.4 GFLOP; 14.1 Tflop/s is the peak, a fifth of it would be absurd */
    CHECK(e.ms > 34.36 / 14.2 && e.ms < 5 * 34.36 / 14.1);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(habitat_work_conv(&conv, HABITAT_DTYPE_FP32,
                                    i ? HABITAT_PASS_BACKWARD_WEIGHT : HABITAT_PASS_BACKWARD_INPUT,
                                    &work),
                  HABITAT_OK);
        CHECK_INT(
            ask_operation(&work, gpu_named("V100-PCIE-32GB"), HABITAT_METHOD_MLP, &parts[i], NULL),
            HABITAT_OK);
    }
    CHECK_INT(habitat_work_conv(&conv, HABITAT_DTYPE_FP32, HABITAT_PASS_BACKWARD, &work),
              HABITAT_OK);
    CHECK_INT(ask_operation(&work, gpu_named("V100-PCIE-32GB"), HABITAT_METHOD_MLP, &both, NULL),
              HABITAT_OK);
    CHECK_NEAR(both.ms, parts[0].ms + parts[1].ms, 1e-9);
    /* strict fp32 is the networks' own format, TF32 is not */
    CHECK_INT(ask_operation(&work, gpu_named("H200-SXM5-141GB"), HABITAT_METHOD_MLP, &both, &err),
              HABITAT_OK);
    CHECK_INT(habitat_work_conv(&conv, HABITAT_DTYPE_TF32, HABITAT_PASS_BACKWARD, &work),
              HABITAT_OK);
    CHECK_INT(ask_operation(&work, gpu_named("H200-SXM5-141GB"), HABITAT_METHOD_MLP, &both, &err),
              HABITAT_E_UNSUPPORTED);
    CHECK(strstr(err.message, "tf32") != NULL);
    check_case("single operations; both gradients of a convolution are their sum");
}

int main(void) {
    habitat_models *models = NULL;
    habitat_error err = {0};
    if (habitat_gpu_table_create(NULL, &table, &err) != HABITAT_OK ||
        habitat_models_load_default(&models, &err) != HABITAT_OK) {
        printf("Bail out! %s\n", err.message);
        return 1;
    }
    recording("bert_large_inference_s512_b8_fp32_h200", 0.8, models);
    recording("bert_large_training_s512_b2_fp32_h200", 0.7, models);
    recording("resnet50_b4_fp32_h200", 0.5, models);
    recording("gnmt_b16_fp32_h200", 0.3, models);
    recording("dcgan_b64_fp32_h200", 0.3, models);
    equal_facts();
    other_arithmetic();
    other_libraries();
    one_operation();
    habitat_models_free(models);
    habitat_gpu_table_free(table);
    return check_done();
}
