/* Kernels that tell how they grow with a batch or change with a format: src/kernels/sums.c,
 * rescale_times.c, src/rescale/scale_cast.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/habitat.h>

#include "check.h"
#include "formula/rates.h"
#include "kernels/scans.h"
#include "kernels/sums.h"
#include "kernels/tables.h"
#include "kernels/unvectorised.h"
#include "made_gpu.h"
#include "made_trace.h"
#include "predict/rescale_times.h"
#include "recorded_scale.h"
#include "work_case.h"
#include "workload/workload.h"

/* ---- sums ---- */

typedef double growth_of(const habitat_workload_group *, const habitat_work *, const habitat_gpu *);

static double growth_by(growth_of *of, const char *before, const char *after) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    work_case was, is;
    habitat_work work, then;
    gpu.l2_bytes = 1e15; /* nothing is missed */
    gpu.limits.threads_per_sm = 2048;
    CHECK_INT(case_read(&was, before), 0);
    CHECK_INT(case_read(&is, after), 0);
    CHECK_INT(habitat_operation_work(&was.op, &work), HABITAT_OK);
    CHECK_INT(habitat_operation_work(&is.op, &then), HABITAT_OK);
    habitat_workload_group group = {.operation = &was.op, .work = &work, .origin_ms = .0522 * 16};
    return of(&group, &then, &gpu);
}

static double growth(const char *before, const char *after) {
    return growth_by(sums_growth, before, after);
}

static double scan_growth(const char *before, const char *after) {
    return growth_by(scans_growth, before, after);
}

/* On 100 SMs at 1 GHz; the launch is 2.2 us. 1024 columns: 8 blocks, of 1024 rows 16 parts (4
 * rounds of 5.12 warps an SM), of 4096 64 parts (4 of 20.48). 256 channels: a warp each, 188 values
 * a thread, and a block each, 47. */
static void test_sums(void) {
    const char *images = "aten::sum | bf16[4,256,1,1500] =[0,2,3] =False -";
    double few = 2.2 + 5.59 + 6.39 + 4 * .56 + hypot(4 * .275, 4 * 5.12 * .02);
    double many = 2.2 + 5.59 + 6.39 + 16 * .56 + hypot(4 * .275, 4 * 20.48 * .02);
    CHECK_NEAR(growth("aten::sum | f32[1024,1024] =[0] =True -",
                      "aten::sum | f32[4096,1024] =[0] =True -"),
               many / few, 1e-6);
    CHECK_NEAR(growth(images, "aten::sum | bf16[16,256,1,1500] =[0,2,3] =False -"),
               (4.96 + hypot(12 * 1.046, 12 * 40.96 * .05)) /
                   (4.96 + hypot(47 * 1.046, 47 * 2.56 * .05)),
               1e-6);
    CHECK_NEAR(growth(images, "aten::sum | f32[4,256,1,1500] =[0,2,3] =False -"), 1, 1e-6);
    check_case("sums over a batch grow by their kernel");
    CHECK(isnan(growth(images, "aten::sum | bf16[1,256,1,1500] =[0,2,3] =False -")));
    CHECK(isnan(growth("aten::sum | bf16[1,256,1,1500] =[0,2,3] =False -", images)));
    CHECK(isnan(
        growth("aten::sum | f32[8,1024] =[1] =True -", "aten::sum | f32[32,1024] =[1] =True -")));
    CHECK(isnan(growth("aten::amax | f32[1024,1024] =[0] =True",
                       "aten::amax | f32[4096,1024] =[0] =True")));
    check_case("sums of a single image, sums a sample and other reductions do not");
}

/* Four times the rows of 512 values wait as long at 100 SMs of 2048 threads; memory answers from
 * the cache: 275 cycles. Eight times as many values of a row take eight times as long. */
