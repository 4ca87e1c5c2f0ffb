/* Which sizes carry the batch, what autocast does, and what is refused: src/rescale/scale*.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/habitat.h>

#include "check.h"
#include "formula/rates.h"
#include "made_trace.h"
#include "models/learned.h"
#include "recorded.h"
#include "work_case.h"
#include "work/autocast.h"
#include "rescale/scale.h"
#include "rescale/scale_attention.h"
#include "workload/scaler.h"
#include "workload/share.h"

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-3 * fmax(fabs(a), fabs(b));
}

/* The sizes of one recording, told from the other alone, against those that were recorded. In
 * BERT-Large with 2 x 512 tokens these are as many as a layer is wide (1024), in ResNet-50 the
 * batch of 64 is as many as the first layers' channels. */
static void test_sizes(const habitat_gpu_table *table, const char *from, const char *to) {
    recorded a = recorded_open(table, from), b = recorded_open(table, to);
    habitat_error err = {0};
    scale_group *groups = calloc(a.w->group_count, sizeof *groups);
    uint32_t *twin = calloc(a.w->group_count, sizeof *twin);
    double wrong_ms = 0.0, matched_ms = 0.0, all_ms = 0.0;
    CHECK_INT(scale_batch(a.w, NULL, b.w->batch_size, NULL, groups, NULL, &err), HABITAT_OK);
    CHECK_INT(scale_match(a.w, b.w, twin), HABITAT_OK);
    for (size_t g = 0; g < a.w->group_count; g++) {
        all_ms += a.w->groups[g].origin_ms;
        if (twin[g] == HABITAT_NONE || !groups[g].work.known)
            continue;
        const habitat_work *want = b.w->groups[twin[g]].work;
        matched_ms += a.w->groups[g].origin_ms;
        if (want->known && !(near(groups[g].work.flop, want->flop) &&
                             near(groups[g].work.read_bytes, want->read_bytes)))
            wrong_ms += a.w->groups[g].origin_ms;
    }
    CHECK(matched_ms > 0.7 * all_ms);
    CHECK(wrong_ms < 0.005 * all_ms);
    free(groups);
    free(twin);
    recorded_close(&a);
    recorded_close(&b);
    check_case(from);
}

static void test_second_recording(const habitat_gpu_table *table) {
    recorded a = recorded_open(table, "resnet50_b16_fp32_h200");
    recorded b = recorded_open(table, "resnet50_b32_fp32_h200");
    habitat_error err = {0};
    scale_group *shapes = calloc(a.w->group_count, sizeof *shapes);
    scale_group *twins = calloc(a.w->group_count, sizeof *twins);
    size_t by_recording = 0, same = 0, changed = 0;
    CHECK_INT(scale_batch(a.w, NULL, 64, NULL, shapes, NULL, &err), HABITAT_OK);
    CHECK_INT(scale_batch(a.w, b.w, 64, NULL, twins, NULL, &err), HABITAT_OK);
    for (size_t g = 0; g < a.w->group_count; g++) {
        by_recording += twins[g].source == SCALE_BY_RECORDING;
        changed += shapes[g].source == SCALE_BY_SHAPES;
        same += shapes[g].source == SCALE_BY_SHAPES && near(shapes[g].ratio, twins[g].ratio);
    }
    CHECK(changed > 200);
    CHECK_INT(same, changed);
    CHECK(by_recording >= changed);
    CHECK_INT(scale_batch(a.w, a.w, 64, NULL, twins, NULL, &err), HABITAT_E_ARG);
    CHECK_TEXT(err.message,
               "both recordings have batch size 16; give one of another batch size, or none");
    free(shapes);
    free(twins);
    recorded_close(&a);
    recorded_close(&b);
    check_case("a second recording tells the same sizes");
}

