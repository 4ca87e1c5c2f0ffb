/* Recordings without shapes: what names, grids and times tell of the sizes. */
#include <habitat/habitat.h>

#include "check.h"
#include "gpu/gpu.h"
#include "kernels/share_by_name.h"
#include "made_trace.h"
#include "work/elements.h"
#include "work/tile.h"

static habitat_gpu_table *table;

/* ---- names ---- */

static void test_tiles(void) {
    static const struct {
        const char *name;
        double rows, columns; /* 0: the name tells none */
        bool persistent;
    } names[] = {
        {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x64x8_stage3_warpsize2x2x1_ffma_"
         "aligna4_alignc4_execute_kernel__5x_cublas",
         128, 64, false},
        {"sm90_xmma_gemm_f32f32_tf32f32_f32_nt_n_tilesize128x256x32_warpgroupsize2x1x1_execute_"
         "segment_k_off_kernel__5x_cublas",
         128, 256, true},
        {"void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(Params)", 256, 128,
         false},
        {"void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_f16_64x64_32x6_nn_align2>()", 64,
         64, false},
        {"nvjet_sm90_tst_192x192_64x4_2x1_v_bz_coopB_TNN", 192, 192, true},
        {"volta_sgemm_64x32_sliced1x4_nn", 64, 32, false},
        {"turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_nn", 128, 128, false},
        {"_ZN7cutlass6KernelINS_4gemm9GemmShapeILi128ELi64ELi32EEEE", 128, 64, false},
        {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64_4x1x1", 64,
         128, false},
        {"nvjet_sm90_tst_32_64x3_1x2_h_bz_coopB_NNT", 0, 0, false}, /* 64x3: stages */
        {"gemv2T_kernel_val<int, int, float, float, 128, 16, 4, 4>", 0, 0, false},
        {"tilesize1000x1000", 0, 0, false},
        {"tilesize9999999999999999999999x64", 0, 0, false},
        {"tile60x100", 0, 0, false}, /* no multiples of 8 */
        {"64x", 0, 0, false},
        {"", 0, 0, false},
        {NULL, 0, 0, false},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        kernel_tile tile = {.rows = -1.0};
        bool told = kernel_tile_of(names[i].name, &tile);
        CHECK_INT(told, names[i].rows > 0.0);
        CHECK_NEAR(tile.rows, told ? names[i].rows : -1.0, 0);
        CHECK_NEAR(tile.columns, told ? names[i].columns : 0.0, 0);
        CHECK_INT(tile.persistent, told && names[i].persistent);
    }
    check_case("the tile of a product is read from its kernel's name, or there is none");
    CHECK_INT(kernel_alignment("cutlass_80_tensorop_s1688gemm_128x256_32x3_nt_align1"), 1);
    CHECK_INT(kernel_alignment("cutlass_80_tensorop_s16816gemm_64x64_32x6_nn_align8::Params"), 8);
    CHECK_INT(kernel_alignment("cutlass_80_tensorop_i16832gemm_s8_128x128_64x4_tn_align16"), 16);
    CHECK_INT(kernel_alignment("kernel_align99999999999"), 0);
    CHECK_INT(kernel_alignment("xmma_gemm_ffma_aligna4_alignc4_execute"), 0);
    CHECK_INT(kernel_alignment("f_align"), 0);
    CHECK_INT(kernel_alignment(NULL), 0);
    check_case("and so is what its operands are aligned to");
}

static habitat_kernel_form form_of(const char *name, uint32_t blocks) {
    return (habitat_kernel_form){.name = name, .grid = {blocks, 1, 1}, .block = {128, 1, 1}};
}