static void test_scans(void) {
    const char *few = "aten::cumsum | f32[2,512,1024] =1 -";
    work_case was;
    habitat_work work;
    CHECK_NEAR(scan_growth(few, "aten::cumsum | f32[8,512,1024] =1 -"), 1,
               .05); /* and moves more bytes */
    CHECK_NEAR(scan_growth(few, "aten::cumsum | f32[2,4096,1024] =1 -"),
               (2.2 + 4096 * .275) / (2.2 + 512 * .275), 1e-3);
    /* Rows of the innermost dimension: of 512 threads 128 take a row of 512, in two passes of 16
     * steps, each of 1320 + 45 cycles a step, 700 less for the first; 64 a row of eight, in four
     * passes of 14. */
    CHECK_NEAR(scan_growth("aten::cumsum | f32[8,512] =1 -", "aten::cumsum | f32[64,512] =1 -"),
               (2.2 + 4 * (1.32 + .045 * 14) - .7) / (2.2 + 2 * (1.32 + .045 * 16) - .7), 1e-3);
    CHECK(isnan(scan_growth("aten::cumsum | f32[512] =0 -", "aten::cumsum | f32[1024] =0 -")));
    CHECK_INT(case_read(&was, few), 0);
    CHECK_INT(habitat_operation_work(&was.op, &work), HABITAT_OK);
    habitat_gpu unknown = made_gpu("a", 100, 1, 1000, 10);
    unknown.l2_bytes = 0;
    CHECK(!scans_are_told(&work, &unknown));
    check_case("scans across memory grow with their length, not with rows until the GPU is full");
}

/* ---- recordings ---- */

static void test_recorded(const habitat_gpu_table *table) {
    recorded_check_near(table, "new_models/tcn_b16_amp_bf16_h200",
                        "new_models/tcn_b4_amp_bf16_h200", (habitat_scale){.batch_size = 4},
                        "aten::sum", .2);
    recorded_check_near(table, "new_models/nerf_b1024_amp_bf16_h200",
                        "new_models/nerf_b4096_amp_bf16_h200", (habitat_scale){.batch_size = 4096},
                        "aten::cat", .25);
    recorded_check_near(table, "vit_b64_fp32_h200", "vit_b64_amp_bf16_h200",
                        (habitat_scale){.precision = HABITAT_PRECISION_AMP_BF16}, "aten::cat", .1);
    recorded_check_near(table, "new_models/gru_seq2seq_b16_amp_bf16_h200",
                        "new_models/gru_seq2seq_b64_amp_bf16_h200",
                        (habitat_scale){.batch_size = 64}, "aten::_cudnn_rnn_backward", .1);
    recorded_check_near(table, "new_models/resnext50_b16_fp32_h200",
                        "new_models/resnext50_b64_fp32_h200", (habitat_scale){.batch_size = 64},
                        "aten::convolution_backward", .05);
}

/* Groups of channels that run in turn: 62 kernels back of 11 groups. Before: 1.42 of the recorded
 * time at five times the images, .64 of it in bf16. */
static void test_groups(const habitat_gpu_table *table) {
    recorded_check_near(table, "full_size/again/regnet_b32_amp_bf16_h100",
                        "full_size/again/regnet_b160_amp_bf16_h100",
                        (habitat_scale){.batch_size = 160}, "aten::convolution_backward", .3);
    recorded_check_near(table, "full_size/again/regnet_b32_tf32_h100",
                        "full_size/again/regnet_b32_amp_bf16_h100",
                        (habitat_scale){.precision = HABITAT_PRECISION_AMP_BF16},
                        "aten::convolution_backward", .36);
}

/* Attention that stays in parts, in fp32, behind sums of rows with columns in 16 bit. Before: 0.61
 * and 0.59 of the recorded time, and the largest of those sums twice it. */
