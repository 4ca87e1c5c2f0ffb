/* What the peaks of a GPU allow, by hand and over the whole table of GPUs; TF32 as a permission;
 * intervals that are guesses. */
#include <math.h>

#include <habitat/habitat.h>

#include "base/constants_operators.h"
#include "check.h"
#include "gpu/gpu.h"
#include "models/learned.h"
#include "operator/operator.h"

/* 10 TFLOP/s, 1 GB/ms, a cache of 1 MB. */
static const habitat_gpu made = {.memory_bandwidth_bytes_per_s = 1e12, .l2_bytes = 1e6};

static habitat_work convolution(double batch, double channels, double side, double kernel,
                                double stride, double groups, habitat_dtype dtype,
                                habitat_pass pass) {
    double out = floor((side + 2 * floor(kernel / 2) - kernel) / stride) + 1;
    habitat_conv_shape shape = {.dims = 2,
                                .batch = batch,
                                .c_in = channels,
                                .c_out = channels,
                                .in = {side, side},
                                .out = {out, out},
                                .kernel = {kernel, kernel},
                                .stride = {stride, stride},
                                .dilation = {1, 1},
                                .groups = groups};
    habitat_work work;
    CHECK_INT(habitat_work_conv(&shape, dtype, pass, &work), HABITAT_OK);
    return work;
}

/* 2 x 16 x 28 x 28 x 256 x 256 x 9 = 14.797 Gflop: 1.4797 ms at 10 TFLOP/s. Winograd's tiles of 4 x
 * 4 take 36 products for 16 outputs of 9 each, a quarter: 0.3699 ms. Their transformed tensors, 36
 * numbers for each of 784 tiles and 512 channels and for 65536 pairs of channels, are 67.2 MB,
 * written and read: 134.5 MB, less 1 MB of cache, 0.1335 ms. Fused tiles of 2 x 2: 0.6577 ms. */
