/* Convolutions of recordings without shapes: what the grids of a layer's kernels tell together. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <habitat/habitat.h>

#include "check.h"
#include "work/conv_kernel.h"

static habitat_gpu_table *table;

#define XMMA(kind, format, layout, tile)                                                           \
    "sm80_xmma_" kind "_" format "_" layout "_tilesize" tile                                       \
    "_stage3_warpsize2x2x1_g1_ffma_aligna4_alignc4_execute_kernel__5x_cudnn"
#define FP32 "f32f32_f32f32_f32"
static const char forward_name[] = XMMA("fprop_implicit_gemm", FP32, "nchwkcrs_nchw", "256x64x8");
static const char weights_name[] =
    "void wgrad_alg0_engine<float, 128, 5, 5, 3, 3, 3, false, 512>()";
static const char data_name[] =
    "void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int, int)";

/* ---- names and grids ---- */

/* Of kernels in data/recordings, whose sizes were recorded. */
static void test_sizes(void) {
    static const struct {
        const char *name;
        uint32_t grid[3];
        conv_sizes told;
    } kernels[] = {
        /* 256 channels of 3x3, 64 images of 14 x 14 */
        {data_name,
         {36, 7, 64},
         {.images = 64, .pixels = 14336, .least_pixels = 12288, .sum = 2304, .gradient = true}},
        /* 64 channels to 256, 1x1 */
        {weights_name, {2, 8, 448}, {.sum = 64, .out = 256, .gradient = true, .weights = true}},
        /* 480 to 128: tiles of 64 by 128 */
        {"void cudnn::cnn::wgrad_alg1_engine<float, float, 128, 6, 7, 3, 3, 5, false, true>()",
         {8, 1, 24},
         {.sum = 512, .out = 128, .gradient = true, .weights = true}},
        {"void implicit_convolve_sgemm<__half, __half, 1024, 5, 5, 3, 3, 3, 1, false>()",
         {19, 30, 1},
         {.pixels = 608, .least_pixels = 576, .out = 960}},
        {forward_name, {8, 196, 1}, {.pixels = 50176, .least_pixels = 49920, .out = 512}},
        {XMMA("dgrad_implicit_gemm", FP32, "nchwkcrs_nchw", "32x32x8"),
         {17, 19, 1},
         {.in = 544, .gradient = true}},
        {XMMA("wgrad_implicit_gemm_indexed", FP32, "nhwckrsc_nhwc", "32x32x8"),
         {72, 8, 1},
         {.sum = 2304, .out = 256, .gradient = true, .weights = true}},
        {XMMA("gemm", FP32, "nt_n", "64x64x8"), /* Winograd's 36 points */
         {4, 2, 36},
         {.in = 128, .out = 256, .taps = 9, .gradient = true, .weights = true}},
        /* nothing: other batches of products, channels last, persistent, no tile, no grid */
        {XMMA("gemm", FP32, "nt_n", "64x64x8"), {4, 2, 35}, {.images = 0}},
        {XMMA("gemm", FP32, "nt_n", "64x32x8"), {4, 2, 36}, {.images = 0}},
        {XMMA("fprop_implicit_gemm", FP32, "nhwckrsc_nhwc", "128x32x8"),
         {2, 6272, 1},
         {.images = 0}},
        {"sm90_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nchwkcrs_nchw_tilesize128x64x64_"
         "warpgroupsize1x1x1_g1_execute",
         {132, 1, 1},
         {.images = 0}},
        {"void cudnn::detail::dgrad_engine<float, 512>()", {36, 7, 64}, {.images = 0}},
        {"void cudnn::detail::dgrad_engine<float, 512, 6, 99>()", {36, 7, 64}, {.images = 0}},
        {"dgrad_engine<", {36, 7, 64}, {.images = 0}},
        {data_name, {36, 7, 0}, {.images = 0}},
        {NULL, {1, 1, 1}, {.images = 0}},
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        habitat_kernel_form form = {.name = kernels[i].name};
        memcpy(form.grid, kernels[i].grid, sizeof form.grid);
        conv_sizes told = conv_sizes_of(&form), expected = kernels[i].told;
        CHECK_NEAR(told.images, expected.images, 0);
        CHECK_NEAR(told.pixels, expected.pixels, 1e-12);
        CHECK_NEAR(told.least_pixels, expected.least_pixels, 1e-12);
        CHECK_NEAR(told.in, expected.in, 0);
        CHECK_NEAR(told.out, expected.out, 0);
        CHECK_NEAR(told.sum, expected.sum, 0);
        CHECK_NEAR(told.taps, expected.taps, 0);
        CHECK_INT(told.weights, expected.weights);
        CHECK_INT(told.gradient, expected.gradient);
    }
    check_case("kernels of convolutions tell sizes by their names and grids, or none");
}

