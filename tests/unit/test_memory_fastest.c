/* Which algorithm is the fastest, by hand: a GPU of 10 multiprocessors, 1e12 flop/s and 1e11
 * byte/s; costs that are easy: direct half of the flop/s, small tiles a quarter, spectra moved
 * twice, of tiles once, 1 us to start; weights half, Winograd's tiles moved once. */
#include "memory/fastest.h"

#include <math.h>

#include "check.h"
#include "made_conv.h"
#include "made_gpu.h"

static const memory_speed speed = {1e12, 1e11, 10};
static const memory_costs costs = {{.5, .25, 2, 1, 1e-6, .5, 1}};

static double gain(const habitat_conv_shape *s, memory_pass pass) {
    return memory_gain(s, pass, &speed, &costs);
}

/* 40 images of 14x14, 64 to 128 channels: 7840 results are 62 blocks of 128, 7 waves of 10, 2 * 10
 * * 7 * 128 * 128 * 576 flop at half of 1e12 flop/s: 2.642 ms; of 32: 245 * 4 blocks, 98
 * waves, 1.156e9 flop at a quarter: 4.624 ms. Spectra of 16x16, 144 numbers: products of 64 images,
 * 8 * 144 * 64 * 8192 flop: 0.604 ms; 1152 * (8192 + 40 * 192) bytes twice: 0.366 ms. */
static void test_forward(void) {
    habitat_conv_shape s = square(40, 64, 128, 14, 3);
    double direct = 2.0 * 70 * 128 * 128 * 576 / .5e12;
    double spectra = 1e-6 + 8.0 * 144 * 64 * 8192 / 1e12 + 2 * 1152.0 * (8192 + 7680) / 1e11;
    CHECK_NEAR(gain(&s, MEMORY_PASS_FORWARD), log(direct / spectra), 1e-12);
    s = square(1, 64, 32, 14, 3); /* 7 blocks of 32 by 32 are less than a large one's wave */
    spectra = 1e-6 + 8.0 * 144 * 32 * 2048 / 1e12 + 2 * 1152.0 * (2048 + 96) / 1e11;
    CHECK_NEAR(gain(&s, MEMORY_PASS_FORWARD), log(2.0 * 10 * 1024 * 576 / .25e12 / spectra), 1e-12);
}

/* 12 images of 56x56: 2 x 2 tiles of 30, two starts; direct 2 * 12 * 4096 * 3136 * 9 flop. */
static void test_to_input(void) {
    habitat_conv_shape s = square(12, 64, 64, 56, 3);
    double direct = 2.0 * 12 * 4096 * 3136 * 9 / .5e12;
    double spectra =
        2e-6 + 8.0 * 544 * 4 * 32 * 4096 / 1e12 + 4352.0 * (4096 + 4 * 12 * 128) / 1e11;
    CHECK_NEAR(gain(&s, MEMORY_PASS_TO_INPUT), log(direct / spectra), 1e-12);
    habitat_conv_shape turned = s;
    turned.transposed = true;
    CHECK_NEAR(gain(&turned, MEMORY_PASS_FORWARD), gain(&s, MEMORY_PASS_TO_INPUT), 1e-12);
    CHECK_NEAR(gain(&turned, MEMORY_PASS_TO_WEIGHTS), gain(&s, MEMORY_PASS_TO_WEIGHTS), 1e-12);
}

/* Two images of 14x14 have 32 tiles of 36 numbers: 2 * 1152 * 4096 flop for 2 * 392 * 4096 * 9. */
static void test_to_weights(void) {
    habitat_conv_shape s = square(2, 64, 64, 14, 3);
    double direct = 2.0 * 392 * 4096 * 9 / .5e12;
    double tiles = 2.0 * 1152 * 4096 / .5e12 + 144.0 * (4096 + 32 * 128) / 1e11;
    CHECK_NEAR(gain(&s, MEMORY_PASS_TO_WEIGHTS), log(direct / tiles), 1e-12);
    CHECK_NEAR(memory_tiles_side(&s), 4, 0);
    s = square(2, 64, 64, 14, 5);
    CHECK_NEAR(memory_tiles_side(&s), 9, 0);
}

static void test_none(void) {
    habitat_conv_shape s = square(12, 64, 64, 63, 3); /* beyond spectra of 64x64 */
    CHECK(isinf(gain(&s, MEMORY_PASS_FORWARD)));
    s = square(12, 64, 64, 14, 3);
    s.groups = 64;
    for (int pass = MEMORY_PASS_FORWARD; pass <= MEMORY_PASS_TO_WEIGHTS; pass++)
        CHECK(isinf(gain(&s, (memory_pass)pass)));
    s = square(12, 64, 64, 14, 1);
    CHECK(isinf(gain(&s, MEMORY_PASS_TO_WEIGHTS)));
}

/* What is the fastest has its workspace; what is direct has none. */
static void test_fastest(void) {
    habitat_conv_shape s = square(12, 512, 512, 28, 3);
    memory_speed like_h200 = {66.9e12, 4.8e12, 132};
    memory_workspace to_input = memory_fastest(&s, MEMORY_PASS_TO_INPUT, &like_h200),
                     to_weights = memory_fastest(&s, MEMORY_PASS_TO_WEIGHTS, &like_h200),
                     forward = memory_fastest(&s, MEMORY_PASS_FORWARD, &like_h200);
    CHECK_NEAR(memory_workspace_total(&to_input), 4352 * (262144.0 + 12288), 0);
    CHECK_NEAR(memory_workspace_total(&to_weights), 144 * (262144.0 + 588 * 1024), 0);
    CHECK_NEAR(memory_workspace_total(&forward), 0, 0);
}

static void test_speed(void) {
    habitat_gpu gpu = made_gpu("made", 10, 1, 1000, 10);
    memory_speed of = {1, 1, 1};
    gpu.peak.plain_flop_per_s[HABITAT_DTYPE_FP32] = 1e12;
    CHECK(memory_speed_of(&gpu, &of));
    CHECK_NEAR(of.flop_per_s, 1e12, 0);
    CHECK_NEAR(of.sm_count, 10, 0);
    gpu.peak.plain_flop_per_s[HABITAT_DTYPE_FP32] = NAN;
    CHECK(!memory_speed_of(&gpu, &of) && of.sm_count == 0);
    CHECK(!memory_speed_of(NULL, &of));
}

int main(void) {
    test_forward();
    check_case("forward: whole waves against spectra");
    test_to_input();
    check_case("gradient of the image");
    test_to_weights();
    check_case("gradient of the weights");
    test_none();
    check_case("direct alone");
    test_fastest();
    check_case("workspace of the fastest");
    test_speed();
    check_case("speed of a GPU");
    return check_done();
}