static void test_elements(void) {
    static const struct {
        const char *name;
        double bytes; /* of an element of all tensors; 0: the name does not tell */
        unsigned width;
    } names[] = {
        {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
         "std::array<char*, 3ul> >(int)",
         12, 2},
        {"void at::native::vectorized_elementwise_kernel<8, "
         "at::native::CUDAFunctor_add<c10::Half>, std::array<char*, 3ul> >(int)",
         6, 3},
        {"vectorized_elementwise_kernel<4, CUDAFunctor_add<c10::Half>, at::detail::Array<char*, 3> "
         ">",
         6, 2}, /* older: four of them a load of 8 byte */
        {"vectorized_elementwise_kernel<8, GeluCUDAKernelImpl()::{lambda()#2}, std::array<char*, "
         "2ul> >",
         4, 3}, /* no format named: loads of 16 byte */
        {"vectorized_elementwise_kernel<4, masked_scale_kernel<bool, float, float>(), "
         "std::array<char*, 3ul> >",
         9, 2}, /* a mask of bytes */
        {"vectorized_elementwise_kernel<4, BinaryFunctor<bool, bool, bool, bitwise_and>, "
         "std::array<char*, 3ul> >",
         3, 2}, /* bytes alone */
        {"vectorized_elementwise_kernel<16, FillFunctor<bool>, std::array<char*, 1ul> >", 1, 4},
        {"vectorized_elementwise_kernel<3, F<float>, std::array<char*, 3ul> >", 0, 0},
        {"vectorized_elementwise_kernel<4, F<float>, std::array<char*, 99ul> >", 0, 0},
        {"vectorized_elementwise_kernel<4, F<float> >", 0, 0},
        {"elementwise_kernel<128, 2, F<float>, std::array<char*, 3ul> >", 0, 0},
        {NULL, 0, 0},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        habitat_kernel_form form = form_of(names[i].name, 800);
        kernel_elements told = {0};
        CHECK_INT(kernel_elements_of(&form, &told), names[i].bytes > 0.0);
        CHECK_NEAR(told.round_bytes, 800 * 128 * names[i].bytes, 1e-12);
        CHECK_INT(told.width, names[i].width);
    }
    habitat_kernel_form no_grid = form_of(names[0].name, 0);
    CHECK(!kernel_elements_of(&no_grid, &(kernel_elements){0}));
    check_case("bytes of vectorised kernels are read from their name and grid, or there are none");
}

static void test_named(void) {
    CHECK_NEAR(share_by_name("void cudnn::bn_bw_1C11_kernel_new<float>()"), 0.25, 0);
    CHECK_NEAR(share_by_name("void cudnn::bn_bw_1C11_singleread<float>()"), 0.4, 0);
    CHECK_NEAR(share_by_name("at::native::batch_norm_backward_kernel<c10::Half>"), 0.15, 0);
    CHECK(isnan(share_by_name("a_kernel_of_nobody")));
    CHECK(isnan(share_by_name(NULL)));
    check_case("known names have a usual share of their own, unknown ones none");
}

/* ---- whole predictions ---- */

static void take_shapes_out(char *text, size_t size) {
    for (char *at = text; (at = memchr(at, '"', size - (size_t)(at - text))); at++)
        if ((size_t)(text + size - at) > 9 &&
            (memcmp(at, "\"Input ", 7) == 0 || memcmp(at, "\"Concrete", 9) == 0))
            at[1] = 'x';
}

/* One kernel onto `dest`, with the sizes of its operation or without. */
static habitat_estimate predict(made_kernel kernel, bool bare, const char *dest) {
    size_t size = 0;
    char *text = made_trace_text(&kernel, 1, NULL, "", 0, &size);
    habitat_trace *trace = NULL;
    habitat_workload *w = NULL;
    habitat_prediction *p = NULL;
    const habitat_gpu *h200 = NULL, *to = NULL;
    habitat_estimate out = {.ms = NAN};
    if (bare)
        take_shapes_out(text, size);
    CHECK_INT(habitat_gpu_find(table, "H200", &h200, NULL, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, dest, &to, NULL, NULL), HABITAT_OK);
    CHECK_INT(habitat_trace_read_memory(text, size, "made", &trace, NULL), HABITAT_OK);
    CHECK_INT(habitat_workload_create(trace, h200, &w, NULL), HABITAT_OK);
    CHECK_INT(habitat_predict(w, to, HABITAT_METHOD_AUTO, &p, NULL), HABITAT_OK);
    CHECK_INT(habitat_trace_get_info(trace)->has_shapes, !bare);
    if (p)
        out = p->trace_kernels[0];
    habitat_prediction_free(p);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    free(text);
    return out;
}

static double apart(made_kernel kernel, const char *dest) {
    return predict(kernel, true, dest).ms / predict(kernel, false, dest).ms - 1.0;
}

