/* Workspaces of cuDNN, by hand: a convolution of 8 channels to 40, 3x3 with padding 1, over two
 * images of 6x6, in a forward pass without a backward one.
 *
 * fp32: x 2*8*36*4 = 2304 bytes, y 11520, together 13824; weights 40*8*9*4 = 11520. Copies into the
 * other layout take as much once more. Spectra of 16x16, forward: 16 * 9 * 8 = 1152 bytes each, of
 * all filters and two images in, twice: 737280 and 36864; filters flipped 11520. Spectra of 32x32,
 * tile by tile: 32 * 17 * 8 = 4352 bytes each, of 320 filters 1392640, of 2 * 48 channels 417792.
 * Winograd's tiles: (4 + 3 - 1)^2 * 4 = 144 bytes, of 320 filters 46080, of 2 * 48 channels with 2
 * * 2 tiles each 55296. */
#include <stdlib.h>

#include <habitat/memory.h>

#include "check.h"
#include "made_gpu.h"
#include "made_memory.h"

#define KERNEL(number, name, grid)                                                                 \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"    \
    "\"ts\":1" #number ",\"dur\":0.5,\"args\":{\"correlation\":" #number "}},"                     \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":4" #number  \
    ",\"dur\":1,\"args\":{\"device\":0,\"stream\":7,\"correlation\":" #number ",\"grid\":[" grid   \
    "],\"block\":[256,1,1]}},"

#define TRACE(peak, kernels) NOTED("", peak, kernels)
#define NOTED(note, peak, kernels)                                                                 \
    "{\"habitat\":{" note "\"schema\":1,\"batch_size\":2,\"peak_memory_bytes\":" peak              \
    ",\"memory\":{"                                                                                \
    "\"parameters_bytes\":11520,\"buffers_bytes\":0,\"gradients_bytes\":0,"                        \
    "\"optimizer_state_bytes\":0,\"allocated_between_iterations_bytes\":11520}},"                  \
    "\"traceEvents\":[" kernels                                                                    \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::convolution\",\"pid\":1,\"tid\":1,"         \
    "\"ts\":10,\"dur\":10,\"args\":{\"Input Dims\":[[2,8,6,6],[40,8,3,3],[],[],[],[],[],[],[]],"   \
    "\"Input type\":[\"float\",\"float\",\"\",\"ScalarList\",\"ScalarList\",\"ScalarList\","       \
    "\"Scalar\",\"ScalarList\",\"Scalar\"],\"Concrete Inputs\":[\"\",\"\",\"\",\"[1, 1]\","        \
    "\"[1, 1]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"],\"Sequence number\":-1}}]}"

#define COPIES                                                                                     \
    KERNEL(1, "void cudnn::nchwToNhwcKernel<float>", "2,1,2")                                      \
    KERNEL(2, "void cudnn::nchwToNhwcKernel<float>", "1,1,40")                                     \
    KERNEL(3, "sm90_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc", "4,1,1")           \
    KERNEL(4, "void cudnn::nhwcToNchwKernel<float>", "2,2,2")
#define SPECTRA                                                                                    \
    KERNEL(1, "void fft2d_r2c_32x32<float, false, 1u, false>", "20,1,1")                           \
    KERNEL(2, "void fft2d_r2c_32x32<float, false, 0u, false>", "1,1,1")                            \
    KERNEL(3, "sm80_xmma_gemm_cf32cf32_f32f32_cf32_tn_n", "1,2,544")                               \
    KERNEL(4, "void fft2d_c2r_32x32<float, false, false, 0u, false, false>", "1,1,1")
#define FLIPPED                                                                                    \
    KERNEL(1, "void flip_filter<float, float>", "1,1,1")                                           \
    KERNEL(2, "void fft2d_r2c_16x16<float>", "1,1,1")                                              \
    KERNEL(3, "void fft2d_r2c_16x16<float>", "1,1,1")                                              \
    KERNEL(4, "void fft2d_c2r_16x16<float, false>", "1,1,1")
#define TILES                                                                                      \
    KERNEL(1, "void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>", "1,1,1")      \
    KERNEL(2, "sm80_xmma_gemm_f32f32_f32f32_f32", "1,1,36")                                        \
    KERNEL(3, "void cudnn::winograd_nonfused::winogradForwardOutput4x4<float, float>", "1,1,1")
#define PLAIN                                                                                      \
    KERNEL(1, "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_ffma", "4,1,1")

static void test_copies(void) {
    habitat_memory *memory = made_memory(TRACE("50688", COPIES));
    CHECK_NEAR(peak_at(memory, 1, HABITAT_MEMORY_TF32), 50688.0, 0);
    CHECK_NEAR(peak_at(memory, 2, HABITAT_MEMORY_RECORDED), 23040 + 2 * 27648.0, 1e-12);
    /* half as large: x and y 6912, their copies and that of the weights; beside the script's x and
     * autocast's copy of the weights */
    CHECK_NEAR(peak_at(memory, 1, HABITAT_MEMORY_AUTOCAST), 11520 + 2 * 6912.0 + 5760 + 2304 + 5760,
               1e-12);
    habitat_memory_free(memory);
}

