/* Kernels that grow with a batch by what bounds them: src/kernels/elementwise_times.c,
 * channel_norms.c, layouts.c, layer_norms.c; attention. */
#include <math.h>
#include <string.h>

#include <habitat/habitat.h>

#include "base/constants_kernels.h"
#include "base/constants_scaling.h"
#include "check.h"
#include "formula/rates.h"
#include "kernels/channel_norms.h"
#include "kernels/elementwise_times.h"
#include "kernels/layer_norms.h"
#include "kernels/layouts.h"
#include "made_gpu.h"
#include "recorded_scale.h"
#include "work_case.h"
#include "workload/workload.h"

enum { KERNELS = 3 };

/* One operation of up to three kernels on 100 SMs at 1 GHz, 1 TB/s sustained: a byte is 1 ps from
 * memory, 2/3 ps from the cache of 10 MB. */
typedef struct made_group {
    habitat_gpu gpu;
    work_case was, is;
    habitat_work before, after;
    habitat_kernel_form forms[KERNELS];
    habitat_kernel recorded[KERNELS];
    habitat_workload_kernel kernels[KERNELS];
    uint32_t index[KERNELS];
    habitat_workload_group group;
    habitat_workload w;
} made_group;

static void make(made_group *m, const char *before, const char *after) {
    memset(m, 0, sizeof *m);
    m->gpu = made_gpu("a", 100, 1, 1250, 10);
    m->gpu.l2_bytes = 10e6;
    CHECK_INT(case_read(&m->was, before), 0);
    CHECK_INT(case_read(&m->is, after), 0);
    CHECK_INT(habitat_operation_work(&m->was.op, &m->before), HABITAT_OK);
    CHECK_INT(habitat_operation_work(&m->is.op, &m->after), HABITAT_OK);
    m->group = (habitat_workload_group){.operation = &m->was.op, .work = &m->before};
    m->w = (habitat_workload){.origin = &m->gpu,
                              .kernels = m->kernels,
                              .group_index = m->index,
                              .groups = &m->group,
                              .group_count = 1};
}

/* time_ns beside the floor of a launch. */
static void add(made_group *m, const char *name, uint32_t blocks, double time_ns) {
    uint32_t k = m->group.kernel_count++;
    m->forms[k] = (habitat_kernel_form){.name = name, .grid = {blocks, 1, 1}};
    m->recorded[k].form = &m->forms[k];
    m->kernels[k].kernel = &m->recorded[k];
    m->kernels[k].facts.blocks = blocks;
    m->kernels[k].facts.time_ns = formula_kernel_floor_ns(&m->gpu) + time_ns;
    m->index[k] = k;
}

/* Of all kernels beside the floors: growth is that of the whole. */
static double beside_floors_ns(const made_group *m, double growth) {
    double all_ns = 0.0;
    for (uint32_t i = 0; i < m->group.kernel_count; i++)
        all_ns += m->kernels[i].facts.time_ns;
    return all_ns * growth - m->group.kernel_count * formula_kernel_floor_ns(&m->gpu);
}

static double streamed_ns(const char *before, const char *after, uint32_t blocks, double time_ns) {
    made_group m;
    make(&m, before, after);
    add(&m, "elementwise_kernel", blocks, time_ns);
    return beside_floors_ns(&m, elementwise_growth(&m.w, &m.group, &m.after));
}

/* 0.5 million values are 4 MB read and written, which the cache holds: 2.67 us; 16 times as many
 * come from memory: 64 us. */
static void test_streams(void) {
    const char *few = "aten::relu | f32[512,1024]", *many = "aten::relu | f32[8192,1024]";
    double bytes = 2 * 4 * 512 * 1024.0;
    habitat_gpu gpu = made_gpu("a", 100, 1, 1250, 10);
    gpu.l2_bytes = 10e6;
    CHECK_NEAR(elementwise_passed_ns(&gpu, 3e6), 2000, 1e-9);
    CHECK_NEAR(elementwise_passed_ns(&gpu, 8e6), 8000 * (.5 + .5 / 1.5), 1e-9);
    CHECK_NEAR(elementwise_passed_ns(&gpu, 20e6), 20000, 1e-9);
    check_case("what the cache holds passes half as fast again");
    double passed = elementwise_passed_ns(&gpu, bytes), missed = 16 * bytes * 1e-3;
    CHECK_NEAR(streamed_ns(few, many, 1111, 100e3), 1600e3, 1e-3);
    CHECK_NEAR(streamed_ns(few, many, 1111, passed), missed, 1e-6);
    CHECK_NEAR(streamed_ns(few, many, 1111, passed / 2), missed / 2, 1e-6);
    check_case("bound by instructions in proportion, by the cache as memory then takes");
    CHECK_NEAR(streamed_ns(few, many, 6, 1e6), 1e6, 1e-3);
    CHECK_NEAR(streamed_ns(few, many, 25, 1e6), 4e6, 1e-3);
    CHECK_NEAR(streamed_ns(few, many, 200, 100e3), 1600e3, 1e-3);
    check_case("until all multiprocessors have a block it takes no longer");
    double there = streamed_ns(few, many, 1111, 5000);
    CHECK_NEAR(streamed_ns(many, few, 16 * 1111, there), 5000, 1e-6);
    check_case("there and back");
    CHECK(isnan(streamed_ns("aten::mm | f32[64,64] f32[64,64]", "aten::mm | f32[128,64] f32[64,64]",
                            1111, 5000)));
    check_case("products do not");
}

