/* Bytes of cuDNN's workspaces, by hand and as an H200 held them (data/measurements/
 * convolution_algorithms_h200.csv.gz; its allocator gives up to 1 MB more than is asked for).
 *
 * A spectrum of 32x32: 32 * 17 * 8 = 4352 bytes; of 16x16: 1152; of 64x64: 16896. */
#include "memory/algorithms.h"

#include "check.h"
#include "made_conv.h"

static void check_spectra(const habitat_conv_shape *s, memory_pass pass, double side,
                          double growing, double fixed) {
    CHECK_NEAR(memory_spectra_side(s, pass), side, 0);
    memory_workspace w = memory_spectra(s, pass, side);
    CHECK_NEAR(w.transformed_growing, growing, 0);
    CHECK_NEAR(w.transformed_fixed, fixed, 0);
    CHECK_NEAR(memory_workspace_total(&w), growing + fixed, 0);
}

/* One tile: c_in c_out + b (c_in + c_out) spectra, of which 12 * 256; measured 84672512. */
static void test_by_tiles(void) {
    habitat_conv_shape s = square(12, 128, 128, 28, 3);
    check_spectra(&s, MEMORY_PASS_TO_INPUT, 32, 4352 * 3072.0, 4352 * 16384.0);
    s = square(12, 128, 256, 56, 3); /* 2 x 2 tiles, two at a time; measured 182714368 */
    check_spectra(&s, MEMORY_PASS_TO_INPUT, 32, 4352 * 2 * 4608.0, 4352 * 32768.0);
    s = square(12, 128, 256, 30, 3); /* 30 + 3 - 1 = 32: one */
    check_spectra(&s, MEMORY_PASS_TO_INPUT, 32, 4352 * 4608.0, 4352 * 32768.0);
}

/* Both factors twice, and the filters flipped: 2 * 16384 + 2 * 1536 spectra, 589824 bytes; measured
 * 157286400. */
static void test_forward(void) {
    habitat_conv_shape s = square(12, 128, 128, 28, 3);
    check_spectra(&s, MEMORY_PASS_FORWARD, 32, 4352 * 2 * 1536.0, 4352 * 2 * 16384.0 + 589824);
    s = square(128, 16, 1024, 14, 3); /* the result is larger: 2 * 131072; measured 302579712 */
    check_spectra(&s, MEMORY_PASS_FORWARD, 16, 1152 * 2 * 131072.0, 589824);
    s = square(12, 128, 128, 62, 3);
    CHECK_NEAR(memory_spectra_side(&s, MEMORY_PASS_FORWARD), 64, 0);
    s = square(12, 128, 128, 63, 3);
    CHECK_NEAR(memory_spectra_side(&s, MEMORY_PASS_FORWARD), 0, 0);
}

/* The gradient of the result is flipped: 128 * 128 * 196 * 4 bytes; measured 352583680. */
static void test_to_weights(void) {
    habitat_conv_shape s = square(128, 1024, 128, 14, 3);
    check_spectra(&s, MEMORY_PASS_TO_WEIGHTS, 16, 1152 * 2 * 147456.0 + 12845056, 0);
    s = square(12, 1024, 96, 28, 3); /* 12 * 1120 is less than 98304 */
    check_spectra(&s, MEMORY_PASS_TO_WEIGHTS, 32, 12.0 * 96 * 784 * 4, 4352 * 2 * 98304.0);
}

/* Transposed, forward is what the gradient of the image is of a plain one. */
static void test_transposed(void) {
    habitat_conv_shape s = square(12, 128, 256, 28, 3);
    s.transposed = true;
    check_spectra(&s, MEMORY_PASS_FORWARD, 32, 4352 * 4608.0, 4352 * 32768.0);
    check_spectra(&s, MEMORY_PASS_TO_INPUT, 32, 4352 * 2 * 12 * 256.0,
                  4352 * 2 * 32768.0 + 32768 * 36);
}

static void test_none(void) {
    habitat_conv_shape s = square(12, 64, 64, 28, 1);
    CHECK_NEAR(memory_spectra_side(&s, MEMORY_PASS_FORWARD), 0, 0);
    s = square(12, 64, 64, 28, 3);
    s.stride[0] = 2;
    CHECK_NEAR(memory_spectra_side(&s, MEMORY_PASS_TO_INPUT), 0, 0);
    s = square(12, 64, 64, 28, 3);
    s.dilation[1] = 2;
    CHECK_NEAR(memory_spectra_side(&s, MEMORY_PASS_TO_INPUT), 0, 0);
    s = square(12, 64, 64, 28, 33);
    CHECK_NEAR(memory_spectra_side(&s, MEMORY_PASS_TO_INPUT), 0, 0);
}

/* 4x4 of 3x3: 36 numbers a tile; two images of 14x14 have 32; measured 42467328. 9x9 of 5x5: 169
 * numbers, images in sixteens; 12 of 8x8 count as 16 tiles; measured 11248640. */
static void test_tiles(void) {
    habitat_conv_shape s = square(2, 512, 512, 14, 3);
    memory_workspace w = memory_tiles(&s, 4);
    CHECK_NEAR(w.transformed_fixed, 144 * 262144.0, 0);
    CHECK_NEAR(w.transformed_growing, 144 * 32 * 1024.0, 0);
    s = square(12, 16, 512, 8, 5);
    w = memory_tiles(&s, 9);
    CHECK_NEAR(w.transformed_fixed, 676 * 8192.0, 0);
    CHECK_NEAR(w.transformed_growing, 676 * 16 * 528.0, 0);
}

int main(void) {
    test_by_tiles();
    check_case("spectra of tiles");
    test_forward();
    check_case("spectra, forward");
    test_to_weights();
    check_case("spectra, gradient of weights");
    test_transposed();
    check_case("spectra, transposed");
    test_none();
    check_case("where there are no spectra");
    test_tiles();
    check_case("tiles");
    return check_done();
}