static void test_parts(const habitat_gpu_table *table) {
    const habitat_scale to_bf16 = {.precision = HABITAT_PRECISION_AMP_BF16};
    recorded_check_near(table, "full_size/segment_b1_tf32_h100",
                        "full_size/segment_b1_amp_bf16_h100", to_bf16,
                        "aten::_softmax_backward_data", .05);
    recorded_check_near(table, "full_size/t5_large_b4_tf32_h100",
                        "full_size/t5_large_b4_amp_bf16_h100", to_bf16, "aten::_softmax", .05);
    recorded_check_near(table, "full_size/segment_b1_tf32_h100",
                        "full_size/segment_b1_amp_bf16_h100", to_bf16, "aten::add", .1);
}

/* Stable Diffusion's heads of 40, 80 and 160 lines: fp32 computes wider ones, of which the models
 * are asked. Before: 0.64 of the recorded time. */
static void test_heads(const habitat_gpu_table *table) {
    static const char *const names[][2] = {
        {"aten::_cudnn_attention_forward", "aten::_efficient_attention_forward"},
        {"aten::_cudnn_attention_backward", "aten::_efficient_attention_backward"}};
    recorded a = recorded_open(table, "full_size/denoiser_b4_amp_bf16_h100");
    recorded b = recorded_open(table, "full_size/denoiser_b4_tf32_h100");
    const habitat_scale to_tf32 = {.precision = HABITAT_PRECISION_TF32};
    habitat_workload *out = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_workload_scale(a.w, &to_tf32, NULL, &out, &err), HABITAT_OK);
    for (size_t i = 0; out && i < 2; i++)
        CHECK(fabs(log(recorded_total_ms(out, names[i][0]) / recorded_total_ms(b.w, names[i][1]))) <
              .1);
    habitat_workload_free(out);
    recorded_close(&a);
    recorded_close(&b);
    check_case("attention of heads that fp32 computes wider than they are");
}

/* ---- places ---- */

static bool runs(const habitat_workload *w, const habitat_workload_group *group, const char *name) {
    const habitat_workload_kernel *kernel = &w->kernels[w->group_index[group->first_kernel]];
    return group->work->op_class == HABITAT_CLASS_COPY && group->kernel_count == 1 &&
           group->work->dtype == HABITAT_DTYPE_FP32 && strstr(kernel->kernel->form->name, name);
}

/* Half of the bytes: 2^-0.2 of the time without vectors, and with them what others say. */
static void test_places(const habitat_gpu_table *table) {
    recorded r = recorded_open(table, "full_size/segment_b1_tf32_h100");
    size_t by_place = 0, others = 0;
    for (size_t g = 0; g < r.w->group_count; g++) {
        const habitat_workload_group *group = &r.w->groups[g];
        scale_group after = {.work = *group->work, .ratio = 1.0};
        bool without = runs(r.w, group, "::elementwise_kernel<");
        if (!without && !runs(r.w, group, "CatArrayBatchedCopy"))
            continue;
        CHECK(isnan(unvectorised_ratio(r.w, group, &after, 1.0)));
        after.work.dtype = HABITAT_DTYPE_BF16;
        double ratio = unvectorised_ratio(r.w, group, &after, 0.5);
        CHECK(without ? fabs(ratio - 0.87055) < 1e-5 : isnan(ratio));
        after.mixed = true;
        CHECK(isnan(unvectorised_ratio(r.w, group, &after, 0.5)));
        by_place += without;
        others += !without;
    }
    CHECK(by_place > 10 && others > 0);
    recorded_close(&r);
    check_case("kernels without vectors take nearly as long in another format");
}

/* At 0.8 TB/s and 1 GHz: 4 million elements move 24 MB, 1.5 of which they take
 * longer to fp32; 10,000 wait 2600 cycles, 256 half of that. */