static conv_sizes layout(const char *kind, uint32_t x, uint32_t y, uint32_t z, unsigned before) {
    char name[128];
    snprintf(name, sizeof name, "void cudnn::engines_precompiled::%s<float, float, float>()", kind);
    habitat_kernel_form form = {.name = name, .grid = {x, y, z}};
    return conv_sizes_of_layout(&form, before);
}

/* 12 images of 56 x 56, 128 channels to 256, 3 x 3 */
static void test_layouts(void) {
    conv_sizes in = layout("nchwToNhwcKernel", 98, 4, 12, 0);
    CHECK_NEAR(in.images, 12, 0);
    CHECK_NEAR(in.in, 128, 0);
    CHECK_NEAR(in.in_pixels, 12 * 56 * 56, 0);
    conv_sizes weights = layout("nchwToNhwcKernel", 1, 4, 256, 1);
    CHECK_NEAR(weights.out, 256, 0);
    CHECK_NEAR(weights.in, 128, 0);
    CHECK_NEAR(weights.taps, 9, 0);
    CHECK_NEAR(layout("nchwToNhwcKernel", 2, 1, 64, 1).taps, 49, 0);
    conv_sizes out = layout("nhwcToNchwKernel", 98, 8, 12, 2);
    CHECK_NEAR(out.out, 256, 0);
    CHECK_NEAR(out.pixels, 12 * 56 * 56, 0);
    CHECK_NEAR(out.least_pixels, 12 * (56 * 56 - 32), 0);
    CHECK_NEAR(layout("splitKreduce", 98, 8, 12, 2).out, 0, 0);
    conv_sizes_join(&in, &weights);
    conv_sizes_join(&in, &out);
    CHECK_NEAR(in.images, 12, 0);
    CHECK_NEAR(in.in, 128, 0);
    CHECK_NEAR(in.out, 256, 0);
    CHECK_NEAR(in.taps, 9, 0);
    check_case("so do changes of layout, in their order");
}

/* ---- whole predictions ---- */

typedef struct one_kernel {
    const char *name;
    uint32_t grid[3];
    uint32_t block;
    double us;
} one_kernel;

/* An operation and its kernels at `at_us`; its number ties a backward pass to its forward one. */
static size_t write_operation(char *text, size_t room, double at_us, const char *name,
                              const char *args, bool backward, const one_kernel *kernels,
                              size_t count) {
    size_t used = (size_t)snprintf(
        text, room,
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s\",\"pid\":1,\"tid\":%d,\"ts\":%.1f,"
        "\"dur\":90,\"args\":{\"Sequence number\":7,\"Fwd thread id\":%d%s}},\n",
        name, backward ? 2 : 1, at_us, backward, args);
    for (size_t i = 0; i < count; i++) {
        const one_kernel *k = &kernels[i];
        double start = at_us + 1000.0 * (double)(i + 1);
        int link = (int)(at_us / 100.0) * 10 + (int)i;
        used += (size_t)snprintf(
            text + used, room - used,
            "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
            "\"tid\":%d,\"ts\":%.1f,\"dur\":1,\"args\":{\"correlation\":%d}},\n"
            "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,\"ts\":%.1f,"
            "\"dur\":%.3f,\"args\":{\"device\":0,\"stream\":7,\"correlation\":%d,\"grid\":[%u,%u,"
            "%u],\"block\":[%u,1,1],\"registers per thread\":128,\"shared memory\":16384}},\n",
            backward ? 2 : 1, at_us + 10.0 * (double)(i + 1), link, k->name, start, k->us, link,
            k->grid[0], k->grid[1], k->grid[2], k->block);
    }
    return used;
}