/* As data/recordings has them: names, blocks and times on an H200. */
static void test_products(void) {
    const made_kernel plain = {
        .name = "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_"
                "ffma_aligna4_alignc4_execute_kernel__5x_cublas",
        .start_ns = 100000,
        .duration_ns = 175000,
        .stream = 7,
        .grid = 256,
        .block = 128,
        .registers = 234,
        .op = "aten::mm",
        .dims = "[[4096, 1024], [1024, 1024]]"};
    made_kernel odd = plain; /* a vocabulary of 50257 words */
    odd.name = "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x256_32x3_nt_align1>()";
    odd.grid = 32 * 197;
    odd.duration_ns = 2650000;
    odd.dims = "[[4096, 768], [768, 50257]]";
    static const char *const dests[] = {"T4", "V100-PCIE-32GB", "A100-PCIE-40GB", "RTX4090"};
    for (size_t i = 0; i < sizeof dests / sizeof *dests; i++) {
        CHECK_INT(predict(plain, true, dests[i]).method, HABITAT_METHOD_LEARNED);
        CHECK(fabs(apart(plain, dests[i])) < 0.10);
        CHECK(fabs(apart(odd, dests[i])) < 0.25);
    }
    check_case("a product of unknown sizes is answered as one of the sizes that its name, grid and "
               "time tell");
    made_kernel nameless = plain;
    nameless.name = "some_gemm_of_somebody";
    CHECK(predict(nameless, true, "T4").ms > 0.0);
    CHECK(fabs(apart(nameless, "T4")) < 0.25);
    nameless.name = "";
    CHECK(predict(nameless, true, "T4").ms > 0.0);
    check_case("a name that tells nothing makes it a cube");
}

static void test_convolutions(void) {
    made_kernel conv = {
        .name = "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize32x32x8_"
                "stage3_warpsize1x2x1_g1_ffma_aligna4_alignc4_execute_kernel__5x_cudnn",
        .start_ns = 100000,
        .duration_ns = 143000,
        .stream = 7,
        .grid = 592,
        .block = 64,
        .registers = 128,
        .op = "aten::cudnn_convolution",
        .dims = "[[12, 256, 14, 14], [256, 256, 3, 3]]"};
    CHECK_INT(predict(conv, true, "T4").method, HABITAT_METHOD_LEARNED);
    check_case("a convolution of unknown sizes asks the models, too");
    conv.name = "void cutlass__5x_cudnn::Kernel<cutlass_tensorop_f16_s16816fprop_optimized_f16_"
                "64x64_64x5_nhwc_align8>()"; /* on matrix units: by the rule where there are any */
    CHECK_INT(predict(conv, true, "A100-PCIE-40GB").method, HABITAT_METHOD_ROOFLINE);
    check_case("on matrix units it goes by the rule, as with its sizes");
    conv.name = "void cutlass__5x_cudnn::Kernel<cutlass_tensorop_s1688fprop_optimized_tf32_"
                "128x128_16x4_nhwc_align4>()";
    conv.duration_ns = 1000; /* no longer than an empty kernel takes: it tells no size */
    conv.grid = 256;
    double empty = predict(conv, true, "T4").ms;
    conv.duration_ns = 1200;
    CHECK(empty < predict(conv, true, "T4").ms);
    check_case("of a convolution as short as an empty kernel no size is made up");
}

static void test_element_wise(void) {
    const made_kernel add = {
        .name = "void at::native::vectorized_elementwise_kernel<4, "
                "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)",
        .start_ns = 100000,
        .duration_ns = 60000,
        .stream = 7,
        .grid = 16384,
        .block = 128,
        .registers = 32,
        .op = "aten::add",
        .dims = "[[16777216], [16777216]]"};
    CHECK_NEAR(predict(add, true, "T4").ms, predict(add, false, "T4").ms, 1e-9);
    CHECK_NEAR(predict(add, true, "RTX4090").ms, predict(add, false, "RTX4090").ms, 1e-9);
    check_case("an element-wise kernel moves what its grid says: 16384 x 128 x 8 numbers of three "
               "tensors");
}

static void test_intervals(void) {
    const made_kernel product = {.name = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT",
                                 .start_ns = 100000,
                                 .duration_ns = 60000,
                                 .stream = 7,
                                 .grid = 128,
                                 .block = 384,
                                 .registers = 168,
                                 .op = "aten::mm",
                                 .dims = "[[4096, 1024], [1024, 4096]]"};
    habitat_estimate with = predict(product, false, "A100-PCIE-40GB");
    habitat_estimate without = predict(product, true, "A100-PCIE-40GB");
    CHECK(without.high_ms / without.low_ms > 1.02 * with.high_ms / with.low_ms);
    check_case("a guess has a wider interval than what was recorded");
}

int main(void) {
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    test_tiles();
    test_elements();
    test_named();
    test_products();
    test_convolutions();
    test_element_wise();
    test_intervals();
    habitat_gpu_table_free(table);
    return check_done();
}