/* Strict fp32 needs no copies, but may take spectra. */
static void test_range(void) {
    habitat_memory *memory = made_memory(TRACE("50688", COPIES));
    habitat_memory_parts parts = parts_at(memory, 1, HABITAT_MEMORY_SINGLE);
    CHECK_NEAR(parts.peak_bytes, 11520 + 13824.0, 1e-12);
    CHECK_NEAR(parts.algorithms_bytes, 36864 + 737280 + 11520.0, 1e-12);
    CHECK_NEAR(parts_at(memory, 1, HABITAT_MEMORY_TF32).algorithms_bytes, 0.0, 0);
    CHECK_NEAR(parts_at(memory, 4, HABITAT_MEMORY_TF32).algorithms_bytes, 0.0, 0);
    habitat_memory_free(memory);
}

/* Where cuDNN tried its algorithms it takes the fastest. 1000 multiprocessors at 1e12 flop/s are
 * hardly used by direct blocks: 1000 * 32 * 32 * 72 * 2 flop at .32 of it, 461 us. Spectra of
 * 16x16: 8 * 144 * 32 * 320 flop, 1152 * 416 bytes 7 times at 1e12 byte/s, a start: 27 us. */
static void test_fastest(void) {
    habitat_gpu gpu = made_gpu("made", 1000, 1, 1000, 1);
    habitat_memory *memory =
        made_memory_on(NOTED("\"cudnn_benchmark\":true,", "50688", COPIES), &gpu);
    habitat_memory_parts parts = parts_at(memory, 1, HABITAT_MEMORY_SINGLE);
    CHECK_NEAR(parts.peak_bytes, 11520 + 13824 + 36864 + 737280 + 11520.0, 1e-12);
    CHECK_NEAR(parts.algorithms_bytes, 0.0, 0);
    CHECK_NEAR(peak_at(memory, 0.5, HABITAT_MEMORY_SINGLE), 11520 + 799488 / 2.0, 1e-12);
    habitat_memory_free(memory);
    memory = made_memory_on(NOTED("\"cudnn_benchmark\":false,", "50688", COPIES), &gpu);
    CHECK_NEAR(peak_at(memory, 1, HABITAT_MEMORY_SINGLE), 11520 + 13824.0, 1e-12);
    habitat_memory_free(memory);
}

/* Spectra of filters do not grow, but a smaller batch may do with less. */
static void test_spectra(void) {
    habitat_memory *memory = made_memory(TRACE("1835776", SPECTRA));
    CHECK_NEAR(peak_at(memory, 1, HABITAT_MEMORY_SINGLE), 1835776.0, 0);
    CHECK_NEAR(peak_at(memory, 2, HABITAT_MEMORY_SINGLE), 11520 + 2 * 431616.0 + 1392640, 1e-12);
    CHECK_NEAR(peak_at(memory, 0.5, HABITAT_MEMORY_SINGLE), 11520 + 1824256 / 2.0, 1e-12);
    CHECK_NEAR(parts_at(memory, 2, HABITAT_MEMORY_SINGLE).algorithms_bytes, 0.0, 0);
    /* matrix units take copies instead */
    CHECK_NEAR(peak_at(memory, 1, HABITAT_MEMORY_TF32), 50688.0, 1e-12);
    habitat_memory_free(memory);
}

/* A flipped factor tells spectra of whole images. */
static void test_flipped(void) {
    habitat_memory *memory = made_memory(TRACE("811008", FLIPPED));
    CHECK_NEAR(peak_at(memory, 1, HABITAT_MEMORY_SINGLE), 811008.0, 0);
    CHECK_NEAR(peak_at(memory, 2, HABITAT_MEMORY_SINGLE),
               11520 + 2 * (13824 + 36864.0) + 737280 + 11520, 1e-12);
    habitat_memory_free(memory);
}

static void test_tiles(void) {
    habitat_memory *memory = made_memory(TRACE("126720", TILES));
    CHECK_NEAR(peak_at(memory, 2, HABITAT_MEMORY_SINGLE), 57600 + 2 * 69120.0, 1e-12);
    habitat_memory_free(memory);
}

/* What none of the kernels explains stays as it is. */
static void test_plain(void) {
    habitat_memory *memory = made_memory(TRACE("25344", PLAIN));
    CHECK_NEAR(peak_at(memory, 2, HABITAT_MEMORY_SINGLE), 11520 + 2 * 13824.0, 1e-12);
    CHECK_NEAR(peak_at(memory, 1, HABITAT_MEMORY_TF32), 50688.0, 1e-12);
    habitat_memory_free(memory);
}

int main(void) {
    test_copies();
    check_case("copies into another layout");
    test_range();
    check_case("algorithms that were not seen");
    test_fastest();
    check_case("the fastest algorithm");
    test_spectra();
    check_case("spectra");
    test_flipped();
    check_case("spectra of whole images");
    test_tiles();
    check_case("tiles");
    test_plain();
    check_case("no workspace");
    return check_done();
}