static void check_sums(void) {
    double flop = 2.0 * 16 * 28 * 28 * 256 * 256 * 9;
    habitat_work work = convolution(16, 256, 28, 3, 1, 1, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    CHECK_NEAR(work.flop, flop, 1e-9);
    CHECK_NEAR(operator_least_ms(&work, &made, HABITAT_DTYPE_TF32, 1e13), flop / 1e10, 1e-9);
    double moved = 8.0 * 36 * (784 * 512 + 65536) - 1e6;
    CHECK_NEAR(operator_least_ms(&work, &made, HABITAT_DTYPE_FP32, 1e13), flop / 4e10 + moved / 1e9,
               1e-9);
    habitat_gpu slow = made; /* its memory is too slow for tensors beside */
    slow.memory_bandwidth_bytes_per_s = 1e11;
    CHECK_NEAR(operator_least_ms(&work, &slow, HABITAT_DTYPE_FP32, 1e13), flop / 2.25e10, 1e-9);
    work = convolution(16, 256, 28, 3, 2, 1, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    CHECK_NEAR(operator_least_ms(&work, &made, HABITAT_DTYPE_FP32, 1e13), work.flop / 1e10, 1e-9);
    work = convolution(16, 256, 28, 1, 1, 1, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    CHECK_NEAR(operator_least_ms(&work, &made, HABITAT_DTYPE_FP32, 1e13), work.flop / 1e10, 1e-9);
    CHECK_NEAR(operator_least_ms(&work, &made, HABITAT_DTYPE_FP32, 0),
               operator_least_memory_ms(&work, &made), 0);
    check_case("sums at the peak of their unit; transformed tiles need fewer, and memory");
}

/* 1 x 1 with stride 2, a channel at a time: the weight gradient reads a quarter of the image
 * (4 x 64 x 64 x 40 x 40 / 4 = 6.5536 MB), the gradient of the output, as large, and little else.
 */
static void check_bytes(void) {
    habitat_work work =
        convolution(64, 64, 40, 1, 2, 64, HABITAT_DTYPE_FP32, HABITAT_PASS_BACKWARD_WEIGHT);
    double quarter = 4.0 * 64 * 64 * 40 * 40 / 4, weights = 4.0 * 64;
    CHECK_NEAR(operator_least_memory_ms(&work, &made), (2 * quarter + weights - 1e6) / 1e9, 1e-9);
    work = convolution(64, 64, 40, 1, 2, 64, HABITAT_DTYPE_FP32, HABITAT_PASS_BACKWARD_INPUT);
    CHECK_NEAR(operator_least_memory_ms(&work, &made), (5 * quarter + weights - 1e6) / 1e9, 1e-9);
    work = convolution(1, 8, 8, 3, 1, 1, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    CHECK_NEAR(operator_least_memory_ms(&work, &made), 0, 0); /* the cache holds all of it */
    check_case("pixels that a stride steps over are not read, but written");
}

static habitat_model_estimate ask(const habitat_models *models, const habitat_gpu *gpu,
                                  const habitat_work *work, habitat_dtype arithmetic) {
    habitat_model_query query = {.work = work, .arithmetic = arithmetic};
    habitat_model_estimate out;
    CHECK_INT(habitat_models_predict(models, HABITAT_MODEL_AUTO, 1, &gpu, 1, &query, &out, NULL),
              HABITAT_OK);
    return out;
}

static void check_table(const habitat_models *models, const habitat_gpu_table *gpus) {
    static const habitat_pass passes[] = {HABITAT_PASS_FORWARD, HABITAT_PASS_BACKWARD_INPUT,
                                          HABITAT_PASS_BACKWARD_WEIGHT, HABITAT_PASS_BACKWARD};
    static const habitat_dtype formats[] = {HABITAT_DTYPE_FP16, HABITAT_DTYPE_BF16,
                                            HABITAT_DTYPE_TF32};
    static const double kernels[] = {1, 3, 7};
    for (size_t i = 0; i < 4 * 3 * 3 * habitat_gpu_count(gpus); i++) {
        const habitat_gpu *gpu = habitat_gpu_at(gpus, i / 36);
        habitat_dtype format = formats[i % 3];
        habitat_dtype stored = format == HABITAT_DTYPE_TF32 ? HABITAT_DTYPE_FP32 : format;
        habitat_work work =
            convolution(32, 256, 14, kernels[i / 3 % 3], 1, 1, stored, passes[i / 9 % 4]);
        habitat_model_estimate answer = ask(models, gpu, &work, format);
        if (!answer.covered)
            continue;
        double rate = fmax(gpu->peak.matrix_flop_per_s[format],
                           chosen_unit_headroom * gpu->sustained.matrix_flop_per_s[format]);
        habitat_model_estimate strict = ask(models, gpu, &work, HABITAT_DTYPE_FP32);
        bool possible = answer.low_ms >= 1e3 * work.flop / rate * (1 - 1e-9);
        bool permitted = answer.ms <= strict.ms && answer.high_ms <= strict.high_ms;
        if (format != HABITAT_DTYPE_TF32)
            CHECK(possible);
        else if (work.pass == HABITAT_PASS_BACKWARD) /* one gradient may be in fp32 */
            CHECK(permitted);
        else
            CHECK(permitted && (possible || answer.low_ms == strict.low_ms));
    }
    check_case("on every GPU: no faster than the units can run, TF32 no slower than fp32");
}

/* A backward pass runs one gradient after the other, each in the arithmetic that is quicker for it.
 */
static void check_gradients(const habitat_models *models, const habitat_gpu_table *gpus) {
    static const habitat_dtype formats[] = {HABITAT_DTYPE_FP32, HABITAT_DTYPE_TF32,
                                            HABITAT_DTYPE_FP16, HABITAT_DTYPE_BF16};
    static const double channels[] = {3, 64, 128}, kernels[] = {7, 3, 1};
    for (size_t i = 0; i < 4 * 3 * habitat_gpu_count(gpus); i++) {
        const habitat_gpu *gpu = habitat_gpu_at(gpus, i / 12);
        habitat_dtype format = formats[i % 4];
        habitat_dtype stored = format == HABITAT_DTYPE_TF32 ? HABITAT_DTYPE_FP32 : format;
        habitat_model_estimate of[3];
        for (int k = 0; k < 3; k++) {
            static const habitat_pass passes[] = {
                HABITAT_PASS_BACKWARD_INPUT, HABITAT_PASS_BACKWARD_WEIGHT, HABITAT_PASS_BACKWARD};
            size_t shape = i / 4 % 3;
            habitat_work work =
                convolution(8, channels[shape], shape == 0 ? 256 : 28, kernels[shape],
                            shape == 0 ? 2 : 1, 1, stored, passes[k]);
            of[k] = ask(models, gpu, &work, format);
        }
        CHECK(of[0].covered == of[2].covered);
        if (!of[2].covered)
            continue;
        CHECK_NEAR(of[2].ms, of[0].ms + of[1].ms, 1e-12);
        CHECK_NEAR(of[2].low_ms, of[0].low_ms + of[1].low_ms, 1e-12);
        CHECK_NEAR(of[2].high_ms, of[0].high_ms + of[1].high_ms, 1e-12);
    }
    check_case("on every GPU: a backward pass is the sum of its gradients");
}

/* conv2d-matrix was trained on GPUs of two kinds, 7.0 and 9.0; conv2d on six GPUs; copies on one.
 */
static void check_guesses(const habitat_models *models, const habitat_gpu_table *gpus) {
    const habitat_gpu *a100, *h100, *h200;
    CHECK_INT(habitat_gpu_find(gpus, "A100-SXM4-40GB", &a100, NULL, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(gpus, "H100-SXM5-80GB", &h100, NULL, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(gpus, "H200-SXM5-141GB", &h200, NULL, NULL), HABITAT_OK);
    habitat_work half = convolution(32, 64, 14, 3, 1, 1, HABITAT_DTYPE_FP16, HABITAT_PASS_FORWARD);
    habitat_work both = convolution(32, 64, 14, 3, 1, 1, HABITAT_DTYPE_FP16, HABITAT_PASS_BACKWARD);
    habitat_work full = convolution(32, 64, 14, 3, 1, 1, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    CHECK(ask(models, a100, &half, HABITAT_DTYPE_FP16).guessed);
    CHECK(ask(models, a100, &both, HABITAT_DTYPE_FP16).guessed);
    CHECK(ask(models, a100, &full, HABITAT_DTYPE_TF32).guessed);
    CHECK(!ask(models, a100, &full, HABITAT_DTYPE_FP32).guessed);
    CHECK(!ask(models, h100, &half, HABITAT_DTYPE_FP16).guessed); /* of the H200's kind */
    CHECK(!ask(models, h200, &half, HABITAT_DTYPE_FP16).guessed);
    const operator_model *seen = learned_find(models, OPERATOR_CONV_MATRIX, HABITAT_MODEL_SEEN);
    CHECK_INT(learned_kinds(seen), 2);
    CHECK_INT(learned_kinds(learned_find(models, OPERATOR_BATCH_NORM, HABITAT_MODEL_SEEN)), 1);
    check_case("an interval that GPUs of two kinds stand behind is a guess on a third");
}

static double product_ms(const habitat_models *models, const habitat_gpu *gpu,
                         habitat_gemm_shape shape, habitat_dtype arithmetic) {
    habitat_work work;
    CHECK_INT(habitat_work_gemm(&shape, HABITAT_DTYPE_FP32, &work), HABITAT_OK);
    return ask(models, gpu, &work, arithmetic).ms;
}

/* 2 x 32 heads of queries, 4 of keys, 2048 long, 64 wide: two products forward, four backward. */
static void check_attention(const habitat_models *models, const habitat_gpu_table *gpus) {
    static const char *const names[] = {"H200-SXM5-141GB", "A100-SXM4-80GB", "T4"};
    for (size_t i = 0; i < 6; i++) {
        bool forward = i % 2 == 0;
        habitat_attention_shape shape = {2, 32, 4, 2048, 2048, 64, 64, true, false, false};
        habitat_gemm_shape scores = {.b = 64, .m = 2048, .n = 2048, .k = 64};
        habitat_gemm_shape sums = {.b = 64, .m = 2048, .n = 64, .k = 2048};
        const habitat_gpu *gpu = NULL;
        habitat_work work;
        CHECK_INT(habitat_gpu_find(gpus, names[i / 2], &gpu, NULL, NULL), HABITAT_OK);
        for (int fused = 0; fused < 2; fused++) {
            shape.kv_heads = fused ? 32 : 4;
            CHECK_INT(habitat_work_attention(&shape, HABITAT_DTYPE_FP32,
                                             forward ? HABITAT_PASS_FORWARD : HABITAT_PASS_BACKWARD,
                                             &work),
                      HABITAT_OK);
            double strict = ask(models, gpu, &work, HABITAT_DTYPE_FP32).ms;
            double permitted = ask(models, gpu, &work, HABITAT_DTYPE_TF32).ms, saved = 0;
            for (int p = 0; !fused && i < 4 && p < 2; p++) {
                double sign = p ? -1 : 1;
                habitat_dtype in = p ? HABITAT_DTYPE_TF32 : HABITAT_DTYPE_FP32;
                saved += sign * product_ms(models, gpu, scores, in);
                saved += sign * (forward ? 1 : 3) * product_ms(models, gpu, sums, in);
            }
            CHECK_NEAR(permitted, strict - saved, 1e-9);
        }
    }
    check_case("attention in separate kernels: its products alone follow the permission of TF32");
}

/* 128 products of 512 x 512 by 512 x 64: both operands in fp8, 1 byte a number, where rows of one
 * matrix make it of 16 bit first. No GPU takes longer than in bf16, and none much
 * less than half as long; fp8's own doubt, as a guess. */
static void check_batched_fp8(const habitat_models *models, const habitat_gpu_table *gpus) {
    static const habitat_gemm_shape shapes[] = {{.b = 128, .m = 512, .n = 64, .k = 512},
                                                {.b = 512, .m = 64, .n = 64, .k = 64},
                                                {.b = 8, .m = 2048, .n = 2048, .k = 128}};
    size_t judged = 0;
    for (size_t i = 0; i < 3 * habitat_gpu_count(gpus); i++) {
        const habitat_gpu *gpu = habitat_gpu_at(gpus, i / 3);
        habitat_work full, half;
        if (isnan(gpu->peak.matrix_flop_per_s[HABITAT_DTYPE_FP8]) || !gpu->compute_capability)
            continue;
        CHECK_INT(habitat_work_gemm(&shapes[i % 3], HABITAT_DTYPE_FP8, &full), HABITAT_OK);
        CHECK_INT(habitat_work_gemm(&shapes[i % 3], HABITAT_DTYPE_BF16, &half), HABITAT_OK);
        habitat_model_estimate a = ask(models, gpu, &full, HABITAT_DTYPE_FP8);
        habitat_model_estimate b = ask(models, gpu, &half, HABITAT_DTYPE_BF16);
        CHECK(a.covered && a.guessed && a.ms <= b.ms && a.ms >= 0.45 * b.ms);
        CHECK(a.low_ms < a.ms && a.ms < a.high_ms && a.high_ms / a.low_ms > 1.5);
        judged++;
    }
    CHECK(judged > 100);
    check_case("a batch of products in fp8 is no slower than in bf16, and a guess");
}

/* The stem of a ResNet in fp32: V100s of 16 and 32 GB were measured on other operations, none of
 * theirs with such a kernel but the SXM2 part, whose kind answers for both. */
static void check_twins(const habitat_models *models, const habitat_gpu_table *gpus) {
    const habitat_gpu *small, *large;
    CHECK_INT(habitat_gpu_find(gpus, "V100-PCIE-16GB", &small, NULL, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(gpus, "V100-PCIE-32GB", &large, NULL, NULL), HABITAT_OK);
    habitat_work work = convolution(32, 64, 112, 7, 2, 1, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    habitat_model_estimate a = ask(models, small, &work, HABITAT_DTYPE_FP32);
    habitat_model_estimate b = ask(models, large, &work, HABITAT_DTYPE_FP32);
    CHECK(fabs(log(a.ms / b.ms)) < log(1.05));
    check_case("parts of one chip are asked in one class");
}

static double correction(const habitat_models *models, const habitat_gpu_table *gpus,
                         const char *name, const habitat_work *work) {
    const habitat_gpu *gpu;
    operator_gpu facts;
    operator_view view;
    habitat_model_query query = {.work = work, .arithmetic = work->dtype};
    CHECK_INT(habitat_gpu_find(gpus, name, &gpu, NULL, NULL), HABITAT_OK);
    CHECK(operator_gpu_facts(gpu, OPERATOR_RNN, work->dtype, &facts));
    operator_look(&query, OPERATOR_RNN, &facts, &view);
    return ask(models, gpu, work, work->dtype).ms / view.base_ms;
}

/* An H20 has the H200's kernels, the V100's number of multiprocessors and a third of the rates. */
static void check_siblings(const habitat_models *models, const habitat_gpu_table *gpus) {
    habitat_rnn_shape shape = {.gates = 3,
                               .batch = 20,
                               .steps = 211,
                               .input = 1678,
                               .hidden = 553,
                               .layers = 1,
                               .bidirectional = false};
    habitat_work work;
    CHECK_INT(habitat_work_rnn(&shape, HABITAT_DTYPE_BF16, HABITAT_PASS_FORWARD, &work),
              HABITAT_OK);
    double h20 = correction(models, gpus, "H20-96GB", &work);
    double h200 = correction(models, gpus, "H200-SXM5-141GB", &work);
    CHECK(fabs(log(h20 / h200)) < log(1.4)); /* 1.43 and 1.11; taken for a V100 1.94 */
    check_case("a GPU of a measured kind is corrected as the one that was measured");
}

int main(void) {
    habitat_models *models = NULL;
    habitat_gpu_table *gpus = NULL;
    CHECK_INT(habitat_models_load_default(&models, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_table_create(NULL, &gpus, NULL), HABITAT_OK);
    check_sums();
    check_bytes();
    check_table(models, gpus);
    check_gradients(models, gpus);
    check_guesses(models, gpus);
    check_twins(models, gpus);
    check_attention(models, gpus);
    check_batched_fp8(models, gpus);
    check_siblings(models, gpus);
    habitat_gpu_table_free(gpus);
    habitat_models_free(models);
    return check_done();
}