static void test_refused(const habitat_gpu *gpu) {
    const made_kernel kernels[] = {{.name = "sgemm",
                                    .duration_ns = 100000,
                                    .grid = 100,
                                    .block = 256,
                                    .op = "aten::mm",
                                    .dims = "[[64, 32], [32, 16]]"}};
    habitat_trace *trace = made_trace(kernels, 1, NULL, "", 0);
    habitat_workload *w = NULL, *out = NULL;
    habitat_error err = {0};
    habitat_scale scale = {.batch_size = 8};
    CHECK_INT(habitat_workload_create(trace, gpu, &w, &err), HABITAT_OK);
    CHECK_INT(habitat_workload_scale(w, &scale, NULL, &out, &err), HABITAT_E_ARG);
    CHECK_TEXT(err.message,
               "the recording does not say its batch size; say it with "
               "--recorded-batch N, or record it with `habitat record --batch-size N`");
    CHECK(out == NULL);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("an unknown batch size is refused");
}

#define MADE(kernel, operation, sizes, blocks, ns)                                                 \
    {                                                                                              \
        .name = (kernel), .op = (operation), .dims = (sizes), .grid = (blocks), .block = 128,      \
        .duration_ns = (ns)                                                                        \
    }

/* Sizes of input i of group g at batch size `batch`, as "3x4". */
static const char *sizes_at(const habitat_workload *w, uint64_t batch, size_t g, uint32_t i,
                            scale_source *source) {
    static char text[64];
    habitat_arena arena = {0};
    habitat_error err = {0};
    scale_group *groups = calloc(w->group_count + 1, sizeof *groups);
    CHECK_INT(scale_batch(w, NULL, batch, &arena, groups, NULL, &err), HABITAT_OK);
    const habitat_operation *op =
        groups[g].operation ? groups[g].operation : w->groups[g].operation;
    const habitat_input *in = &op->form->inputs[i];
    *source = groups[g].source;
    text[0] = 0;
    for (uint32_t d = 0, used = 0; d < in->rank; d++)
        used += (uint32_t)snprintf(text + used, sizeof text - used, "%s%lld", d ? "x" : "",
                                   (long long)in->dims[d]);
    habitat_arena_free(&arena);
    free(groups);
    return text;
}

static habitat_workload *made_of(const habitat_gpu *gpu, const made_kernel *kernels, size_t count,
                                 int batch, habitat_trace **trace) {
    char said[80];
    habitat_workload *w = NULL;
    habitat_error err = {0};
    snprintf(said, sizeof said, "\"habitat\": {\"schema\": 1, \"batch_size\": %d},", batch);
    *trace = made_trace(kernels, count, NULL, said, 0);
    CHECK_INT(habitat_workload_create(*trace, gpu, &w, &err), HABITAT_OK);
    return w;
}

/* A batch of 40 graphs, which is a number of classes, too: nodes and edges grow, widths do not. */
static void test_in_a_row(const habitat_gpu *gpu) {
    const made_kernel kernels[] = {
        MADE("sgemm", "aten::linear", "[[40000, 128], [40, 128]]", 100, 50000),
        MADE("gather", "aten::gather", "[[40000, 40], [], [400123, 40]]", 100, 50000),
        MADE("loss", "aten::_log_softmax", "[[40000, 40]]", 100, 50000),
        MADE("sgemm", "aten::mm", "[[40000, 40], [40, 128]]", 100, 50000)};
    habitat_trace *trace = NULL;
    habitat_workload *w = made_of(gpu, kernels, 4, 40, &trace), *out = NULL;
    scale_source source = SCALE_STAYS;
    habitat_error err = {0};
    CHECK_TEXT(sizes_at(w, 10, 0, 0, &source), "10000x128");
    CHECK_INT(source, SCALE_IN_A_ROW);
    CHECK_TEXT(sizes_at(w, 10, 0, 1, &source), "40x128");
    CHECK_TEXT(sizes_at(w, 10, 1, 0, &source), "10000x40");
    CHECK_TEXT(sizes_at(w, 10, 1, 2, &source), "100031x40"); /* no multiple of 40 */
    CHECK_TEXT(sizes_at(w, 10, 2, 0, &source), "10000x40");
    CHECK_TEXT(sizes_at(w, 10, 3, 1, &source), "40x128");
    habitat_scale scale = {.batch_size = 10};
    CHECK_INT(habitat_workload_scale(w, &scale, NULL, &out, &err), HABITAT_OK);
    CHECK(out && out->warning_count == 2 &&
          strstr(out->warnings[1], "no tensor has the batch of 40 as a size") != NULL);
    CHECK(out && out->scale_sigma > 0.2); /* 0.05 and 0.15 log(4) */
    habitat_workload_free(out);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("sizes that no parameter has grow where no tensor has the batch");
}