/* A kernel of cuDNN's turns 64 x 32 x 3 x 3 weights with 64 blocks, 4 images of 32 x 8 x 8 with 8,
 * 32 with 64, too. */
static void test_layouts(void) {
    const char *four = "aten::cudnn_convolution | bf16[4,32,8,8] bf16[64,32,3,3] =[1,1] =[1,1] "
                       "=[1,1] =1 =False =False =True";
    const char *many = "aten::cudnn_convolution | bf16[32,32,8,8] bf16[64,32,3,3] =[1,1] =[1,1] "
                       "=[1,1] =1 =False =False =True";
    made_group m;
    make(&m, four, many);
    add(&m, "nchwToNhwcKernel", 64, 5000);
    add(&m, "nchwToNhwcKernel", 8, 5000);
    add(&m, "sm90_xmma_fprop", 64, 5000);
    CHECK_INT(layouts_of(&m.w, &m.group, &m.kernels[0]), LAYOUT_WEIGHTS);
    CHECK_INT(layouts_of(&m.w, &m.group, &m.kernels[1]), LAYOUT_IMAGES);
    CHECK_INT(layouts_of(&m.w, &m.group, &m.kernels[2]), LAYOUT_NOT);
    m.before = m.after;
    CHECK_INT(layouts_of(&m.w, &m.group, &m.kernels[0]), LAYOUT_IMAGES);
    check_case("grids tell whose layout is turned; those of both grow");
}

/* Rows of 64 columns, 4 bytes: sums walk them. 65,536 are walked by two blocks, more are shared
 * out. */
static double layers_ns(const char *before, const char *after, double sums_ns, double rows_ns) {
    made_group m;
    make(&m, before, after);
    add(&m, "layer_norm_grad_input_kernel_vectorized", 1111, rows_ns);
    add(&m, "GammaBetaBackwardCUDAKernelTemplate", 2, sums_ns);
    return beside_floors_ns(&m, layer_norms_growth(&m.w, &m.group, &m.after));
}

#define LAYERS(rows)                                                                               \
    "aten::native_layer_norm_backward | f32[" #rows ",64] f32[" #rows ",64] =[64] f32[" #rows      \
    ",1] f32[" #rows ",1] f32[64] f32[64] =[True,True,True]"

static void test_layers(void) {
    double floor_ns = hardware_kernel_floor_cycles; /* at 1 GHz */
    double rows_ns = 1e6;                           /* instructions */
    CHECK_NEAR(layers_ns(LAYERS(16384), LAYERS(65536), 200e3, rows_ns) - 4 * rows_ns,
               200e3 + 3 * (200e3 - floor_ns), 1e-3);
    double shared = 2 * 4 * 64 * 131072.0 * 1e-3 / fitted_gamma_rate_share;
    CHECK_NEAR(layers_ns(LAYERS(65536), LAYERS(131072), 200e3, rows_ns) - 2 * rows_ns, shared,
               1e-3);
    CHECK_NEAR(layers_ns(LAYERS(131072), LAYERS(65536), shared, rows_ns) - rows_ns / 2,
               65536 * fitted_gamma_row_cycles, 1e-3);
    check_case("gradients of layer norms: few blocks walk the rows, until these are shared out");
}

/* ---- recordings ---- */

static void test_recorded(const habitat_gpu_table *table) {
    const char *few = "full_size/denoiser_b4_amp_bf16_h100";
    const char *many = "full_size/denoiser_b24_amp_bf16_h100";
    recorded_check_near(table, "full_size/resnet50_b64_amp_bf16_h100",
                        "full_size/resnet50_b512_amp_bf16_h100", (habitat_scale){.batch_size = 512},
                        "aten::native_batch_norm_backward", .1);
    recorded_check_near(table, few, many, (habitat_scale){.batch_size = 24},
                        "aten::native_layer_norm_backward", .1);
    recorded_check_near(table, few, many, (habitat_scale){.batch_size = 24},
                        "aten::convolution_backward", .1);
    recorded_check_near(table, few, many, (habitat_scale){.batch_size = 24},
                        "aten::cudnn_convolution", .1);
    recorded_check_near(table, few, many, (habitat_scale){.batch_size = 24}, "aten::copy_", .06);
    recorded_check_near(table, "full_size/video_b2_amp_bf16_h100",
                        "full_size/video_b12_amp_bf16_h100", (habitat_scale){.batch_size = 12},
                        "aten::_cudnn_attention_forward", .17);
}

int main(void) {
    habitat_gpu_table *table = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_table_create(NULL, &table, &err), HABITAT_OK);
    test_streams();
    test_layouts();
    test_layers();
    test_recorded(table);
    habitat_gpu_table_free(table);
    return check_done();
}
