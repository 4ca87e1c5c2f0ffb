/* --precision, asked as the command line asks it: the recorded precision is the recording itself;
 * two precisions that a GPU computes alike are one answer there; fp16 and bf16 take the same bytes
 * everywhere, fp32 and TF32 where there are no convolutions, whose workspaces differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/ask.h>

#include "check.h"
#include "gpu/gpu.h"
#include "recorded.h"

/* precision: what it was recorded in; RECORDED: in 16 bit throughout, which has no name. */
static const struct {
    const char *name;
    habitat_precision precision;
    bool convolutions;
} recordings[] = {{"bert_b8_tf32_h100", HABITAT_PRECISION_TF32, false},
                  {"dcgan_b128_fp32_h100", HABITAT_PRECISION_FP32, true},
                  {"gnmt_b32_amp_fp16_h200", HABITAT_PRECISION_AMP_FP16, false},
                  {"gnmt_b32_fp32_h100", HABITAT_PRECISION_FP32, false},
                  {"bert_b8_amp_bf16_h100", HABITAT_PRECISION_AMP_BF16, false},
                  {"dcgan_b16_amp_bf16_h200", HABITAT_PRECISION_AMP_BF16, true},
                  {"gpt2_b4_bf16_h200", HABITAT_PRECISION_AMP_BF16, false},
                  {"llama_b2_bf16_h100", HABITAT_PRECISION_RECORDED, false},
                  {"vgg16_inference_b12_fp16_h200", HABITAT_PRECISION_RECORDED, true},
                  {"vgg16_training_b12_tf32_h200", HABITAT_PRECISION_TF32, true}};

/* The last three have neither TF32 nor bf16 units; the K40 has no matrix units at all. */
static const char *const gpu_names[] = {"H200", "A100-SXM4-80GB", "T4", "V100-SXM2-16GB", "K40"};
enum { GPUS = 5, FIRST_WITHOUT = 2 };

static const habitat_gpu *gpus[GPUS];

static habitat_answer *ask(const habitat_gpu_table *table, const recorded *s,
                           habitat_precision precision, habitat_error *err) {
    habitat_request request;
    habitat_answer *answer = NULL;
    habitat_request_init(&request);
    request.trace = s->trace;
    request.gpus = table;
    request.destinations = gpus;
    request.destination_count = GPUS;
    request.precision = precision;
    CHECK_INT(habitat_ask(&request, &answer, err), answer ? HABITAT_OK : HABITAT_E_UNSUPPORTED);
    return answer;
}