static void test_casts(void) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    const double elements[] = {4e6, 4e6, 1e4, 256}, us[] = {30, 45, 2.6, 1.3};
    habitat_error err = {0};
    scale_added added[4] = {{0}};
    double ns[4];
    for (size_t i = 0; i < 4; i++) {
        habitat_rows_shape shape = {.rows = 1, .columns = elements[i]};
        CHECK_INT(habitat_work_rows("copy", &shape, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD,
                                    &added[i].work),
                  HABITAT_OK);
        added[i].work.read_bytes = (i ? 2 : 4) * elements[i];
        added[i].work.write_bytes = (i ? 4 : 2) * elements[i];
        added[i].widens = i > 0;
    }
    CHECK_INT(rescale_added(NULL, &gpu, 4, added, ns, &err), HABITAT_OK);
    for (size_t i = 0; i < 4; i++)
        CHECK_NEAR(ns[i], formula_kernel_floor_ns(&gpu) + 1e3 * us[i], 1e-9);
    check_case("casts to fp32 go without vectors and begin late");
}

/* ---- blocks of images ---- */

#define MADE(blocks)                                                                               \
    {                                                                                              \
        .name = "wgrad_alg0_engine", .op = "aten::convolution_backward",                           \
        .dims = "[[8, 64, 32, 32], [8, 64, 32, 32], [64, 64, 3, 3]]", .grid = (blocks),            \
        .block = 64, .duration_ns = 400000                                                         \
    }

/* Four times the batch, 3.898 the elements with the weights, on 80 multiprocessors, of which 320
 * blocks leave no room: 40 are an eighth, 3201 ten times as many. */
static void test_images(const habitat_gpu *gpu) {
    const made_kernel kernels[] = {MADE(40), MADE(3201)};
    const double shares[] = {40 / 320., 3201 / 320.};
    habitat_trace *trace =
        made_trace(kernels, 2, NULL, "\"habitat\": {\"schema\": 1, \"batch_size\": 8},", 0);
    habitat_workload *w = NULL, *out = NULL;
    habitat_scale scale = {.batch_size = 32};
    habitat_error err = {0};
    CHECK_INT(habitat_workload_create(trace, gpu, &w, &err), HABITAT_OK);
    CHECK_INT(habitat_workload_scale(w, &scale, NULL, &out, &err), HABITAT_OK);
    for (size_t k = 0; out && k < 2; k++)
        CHECK_NEAR(out->kernels[k].facts.time_ns / w->kernels[k].facts.time_ns,
                   hypot(1, 3.898 * shares[k]) / hypot(1, shares[k]), .02);
    habitat_workload_free(out);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("gradients that blocks of images add up take no longer until no room is left");
}

/* On 100 SMs at 1 GHz any kernel takes 2.2 us. 1000 rows of 64 go by in 50 us. 4000 are sorted in
 * 73 times 2.2 us and what they move, 2.08 MB at .14 of 800 GB/s. */
static void test_tables(void) {
    static const char few[] =
        "aten::embedding_dense_backward | f32[1000,64] i64[1000] =9000 =-1 =False";
    static const char many[] =
        "aten::embedding_dense_backward | f32[4000,64] i64[4000] =9000 =-1 =False";
    static const char more[] =
        "aten::embedding_dense_backward | f32[8000,64] i64[8000] =9000 =-1 =False";
    CHECK_NEAR(growth_by(tables_growth, few, many), 2 * (2.2 + 73 * 2.2 + 2.6 / .14) / 835.2, 1e-9);
    double many_us = 2.2 + 73 * 2.2 + 2.6 / .14;
    CHECK_NEAR(growth_by(tables_growth, many, few), pow(835.2 / many_us, .25) * 52.2 / 835.2, 1e-9);
    CHECK(isnan(growth_by(tables_growth, many, more)) && isnan(growth_by(tables_growth, few, few)));
    check_case("gradients of tables are sorted from some rows on");
}

int main(void) {
    habitat_gpu_table *table = NULL;
    const habitat_gpu *gpu = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_table_create(NULL, &table, &err), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "V100", &gpu, NULL, &err), HABITAT_OK);
    test_sums();
    test_scans();
    test_tables();
    test_recorded(table);
    test_groups(table);
    test_parts(table);
    test_heads(table);
    test_places(table);
    test_casts();
    test_images(gpu);
    habitat_gpu_table_free(table);
    return check_done();
}