enum { ALL = -1 };

/* Kernel `which` of a trace, or ALL, on `dest`. */
static double kernel_ms(const char *text, size_t size, const char *dest, int which) {
    habitat_trace *trace = NULL;
    habitat_workload *w = NULL;
    habitat_prediction *p = NULL;
    const habitat_gpu *origin = NULL, *to = NULL;
    double ms = NAN;
    CHECK_INT(habitat_gpu_find(table, "H200", &origin, NULL, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, dest, &to, NULL, NULL), HABITAT_OK);
    CHECK_INT(habitat_trace_read_memory(text, size, "made", &trace, NULL), HABITAT_OK);
    CHECK_INT(habitat_workload_create(trace, origin, &w, NULL), HABITAT_OK);
    CHECK_INT(habitat_predict(w, to, HABITAT_METHOD_AUTO, &p, NULL), HABITAT_OK);
    if (p)
        ms = which == ALL ? p->kernel_ms : p->trace_kernels[which].ms;
    habitat_prediction_free(p);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    return ms;
}

/* 64 images of 14 x 14, 256 channels to 1024 by 1x1 (or as `weights` and kernels have it). */
static double predicted_ms(bool bare, const char *weights, const one_kernel *forward,
                           const one_kernel *backward, size_t gradients, const char *dest) {
    static char text[32768];
    char args[1024], both[2048];
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"made GPU\"}],"
        "\"traceEvents\":[\n");
    snprintf(
        args, sizeof args,
        ",\"Input type\":[\"float\",\"float\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"],"
        "\"Concrete Inputs\":[\"\",\"\",\"[0, 0]\",\"[1, 1]\",\"[1, 1]\",\"1\",\"\",\"\",\"\"],"
        "\"Input Dims\":[[64,256,14,14],%s,[],[],[],[],[],[],[]]",
        weights);
    snprintf(both, sizeof both,
             ",\"Input type\":[\"float\",\"float\",\"float\",\"\",\"\",\"\",\"\",\"\",\"\",\"\","
             "\"\"],\"Concrete Inputs\":[\"\",\"\",\"\",\"\",\"[1, 1]\",\"[0, 0]\",\"[1, 1]\","
             "\"False\",\"[0, 0]\",\"1\",\"[True, True, False]\"],\"Input Dims\":[[64,1024,14,14],"
             "[64,256,14,14],%s,[],[],[],[],[],[],[],[]]",
             weights);
    used += write_operation(text + used, sizeof text - used, 100, "aten::cudnn_convolution",
                            bare ? "" : args, false, forward, 1);
    if (gradients)
        used += write_operation(text + used, sizeof text - used, 5000, "aten::convolution_backward",
                                bare ? "" : both, true, backward, gradients);
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{}}]}\n");
    return kernel_ms(text, used, dest, ALL);
}

static const char *const dests[] = {"GTX1080Ti", "T4", "V100-PCIE-32GB", "A100-PCIE-40GB"};

/* Times of resnet50_b64_fp32_h200. */
static void test_step(void) {
    const one_kernel forward = {forward_name, {16, 49, 1}, 128, 180};
    const one_kernel backward[] = {{data_name, {4, 7, 64}, 8, 270},
                                   {weights_name, {8, 32, 64}, 8, 424}};
    for (size_t i = 0; i < sizeof dests / sizeof *dests; i++) {
        double with = predicted_ms(false, "[1024,256,1,1]", &forward, backward, 2, dests[i]);
        double without = predicted_ms(true, "[1024,256,1,1]", &forward, backward, 2, dests[i]);
        CHECK_NEAR(without, with, 0.02 * with);
    }
    check_case("a layer's forward and backward kernels tell its sizes together");
}