static bool same_bytes(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_time(const habitat_answer *a, const habitat_answer *b, size_t i) {
    const habitat_prediction *x = a->rows[i].prediction, *y = b->rows[i].prediction;
    return same_bytes(x->iteration_ms, y->iteration_ms) && same_bytes(x->busy_ms, y->busy_ms) &&
           same_bytes(x->kernel_ms, y->kernel_ms) && same_bytes(x->low_ms, y->low_ms) &&
           same_bytes(x->high_ms, y->high_ms);
}

static bool same_memory(const habitat_answer *a, const habitat_answer *b, size_t i) {
    const habitat_prediction *x = a->rows[i].prediction, *y = b->rows[i].prediction;
    return x->memory_bytes > 0.0 && same_bytes(x->memory_bytes, y->memory_bytes) &&
           same_bytes(x->headroom_bytes, y->headroom_bytes) && x->fits == y->fits &&
           same_bytes(x->largest_batch, y->largest_batch);
}

/* Memory and times, each from a GPU on. */
static void check_alike(const habitat_answer *a, const habitat_answer *b, size_t memory,
                        size_t times) {
    CHECK(a && b && a->row_count == GPUS && b->row_count == GPUS);
    for (size_t i = 0; a && b && i < GPUS; i++) {
        CHECK(i < memory || same_memory(a, b, i));
        CHECK(i < times || same_time(a, b, i));
    }
}

/* A step in bf16 trains in fp16, with its scaler, where there are no bf16 units. */
static bool waits_alike(const habitat_answer *bf16, const habitat_answer *fp16) {
    for (size_t i = FIRST_WITHOUT; i < GPUS; i++) {
        const habitat_prediction *x = bf16->rows[i].prediction, *y = fp16->rows[i].prediction;
        if (!x->scaler_waits || !y->scaler_waits || !(x->calls_more > 0.0) ||
            !same_time(bf16, fp16, i))
            return false;
    }
    return true;
}

static void check_refused(const habitat_gpu_table *table, const recorded *s,
                          habitat_precision precision) {
    habitat_error err = {0};
    CHECK(ask(table, s, precision, &err) == NULL);
    CHECK(strstr(err.message, "throughout, weights too: autocast keeps weights in fp32") != NULL);
}

static void check_recording(const habitat_gpu_table *table, const recorded *s,
                            habitat_precision precision, bool convolutions) {
    habitat_error err = {0};
    habitat_answer *as_it_is = ask(table, s, HABITAT_PRECISION_RECORDED, &err);
    habitat_answer *fp32 = ask(table, s, HABITAT_PRECISION_FP32, &err);
    habitat_answer *tf32 = ask(table, s, HABITAT_PRECISION_TF32, &err);
    check_alike(fp32, tf32, convolutions ? FIRST_WITHOUT : 0, FIRST_WITHOUT);
    CHECK(fp32 && tf32 && !same_time(fp32, tf32, 0) && !same_time(fp32, tf32, 1));
    if (precision == HABITAT_PRECISION_RECORDED) {
        check_refused(table, s, HABITAT_PRECISION_AMP_FP16);
        check_refused(table, s, HABITAT_PRECISION_AMP_BF16);
    } else {
        habitat_answer *fp16 = ask(table, s, HABITAT_PRECISION_AMP_FP16, &err);
        habitat_answer *bf16 = ask(table, s, HABITAT_PRECISION_AMP_BF16, &err);
        check_alike(fp16, bf16, 0, FIRST_WITHOUT);
        CHECK(as_it_is && fp16 &&
              (precision != HABITAT_PRECISION_AMP_BF16 || waits_alike(as_it_is, fp16)));
        CHECK(fp16 && bf16 && !same_time(fp16, bf16, 0));
        habitat_answer *own = precision == HABITAT_PRECISION_FP32       ? fp32
                              : precision == HABITAT_PRECISION_TF32     ? tf32
                              : precision == HABITAT_PRECISION_AMP_FP16 ? fp16
                                                                        : bf16;
        check_alike(as_it_is, own, 0, 0);
        habitat_answer_free(fp16);
        habitat_answer_free(bf16);
    }
    habitat_answer_free(as_it_is);
    habitat_answer_free(fp32);
    habitat_answer_free(tf32);
}

/* Convolutions in another format, on whichever units they ran: the models saw shapes in all
 * formats. Kernels of the same step, recorded in that precision on the same GPU [ms]. */
static void test_convolutions(const habitat_gpu_table *table) {
    static const struct {
        const char *recording;
        habitat_precision precision;
        double recorded_ms, within;
    } steps[] = {{"resnet50_b64_tf32_h200", HABITAT_PRECISION_AMP_BF16, 27.55, 0.1},
                 {"resnet50_b16_amp_fp16_h200", HABITAT_PRECISION_AMP_BF16, 8.41, 0.1},
                 {"resnet50_b64_amp_fp16_h200", HABITAT_PRECISION_FP32, 75.82, 0.1},
                 {"vgg16_inference_b12_tf32_h200", HABITAT_PRECISION_FP32, 12.26, 0.11},
                 {"dcgan_b64_fp32_h200", HABITAT_PRECISION_AMP_FP16, 2.605, 0.1},
                 {"inception_v3_b32_fp32_h200", HABITAT_PRECISION_AMP_FP16, 26.80, 0.17},
                 {"resnet50_b16_fp32_h200", HABITAT_PRECISION_TF32, 9.70, 0.06},
                 {"resnet50_b64_amp_bf16_h200", HABITAT_PRECISION_TF32, 31.14, 0.08},
                 {"resnet50_b64_amp_bf16_h200", HABITAT_PRECISION_AMP_FP16, 21.81, 0.08},
                 {"vgg16_training_b12_fp32_h200", HABITAT_PRECISION_TF32, 10.68, 0.06}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        habitat_error err = {0};
        recorded s = recorded_open(table, steps[i].recording);
        habitat_answer *answer = ask(table, &s, steps[i].precision, &err);
        CHECK(answer != NULL);
        if (answer)
            CHECK_NEAR(answer->rows[0].prediction->kernel_ms, steps[i].recorded_ms,
                       steps[i].within);
        habitat_answer_free(answer);
        recorded_close(&s);
    }
    check_case("convolutions in another format");
}

/* Batch norm runs in cuDNN's kernels but for bf16 and for weights in fp16, where PyTorch has its
 * own, and but for rows without pixels, which are PyTorch's in every format. The same step,
 * recorded in the other format on the same GPU, tells the time of its norms. */
static void test_norms(const habitat_gpu_table *table) {
    static const struct {
        const char *from, *to;
        habitat_precision precision;
        double within;
    } steps[] = {
        {"resnet50_b16_amp_bf16_h200", "resnet50_b16_fp32_h200", HABITAT_PRECISION_FP32, 0.05},
        {"new_models/mobilenet_v3_b128_amp_bf16_h200", "new_models/mobilenet_v3_b128_fp32_h200",
         HABITAT_PRECISION_FP32, 0.08},
        {"resnet50_b64_fp32_h200", "resnet50_b64_amp_bf16_h200", HABITAT_PRECISION_AMP_BF16, 0.13},
        {"inception_v3_b32_amp_fp16_h100", "inception_v3_b32_fp32_h100", HABITAT_PRECISION_FP32,
         0.12},
        {"inception_v3_b32_fp32_h200", "inception_v3_b32_amp_fp16_h200", HABITAT_PRECISION_AMP_FP16,
         0.08},
        {"resnet50_b64_amp_fp16_h200", "resnet50_b64_fp32_h200", HABITAT_PRECISION_FP32, 0.04},
        {"densenet121_training_b12_fp16_h200", "densenet121_training_b12_fp32_h200",
         HABITAT_PRECISION_FP32, 0.04},
        {"resnet50_training_b12_fp16_h200", "resnet50_training_b12_tf32_h200",
         HABITAT_PRECISION_TF32, 0.06},
        {"mobilenet_v2_inference_b12_fp16_h200", "mobilenet_v2_inference_b12_fp32_h200",
         HABITAT_PRECISION_FP32, 0.18},
        {"new_models/gin_b512_fp32_h200", "new_models/gin_b512_amp_bf16_h200",
         HABITAT_PRECISION_AMP_BF16, 0.08},
        {"new_models/gin_b512_amp_bf16_h200", "new_models/gin_b512_fp32_h200",
         HABITAT_PRECISION_FP32, 0.08}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        habitat_error err = {0};
        double norms_ms[2] = {0.0, 0.0};
        for (size_t r = 0; r < 2; r++) {
            recorded s = recorded_open(table, r ? steps[i].to : steps[i].from);
            habitat_answer *answer =
                ask(table, &s, r ? HABITAT_PRECISION_RECORDED : steps[i].precision, &err);
            const habitat_prediction *p = answer ? answer->rows[0].prediction : NULL;
            for (size_t c = 0; p && c < p->class_count; c++)
                if (p->by_class[c].op_class == HABITAT_CLASS_NORM)
                    norms_ms[r] = p->by_class[c].ms;
            habitat_answer_free(answer);
            recorded_close(&s);
        }
        CHECK(norms_ms[0] > 0.0);
        CHECK_NEAR(norms_ms[0], norms_ms[1], steps[i].within);
    }
    check_case("batch norms in another format, which other kernels may run");
}

/* Gradients of convolutions that libraries have few kernels for in strict fp32: the interval holds
 * what was recorded; a network of plain images is as sure as before. */
static void test_few_kernels(const habitat_gpu_table *table) {
    static const struct {
        const char *from, *to;
        double longest; /* high end over the time, at most */
    } steps[] = {{"new_models/r3d_b4_tf32_h200", "new_models/r3d_b4_fp32_h200", 2.5},
                 {"new_models/r3d_b16_amp_bf16_h200", "new_models/r3d_b16_fp32_h200", 2.5},
                 {"new_models/resnext50_b16_tf32_h200", "new_models/resnext50_b16_fp32_h200", 1.7},
                 {"new_models/deeplab_b16_amp_bf16_h200", "new_models/deeplab_b16_fp32_h200", 1.6},
                 {"new_models/tcn_b16_amp_bf16_h200", "new_models/tcn_b16_fp32_h200", 1.4},
                 {"resnet50_b16_tf32_h200", "resnet50_b16_fp32_h200", 1.4}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        habitat_error err = {0};
        recorded from = recorded_open(table, steps[i].from), to = recorded_open(table, steps[i].to);
        habitat_answer *said = ask(table, &from, HABITAT_PRECISION_FP32, &err);
        habitat_answer *is = ask(table, &to, HABITAT_PRECISION_RECORDED, &err);
        CHECK(said && is);
        if (said && is) {
            const habitat_prediction *p = said->rows[0].prediction;
            double recorded_ms = is->rows[0].prediction->iteration_ms;
            CHECK(p->low_ms <= recorded_ms && recorded_ms <= p->high_ms);
            CHECK(p->high_ms <= steps[i].longest * p->iteration_ms);
            /* also where the GPU has no TF32 units, and the step is as recorded */
            const habitat_prediction *v100 = said->rows[3].prediction;
            CHECK(steps[i].longest < 2.0 || v100->high_ms > 2.0 * v100->iteration_ms);
        }
        habitat_answer_free(said);
        habitat_answer_free(is);
        recorded_close(&from);
        recorded_close(&to);
    }
    check_case("gradients with few kernels in strict fp32 have a wider interval");
}

/* Keys of fewer heads than queries: in fp32 tensors no fused kernel takes them, and products alone
 * follow TF32's permission. The same step, recorded in TF32 on each GPU, tells the time there [ms],
 * and what other GPUs come to. Taken for one kernel of fp32 it was 349, 384 and 563 on an L40S. */
static void test_separate_attention(const habitat_gpu_table *table) {
    static const char *const names[][2] = {{"llama_b2_bf16_h200", "llama_b2_tf32_h200"},
                                           {"llama_b2_bf16_h100", "llama_b2_tf32_h100"}};
    static const char *const others[] = {"A100-SXM4-80GB", "L40S", "L4", "A40"};
    for (size_t i = 0; i < 2; i++) {
        habitat_error err = {0};
        recorded from = recorded_open(table, names[i][0]), to = recorded_open(table, names[i][1]);
        const habitat_gpu *asked[5] = {to.origin};
        habitat_request requests[2];
        habitat_answer *answers[2] = {NULL, NULL};
        for (size_t g = 0; g < 4; g++)
            CHECK_INT(habitat_gpu_find(table, others[g], &asked[g + 1], NULL, &err), HABITAT_OK);
        for (size_t r = 0; r < 2; r++) {
            habitat_request_init(&requests[r]);
            requests[r].trace = r ? to.trace : from.trace;
            requests[r].gpus = table;
            requests[r].destinations = asked;
            requests[r].destination_count = 5;
            requests[r].precision = r ? HABITAT_PRECISION_RECORDED : HABITAT_PRECISION_TF32;
            CHECK_INT(habitat_ask(&requests[r], &answers[r], &err), HABITAT_OK);
        }
        for (size_t g = 0; answers[0] && answers[1] && g < 5; g++)
            CHECK_NEAR(answers[0]->rows[g].prediction->busy_ms,
                       answers[1]->rows[g].prediction->busy_ms, g ? 0.2 : 0.06);
        habitat_answer_free(answers[0]);
        habitat_answer_free(answers[1]);
        recorded_close(&from);
        recorded_close(&to);
    }
    check_case("attention whose keys have fewer heads, in TF32");
}

static double convolutions_ms(const recorded *s, const habitat_gpu *gpu) {
    habitat_prediction *p = NULL;
    size_t count = 0;
    const habitat_workload_kernel *kernels = habitat_workload_kernels(s->w, &count);
    double sum_ms = 0.0;
    CHECK_INT(habitat_predict(s->w, gpu, HABITAT_METHOD_AUTO, &p, NULL), HABITAT_OK);
    for (size_t i = 0; p && i < count; i++)
        sum_ms += kernels[i].op_class == HABITAT_CLASS_CONV ? p->trace_kernels[i].ms : 0.0;
    habitat_prediction_free(p);
    return sum_ms;
}

/* TF32 is a permission: a network recorded with it is not slower than in strict fp32, on whatever
 * GPU. Its matrix units may be no quicker than the plain ones, which know Winograd. */
static void test_permission(const habitat_gpu_table *table) {
    static const char *const steps[] = {"vgg16_inference_b12", "vgg16_training_b12",
                                        "resnet50_inference_b12"};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s_tf32_h200", steps[i]);
        recorded tf32 = recorded_open(table, name);
        snprintf(name, sizeof name, "%s_fp32_h200", steps[i]);
        recorded fp32 = recorded_open(table, name);
        for (size_t g = 0; g < habitat_gpu_count(table); g++) {
            const habitat_gpu *gpu = habitat_gpu_at(table, g);
            double permitted = convolutions_ms(&tf32, gpu), strict = convolutions_ms(&fp32, gpu);
            if (strcmp(gpu->vendor, "NVIDIA") == 0 && !(permitted <= 1.02 * strict))
                printf("# %s on %s: %.4g ms in TF32, %.4g in fp32\n", steps[i], gpu->name,
                       permitted, strict);
            CHECK(strcmp(gpu->vendor, "NVIDIA") != 0 || permitted <= 1.02 * strict);
        }
        recorded_close(&tf32);
        recorded_close(&fp32);
    }
    check_case("convolutions recorded in TF32 are on no GPU slower than those recorded in fp32");
}

int main(void) {
    habitat_gpu_table *table = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_table_create(NULL, &table, &err), HABITAT_OK);
    for (size_t i = 0; i < GPUS; i++)
        CHECK_INT(habitat_gpu_find(table, gpu_names[i], &gpus[i], NULL, &err), HABITAT_OK);
    for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++) {
        recorded s = recorded_open(table, recordings[i].name);
        check_recording(table, &s, recordings[i].precision, recordings[i].convolutions);
        check_case(recordings[i].name);
        recorded_close(&s);
    }
    test_convolutions(table);
    test_norms(table);
    test_few_kernels(table);
    test_separate_attention(table);
    test_permission(table);
    habitat_gpu_table_free(table);
    return check_done();
}