/* The same, and sums of each graph behind them: these have the batch as a size, in little of the
 * time. Where they take most of it, 40000 is no size of samples. */
static void test_few_with_batch(const habitat_gpu *gpu) {
    made_kernel kernels[] = {
        MADE("sgemm", "aten::linear", "[[40000, 128], [64, 128]]", 100, 50000),
        MADE("gather", "aten::gather", "[[40000, 64], [], [2, 400123]]", 100, 50000),
        MADE("loss", "aten::_log_softmax", "[[40, 10]]", 100, 30000)};
    habitat_trace *trace = NULL;
    habitat_workload *w = made_of(gpu, kernels, 3, 40, &trace), *out = NULL;
    scale_source source = SCALE_STAYS;
    habitat_error err = {0};
    CHECK_TEXT(sizes_at(w, 10, 0, 0, &source), "10000x128");
    CHECK_INT(source, SCALE_IN_A_ROW);
    CHECK_TEXT(sizes_at(w, 10, 2, 0, &source), "10x10");
    CHECK_INT(source, SCALE_BY_SHAPES);
    habitat_scale scale = {.batch_size = 10};
    CHECK_INT(habitat_workload_scale(w, &scale, NULL, &out, &err), HABITAT_OK);
    CHECK(out && out->warning_count == 2 &&
          strstr(out->warnings[1],
                 "hold the batch of 40 in 23 % of the time beside the optimiser: those sizes grow "
                 "with it that no parameter has") != NULL);
    habitat_workload_free(out);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("sizes that no parameter has grow where few tensors have the batch");
    kernels[2].duration_ns = 110000;
    w = made_of(gpu, kernels, 3, 40, &trace);
    CHECK_TEXT(sizes_at(w, 10, 0, 0, &source), "40000x128");
    CHECK_INT(source, SCALE_STAYS);
    CHECK_TEXT(sizes_at(w, 10, 2, 0, &source), "10x10");
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("they stay where most of the time is in tensors with the batch");
}

static void test_places(const habitat_gpu *gpu) {
    const made_kernel kernels[] = {
        MADE("bags", "aten::_embedding_bag", "[[1000, 64], [130], [32]]", 100, 50000),
        MADE("sort", "aten::_embedding_bag_dense_backward", "[[32, 64], [130], [130], [32]]", 100,
             50000),
        MADE("wn", "aten::_weight_norm_interface", "[[768, 64, 128], [1, 1, 128]]", 100, 50000),
        MADE("relu", "aten::relu", "[[32, 2, 64]]", 100, 50000),
        MADE("lstm", "aten::_cudnn_rnn", "[[7, 32, 64], [], [], [], [2, 32, 64]]", 100, 50000)};
    habitat_trace *trace = NULL;
    habitat_workload *w = made_of(gpu, kernels, 5, 32, &trace);
    scale_source source = SCALE_STAYS;
    CHECK_TEXT(sizes_at(w, 64, 0, 0, &source), "1000x64");
    CHECK_TEXT(sizes_at(w, 64, 0, 1, &source), "260");
    CHECK_TEXT(sizes_at(w, 64, 1, 2, &source), "260");
    CHECK_TEXT(sizes_at(w, 64, 2, 0, &source), "768x64x128"); /* 64: 2 x 32 of the tensor below */
    CHECK_INT(source, SCALE_STAYS);
    CHECK_TEXT(sizes_at(w, 64, 3, 0, &source), "64x2x64");
    CHECK_TEXT(sizes_at(w, 64, 4, 4, &source), "2x64x64");
    CHECK_INT(source, SCALE_BY_SHAPES);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("places in bags, weights that are norms, and first states");
}

/* Four times the batch on 80 multiprocessors (a V100): what blocks of samples take that fill few.
 */