/* Nothing but the time tells sums of 256 from those of 2304. */
static void test_inference(void) {
    const one_kernel once = {forward_name, {16, 49, 1}, 128, 180};
    const one_kernel nine = {forward_name, {16, 49, 1}, 128, 1330};
    for (size_t i = 0; i < sizeof dests / sizeof *dests; i++) {
        double with = predicted_ms(false, "[1024,256,1,1]", &once, NULL, 0, dests[i]);
        CHECK_NEAR(predicted_ms(true, "[1024,256,1,1]", &once, NULL, 0, dests[i]), with,
                   0.1 * with);
    }
    double short_sums = predicted_ms(true, "[1024,256,1,1]", &once, NULL, 0, "V100-PCIE-32GB");
    double long_sums = predicted_ms(true, "[1024,256,1,1]", &nine, NULL, 0, "V100-PCIE-32GB");
    CHECK(long_sums > 2.0 * short_sums && long_sums < 9.0 * short_sums); /* by Winograd */
    check_case("a forward pass alone has sums as long as its time says");
}

/* ---- convolutions that run as plain products ---- */

/* An operation of one kernel, the i-th of the step. */
static size_t write_one(char *text, size_t room, int i, const char *name, const char *args,
                        const one_kernel *kernel) {
    return write_operation(text, room, 100.0 * (i + 1), name, args, false, kernel, 1);
}

/* 3x3 from 256 to 64 channels, norm, activation or none, 1x1 as a product to 512 channels, norm. */
static double product_ms(bool bare, bool active, const char *dest) {
    static char text[32768];
    const one_kernel steps[] = {
        {forward_name, {1, 784, 1}, 128, 1340},
        {"void cudnn::bn_fw_tr_1C11_singleread<float, 512, true>()", {64, 1, 1}, 512, 300},
        {"void at::native::elementwise_kernel<relu>()", {9999, 1, 1}, 128, 70},
        {"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x256_32x3_nn_align4>()",
         {8, 4, 64},
         128,
         180},
        {"void cudnn::bn_fw_tr_1C11_singleread<float, 512, true>()", {512, 1, 1}, 512, 300}};
    const char conv[] = ",\"Input type\":[\"float\",\"float\",\"\",\"\",\"\",\"\"],"
                        "\"Concrete Inputs\":[\"\",\"\",\"%s\",\"[1, 1]\",\"[1, 1]\",\"1\"],"
                        "\"Input Dims\":[[64,%d,56,56],%s,[],[],[],[]]";
    char first[512], second[512];
    snprintf(first, sizeof first, conv, "[1, 1]", 256, "[64,256,3,3]");
    snprintf(second, sizeof second, conv, "[0, 0]", 64, "[512,64,1,1]");
    const char *names[] = {"aten::cudnn_convolution", "aten::cudnn_batch_norm", "aten::relu",
                           "aten::cudnn_convolution", "aten::cudnn_batch_norm"};
    const char *args[] = {first, "", "", second, ""};
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"made GPU\"}],"
        "\"traceEvents\":[\n");
    for (int i = 0; i < 5; i++)
        if (i != 2 || active)
            used += write_one(text + used, sizeof text - used, 20 * i, names[i],
                              bare ? "" : args[i], &steps[i]);
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{}}]}\n");
    return kernel_ms(text, used, dest, active ? 3 : 2);
}

static void test_products(void) {
    for (size_t i = 0; i < sizeof dests / sizeof *dests; i++) {
        double with = product_ms(false, true, dests[i]);
        CHECK_NEAR(product_ms(true, true, dests[i]), with, 0.05 * with);
        CHECK(fabs(product_ms(true, false, dests[i]) / with - 1.0) > 0.01);
    }
    check_case("norms tell channels of convolutions that run as products, but not of a branch");
}

int main(void) {
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    test_sizes();
    test_layouts();
    test_step();
    test_inference();
    test_products();
    habitat_gpu_table_free(table);
    return check_done();
}