static void test_filling(const habitat_gpu *gpu) {
    static const char maps[] = "[[8, 64, 32, 32], [64, 64, 3, 3]]";
    const made_kernel kernels[] = {
        MADE("RowwiseMoments", "aten::native_group_norm", "[[8, 64, 32, 32], [64], [64]]", 8,
             400000),
        MADE("RowwiseMoments", "aten::native_group_norm", "[[8, 64, 32, 32], [64], [64]]", 8001,
             400000),
        MADE("GammaBeta", "aten::native_batch_norm", "[[8, 64, 32, 32], [64], [64]]", 8, 400000),
        MADE("implicit_convolve_sgemm", "aten::cudnn_convolution", maps, 8, 400000),
        MADE("potrf", "aten::linalg_cholesky_ex", "[[8, 64, 64]]", 8, 400000),
        MADE("potrf", "aten::linalg_cholesky_ex", "[[8, 64, 64]]", 81, 400000)};
    habitat_trace *trace = NULL;
    habitat_workload *w = made_of(gpu, kernels, 6, 8, &trace), *out = NULL;
    habitat_scale scale = {.batch_size = 32};
    habitat_error err = {0};
    double times[6] = {0.0};
    CHECK_INT(habitat_workload_scale(w, &scale, NULL, &out, &err), HABITAT_OK);
    for (size_t k = 0; out && k < 6; k++)
        times[k] = out->kernels[k].facts.time_ns / w->kernels[k].facts.time_ns;
    CHECK(times[0] > 1.2 && times[0] < 1.35); /* (1 + 32/80) / (1 + 8/80), and its traffic */
    CHECK(times[1] > 3.8 && times[1] < 4.0);
    CHECK(times[2] > 3.5 && times[2] < 4.1);
    CHECK(times[3] > 1.2 && times[3] < 1.35);
    CHECK(times[4] > 1.26 &&
          times[4] < 1.28);                   /* nobody counts its work: (1 + 32/80) / (1 + 8/80) */
    CHECK(times[5] > 3.9 && times[5] < 4.01); /* every multiprocessor has a block already */
    CHECK(out && out->scale_sigma > 0.15);    /* half of it idle: 0.25 log(4) */
    habitat_workload_free(out);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("kernels of few blocks take no longer until the GPU is full");
}

/* 256 channels of 64 images of 28 x 28 in fp16: cuDNN no longer keeps them on the chip (recorded
 * 10.9 times the 16 images'; in proportion 4 times), and 1024 of
 * 14 x 14 are 2.0 times. */
static void test_norms(const habitat_gpu_table *table) {
    static const struct {
        double channels, elements, low, high;
    } norms[] = {{256, 50176, 8, 12}, {1024, 3136, 1.6, 2.2}};
    recorded a = recorded_open(table, "resnet50_b16_amp_fp16_h200");
    habitat_workload *out = NULL;
    habitat_scale scale = {.batch_size = 64};
    habitat_error err = {0};
    CHECK_INT(habitat_workload_scale(a.w, &scale, NULL, &out, &err), HABITAT_OK);
    for (size_t i = 0; out && i < 2; i++) {
        size_t found = 0;
        for (size_t k = 0; k < a.w->kernel_count; k++) {
            const habitat_work *work = a.w->groups[a.w->kernels[k].group].work;
            if (strcmp(work->kind, "batch_norm") != 0 || work->pass != HABITAT_PASS_FORWARD ||
                work->shape.rows.rows != norms[i].channels ||
                work->shape.rows.columns != norms[i].elements)
                continue;
            double times = out->kernels[k].facts.time_ns / a.w->kernels[k].facts.time_ns;
            CHECK(times > norms[i].low && times < norms[i].high);
            found++;
        }
        CHECK(found > 0);
    }
    habitat_workload_free(out);
    recorded_close(&a);
    check_case("batch norms grow by their kernels");
}

static void test_autocast(void) {
    CHECK_INT(autocast_of("aten::conv2d"), AUTOCAST_NARROW);
    CHECK_INT(autocast_of("aten::layer_norm"), AUTOCAST_WIDE);
    CHECK_INT(autocast_of("aten::softmax"), AUTOCAST_WIDE_INSIDE);
    CHECK_INT(autocast_of("aten::relu"), AUTOCAST_NOT_LISTED);
    CHECK_INT(autocast_of("_convolution"), AUTOCAST_NARROW); /* the first of the table */
    CHECK_INT(autocast_of("upsample_nearest2d"), AUTOCAST_WIDE);
    CHECK_INT(autocast_of("aten::upsample_trilinear3d"), AUTOCAST_WIDE);
    CHECK_INT(autocast_of("aten::_grouped_mm"), AUTOCAST_WIDE);
    CHECK_INT(autocast_of("aten::_upsample_nearest_exact1d"), AUTOCAST_WIDE);
    CHECK_INT(autocast_of("aten::_upsample_bicubic2d_aa"), AUTOCAST_WIDE);
    CHECK_INT(autocast_of("aten::nll_loss2d_forward"), AUTOCAST_WIDE);
    CHECK_INT(autocast_of("aten::batch_norm"), AUTOCAST_NOT_LISTED);
    CHECK_INT(autocast_of("aten::miopen_rnn"), AUTOCAST_NARROW);
    check_case("autocast's lists");
    const habitat_dtype bf16 = HABITAT_DTYPE_BF16, fp16 = HABITAT_DTYPE_FP16;
    CHECK_INT(autocast_narrow("aten::_cudnn_rnn", bf16), fp16);
    CHECK_INT(autocast_narrow("aten::_cudnn_rnn_backward", bf16), fp16);
    CHECK_INT(autocast_narrow("miopen_rnn", bf16), fp16);
    CHECK_INT(autocast_narrow("aten::lstm_cell", bf16), bf16);
    CHECK_INT(autocast_narrow("aten::_thnn_fused_gru_cell", bf16), bf16);
    CHECK_INT(autocast_narrow("aten::linear", bf16), bf16);
    CHECK_INT(autocast_narrow("aten::linear", fp16), fp16);
    check_case("recurrent layers of the GPU's library are in fp16 under bf16, cells are not");
}

static void test_words(void) {
    habitat_precision found = HABITAT_PRECISION_RECORDED;
    habitat_error err = {0};
    for (int p = HABITAT_PRECISION_RECORDED; p <= HABITAT_PRECISION_AMP_BF16; p++) {
        CHECK_INT(
            habitat_precision_from_name(habitat_precision_name((habitat_precision)p), &found, &err),
            HABITAT_OK);
        CHECK_INT(found, p);
    }
    CHECK_INT(habitat_precision_from_name("amp_bf16", &found, &err), HABITAT_OK);
    CHECK_INT(habitat_precision_from_name("half", &found, &err), HABITAT_E_ARG);
    CHECK_TEXT(habitat_precision_name((habitat_precision)99), "unknown");
    check_case("words of precisions");
}

/* At twice the batch: convolutions backward whose time is the model's ratio to this exponent, the
 * rest in proportion to their work beyond launches, and all of them. */
static void count_modelled(const habitat_gpu_table *table, const char *name, double share,
                           size_t *modelled, size_t *all) {
    recorded r = recorded_open(table, name);
    const habitat_models *models = NULL;
    habitat_workload *twice = NULL;
    habitat_error err = {0};
    habitat_scale scale = {.batch_size = 2 * r.w->batch_size};
    CHECK_INT(learned_builtin(&models, &err), HABITAT_OK);
    CHECK_INT(habitat_workload_scale(r.w, &scale, models, &twice, &err), HABITAT_OK);
    *modelled = *all = 0;
    for (size_t g = 0; twice && g < r.w->group_count; g++) {
        const habitat_workload_group *was = &r.w->groups[g], *is = &twice->groups[g];
        habitat_dtype dtype = workload_arithmetic_of(r.w, was).dtype;
        const habitat_model_query queries[] = {{.work = was->work, .arithmetic = dtype},
                                               {.work = is->work, .arithmetic = dtype}};
        habitat_model_estimate says[2] = {{0}};
        if (was->work->op_class != HABITAT_CLASS_CONV || was->work->pass == HABITAT_PASS_FORWARD)
            continue;
        CHECK_INT(habitat_models_predict(models, HABITAT_MODEL_TRANSFER, 1, &r.w->origin, 2,
                                         queries, says, &err),
                  HABITAT_OK);
        ++*all;
        double floors_ms = was->kernel_count * formula_kernel_floor_ns(r.w->origin) * 1e-6;
        double work = 2.0 - floors_ms / was->origin_ms;
        *modelled += near(is->origin_ms / was->origin_ms,
                          pow(work, 1.0 - share) * pow(says[1].model_ms / says[0].model_ms, share));
    }
    habitat_workload_free(twice);
    recorded_close(&r);
}

static void test_convolutions(const habitat_gpu_table *table) {
    size_t modelled = 0, all = 0;
    count_modelled(table, "full_size/resnet50_b64_amp_bf16_h100", 0.75, &modelled, &all);
    CHECK(all > 50);
    CHECK(10 * modelled > 9 * all);
    count_modelled(table, "resnet50_b64_fp32_h200", 1.0, &modelled, &all);
    CHECK(all > 50);
    CHECK(10 * modelled < 2 * all);
    check_case("convolutions backward follow three quarters of the model on matrix units, half on "
               "plain ones");
}

/* Time of what the scaler runs [ms], and the bytes of gradients that it reads. */
typedef struct scaler_share {
    double ms, read_bytes;
    size_t count;
    double calls; /* that the CPU's part is worth, more than in the recording */
} scaler_share;

static scaler_share scaler_of(const habitat_workload *w) {
    scaler_share out = {0};
    for (size_t g = 0; g < w->group_count; g++) {
        const habitat_operation *op = w->groups[g].operation;
        if (!op || strncmp(op->form->name, "aten::_amp_", 11) != 0)
            continue;
        out.count++;
        out.ms += w->groups[g].origin_ms;
        out.read_bytes += w->groups[g].work->read_bytes;
    }
    return out;
}

static scaler_share scaler_in(const habitat_gpu_table *table, const char *name,
                              habitat_precision precision) {
    recorded r = recorded_open(table, name);
    habitat_workload *after = NULL;
    habitat_error err = {0};
    habitat_scale scale = {.precision = precision};
    CHECK_INT(habitat_workload_scale(r.w, &scale, NULL, &after, &err), HABITAT_OK);
    scaler_share out = after ? scaler_of(after) : (scaler_share){0};
    out.calls = after ? workload_scaler_calls(after) - workload_scaler_calls(r.w) : NAN;
    habitat_workload_free(after);
    recorded_close(&r);
    return out;
}

/* This BERT has 335,174,458 parameters, of 4 bytes each, in 394 tensors: 18 + 0.3 x 394 calls. */
static void test_scaler(const habitat_gpu_table *table) {
    scaler_share with = scaler_in(table, "bert_b8_amp_bf16_h200", HABITAT_PRECISION_AMP_FP16);
    CHECK_INT(with.count, 1);
    CHECK(with.ms > 0.3 && with.ms < 1.2);
    CHECK_NEAR(with.read_bytes, 1340697832.0, 1e-9);
    scaler_share single = scaler_in(table, "bert_b8_fp32_h200", HABITAT_PRECISION_AMP_FP16);
    CHECK_NEAR(single.read_bytes, with.read_bytes, 1e-9);
    CHECK_NEAR(with.calls, 136.2, 1e-9);
    CHECK_NEAR(single.calls, 136.2, 1e-9);
    scaler_share without = scaler_in(table, "bert_b8_amp_fp16_h200", HABITAT_PRECISION_AMP_BF16);
    CHECK(without.count > 0);
    CHECK_NEAR(without.ms, 0.0, 0.0);
    CHECK_NEAR(without.calls, -136.2, 1e-9);
    scaler_share none =
        scaler_in(table, "vgg16_training_b12_tf32_h200", HABITAT_PRECISION_AMP_FP16);
    CHECK_INT(none.count, 0);
    CHECK_NEAR(none.calls, 0.0, 0.0);
    check_case("the scaler comes with fp16, goes with it, and runs with an optimiser alone");
}

/* ---- attention in parts ---- */

static bool fuses(const habitat_gpu *gpu, const char *line, habitat_work *forward,
                  habitat_work *backward) {
    work_case read;
    CHECK_INT(case_read(&read, line), 0);
    return scale_fuses_attention(&read.op, gpu, HABITAT_DTYPE_BF16, forward, backward);
}

#define PARTS "aten::_scaled_dot_product_attention_math | "
#define REST  " =0. =True - =0.125 =True"

static void test_parts(const habitat_gpu_table *table) {
    const habitat_gpu *gpu = NULL, *old = NULL;
    habitat_error err = {0};
    habitat_work forward = {0}, backward = {0};
    CHECK_INT(habitat_gpu_find(table, "H200", &gpu, NULL, &err), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "V100", &old, NULL, &err), HABITAT_OK);
    const char *grouped = PARTS "f32[2,16,1024,64] f32[2,4,1024,64] f32[2,4,1024,64] -" REST;
    CHECK(fuses(gpu, grouped, &forward, &backward));
    const habitat_attention_shape *s = &forward.shape.attention;
    CHECK(s->batch == 2 && s->heads == 16 && s->kv_heads == 4 && s->q_len == 1024 && s->causal);
    CHECK(forward.dtype == HABITAT_DTYPE_BF16 && forward.pass == HABITAT_PASS_FORWARD);
    CHECK(backward.dtype == HABITAT_DTYPE_BF16 && backward.pass == HABITAT_PASS_BACKWARD);
    CHECK_NEAR(forward.flop, 2.0 * 16 * (1024 * 1025 / 2.0) * 2 * (64 + 64), 1e-12);
    CHECK(!fuses(old, grouped, &forward, &backward) && !fuses(NULL, grouped, &forward, &backward));
    static const char *const others[] = {
        PARTS "f32[2,16,1024,64] f32[2,16,1024,64] f32[2,16,1024,64] -" REST,
        PARTS "f32[2,16,1024,64] f32[2,4,1024,64] f32[2,4,1024,64] f32[1024,1024]" REST,
        PARTS "f32[2,16,1024,512] f32[2,4,1024,512] f32[2,4,1024,512] -" REST,
        PARTS "f32[2,16,1024,68] f32[2,4,1024,68] f32[2,4,1024,68] -" REST,
        PARTS "f32[2,16,1024,64] f32[2,4,1024,64] f32[2,4,1024,32] -" REST,
        "aten::scaled_dot_product_attention | f32[2,16,1024,64] f32[2,4,1024,64]"
        " f32[2,4,1024,64] -" REST};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!fuses(gpu, others[i], &forward, &backward));
    check_case("fewer heads of keys than of queries have a kernel in 16 bit alone");
}

/* 16 heads of 1024 queries and 512 keys; a mask of its own for each head is learned, one for all is
 * not. */
static void test_sizes_of_parts(void) {
#define MASKED(mask) PARTS "f32[2,16,1024,64] f32[2,16,512,64] f32[2,16,512,32] " mask REST
    work_case read;
    scale_attention_sizes sizes;
    CHECK_INT(case_read(&read, MASKED("f32[1,16,1024,512]")), 0);
    CHECK(scale_attention_in_parts(&read.op, &sizes));
    CHECK_NEAR(sizes.inputs[0], 2097152.0, 0);
    CHECK_NEAR(sizes.inputs[1], 1048576.0, 0);
    CHECK_NEAR(sizes.inputs[2], 524288.0, 0);
    CHECK_NEAR(sizes.scores, 16777216.0, 0);
    CHECK_NEAR(sizes.result, 1048576.0, 0);
    CHECK_NEAR(sizes.learned_mask, 8388608.0, 0);
    static const char *const others[] = {MASKED("f32[2,1,1024,512]"), MASKED("b8[1,16,1024,512]"),
                                         MASKED("f32[1024,512]"), MASKED("-")};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        CHECK_INT(case_read(&read, others[i]), 0);
        CHECK(scale_attention_in_parts(&read.op, &sizes));
        CHECK_NEAR(sizes.learned_mask, 0.0, 0);
    }
    CHECK_INT(case_read(&read, "aten::bmm | f32[2,4,4] f32[2,4,4]"), 0);
    CHECK(!scale_attention_in_parts(&read.op, &sizes));
    check_case("what an attention in parts casts");
}

/* A sum inside of the gradient of fused attention, that gradient itself, and a sum elsewhere. */
static void test_beside(void) {
    habitat_op_form fused = {.name = "aten::_efficient_attention_backward"};
    habitat_op_form sum = {.name = "aten::sum"}, copy = {.name = "aten::clone"};
    const habitat_operation ops[] = {{.form = &fused, .parent = HABITAT_NONE},
                                     {.form = &copy, .parent = 0},
                                     {.form = &sum, .parent = 1},
                                     {.form = &sum, .parent = HABITAT_NONE}};
    CHECK(!scale_is_beside_attention(ops, 4, 0));
    CHECK(scale_is_beside_attention(ops, 4, 1) && scale_is_beside_attention(ops, 4, 2));
    CHECK(!scale_is_beside_attention(ops, 4, 3) && !scale_is_beside_attention(ops, 4, 9));
    check_case("what fused attention in fp32 runs beside its kernel");
}

static size_t count_of(const habitat_workload *w, const char *name, double *ms) {
    size_t count = 0;
    *ms = 0.0;
    for (size_t g = 0; g < w->group_count; g++)
        if (w->groups[g].operation && strcmp(w->groups[g].operation->form->name, name) == 0) {
            count += w->groups[g].origin_ms > 0.0;
            *ms += w->groups[g].origin_ms;
        }
    return count;
}

/* Ten layers. In bf16 their attention is recorded with 0.542 ms, where its parts in bf16 would take
 * several times as long. */
static void test_fused(const habitat_gpu_table *table) {
    recorded r = recorded_open(table, "new_models/mistral_b1_fp32_h200");
    habitat_workload *after = NULL;
    habitat_error err = {0};
    double forward_ms = 0.0, backward_ms = 0.0, parts_ms = 0.0, four_ms = 0.0;
    habitat_scale scale = {.precision = HABITAT_PRECISION_AMP_BF16};
    CHECK_INT(habitat_workload_scale(r.w, &scale, NULL, &after, &err), HABITAT_OK);
    CHECK(after && count_of(after, "aten::_scaled_dot_product_flash_attention", &forward_ms) == 10);
    CHECK(after && count_of(after, "aten::_scaled_dot_product_flash_attention_backward",
                            &backward_ms) == 10);
    CHECK_NEAR(forward_ms + backward_ms, 0.542, 0.2);
    CHECK(after && count_of(after, "aten::_softmax", &parts_ms) == 0);
    CHECK(after && strstr(after->warnings[0], "20 kernels of attention instead of its parts"));
    habitat_workload_free(after);
    scale.batch_size = 4;
    CHECK_INT(habitat_workload_scale(r.w, &scale, NULL, &after, &err), HABITAT_OK);
    CHECK(after && after->groups[after->group_count - 1].work->known && after->warning_count == 2);
    CHECK(after && count_of(after, "aten::_scaled_dot_product_flash_attention", &four_ms) == 10);
    CHECK(four_ms > 2.0 * forward_ms && four_ms < 4.0 * forward_ms);
    for (size_t g = 0; after && g < after->group_count; g++)
        if (after->groups[g].work->op_class == HABITAT_CLASS_ATTENTION)
            CHECK_INT(after->groups[g].work->shape.attention.batch, 4);
    habitat_workload_free(after);
    scale = (habitat_scale){.precision = HABITAT_PRECISION_TF32};
    CHECK_INT(habitat_workload_scale(r.w, &scale, NULL, &after, &err), HABITAT_OK);
    CHECK(after && count_of(after, "aten::_softmax", &parts_ms) == 10);
    habitat_workload_free(after);
    recorded_close(&r);
    check_case("parts of an attention are gone with autocast, and one kernel is there");
}

int main(void) {
    habitat_gpu_table *table = NULL;
    const habitat_gpu *gpu = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_table_create(NULL, &table, &err), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "V100", &gpu, NULL, &err), HABITAT_OK);
    test_sizes(table, "bert_b2_fp32_h200", "bert_b8_fp32_h200");
    test_sizes(table, "resnet50_b64_amp_bf16_h200", "resnet50_b16_amp_bf16_h200");
    test_sizes(table, "gnmt_b16_fp32_h200", "gnmt_b48_fp32_h200");
    test_second_recording(table);
    test_refused(gpu);
    test_in_a_row(gpu);
    test_few_with_batch(gpu);
    test_places(gpu);
    test_filling(gpu);
    test_norms(table);
    test_autocast();
    test_words();
    test_convolutions(table);
    test_scaler(table);
    test_parts(table);
    test_sizes_of_parts();
    test_beside();
    test_fused(table);
    habitat_gpu_table_free(table);
    return check_done();
}
