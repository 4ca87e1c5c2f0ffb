/* Sums by column, scans, lists and gradients of biases without a recorded time, worked by hand. */
#include "check.h"
#include "made_gpu.h"
#include "kernels/bias.h"
#include "kernels/sums.h"
#include "unmodelled_case.h"

/* What a call over lists takes [us]; a cycle is a nanosecond. */
static double list_us(const char *line, double roof_us) {
    habitat_work work = {0};
    return unmodelled_case_us(line, 0, roof_us, &work);
}

static void lists(void) {
    /* 32 rounds of 400 and of 870 cycles; 9 us of roof are 10 at .9 of it */
    CHECK_NEAR(list_us("aten::_foreach_add_ | {[65536]} =1", 9), hypot(12.8, 10), 1e-9);
    CHECK_NEAR(list_us("aten::_foreach_sqrt | {[65536]}", 9), hypot(27.84, 10), 1e-9);
    /* 321 pieces and a small tensor: a launch of 320, and one of a whole piece and a small one */
    CHECK_NEAR(list_us("aten::_foreach_sqrt | {[65536,321];[10]}", 900), 1 + hypot(55.68, 1000),
               1e-9);
    check_case("a list takes launches, the rounds of their longest pieces, and memory's time");
}

/* On 100 SMs at 1 GHz, 16 blocks each. */
static double sum_us(const char *line, double l2_bytes, double roof_us) {
    habitat_work work = {0};
    return unmodelled_case_us(line, l2_bytes, roof_us, &work);
}

/* 1024 x 1024: 8 blocks of 128 columns, 16 parts of 16 rows a thread: 4 rounds of 5.12 warps an SM;
 * 5.59 us to start, 6.39 + 4 x .56 to gather. Of a cache of 4 MiB / .6 all is missed, of ten of
 * these a tenth. */
static void sums_by_column(void) {
    const char *square = "aten::sum | f32[1024,1024] =[0] =True -";
    double all = 4194304 / .6, gathered = 5.59 + 6.39 + 4 * .56;
    CHECK_NEAR(sum_us(square, all, .93), gathered + hypot(hypot(4.12, .4096), .93), 1e-9);
    CHECK_NEAR(sum_us(square, 10 * all, .93), gathered + hypot(hypot(1.402, .4096), .093), 1e-9);
    CHECK_NEAR(sum_us(square, all, 93), gathered + hypot(hypot(4.12, .4096), 93), 1e-9);
    CHECK_NEAR(sum_us("aten::sum | f32[512,4] =[0] =True -", 8192 / .06, .01),
               5.59 + hypot(hypot(.3505, .02), .001), 1e-9); /* one block of 128 rows of threads */
    check_case("sums by column: rounds, parts and their gathering, or memory's time");
}

/* 2 x 16384 rows of 512 values, one step after the other: of 67 MB in a cache of .6 of that all is
 * missed, 1030 cycles a step, of ten of these a tenth. 1,024,000 rows are five times as many as
 * threads of the GPU. */
static void scans(void) {
    const char *outer = "aten::cumsum | f32[2,512,1024,16] =1 -";
    double all = 67108864 / .6;
    CHECK_NEAR(sum_us(outer, all, 93), hypot(512 * 1.03, 93), 1e-9);
    CHECK_NEAR(sum_us(outer, 10 * all, 93), hypot(512 * .3505, 93), 1e-9);
    CHECK_NEAR(sum_us("aten::cumsum | f32[10,1024000] =0 -", 1, 93), hypot(10 * 5 * 1.03, 93),
               1e-9);
    CHECK(sum_us("aten::cumsum | f32[2,16384,512] =-1 -", all, 93) < 200); /* along memory */
    check_case("scans across memory wait for each value");
}

/* Along rows, at 1 GHz: a pass takes two values a thread through a tree up and down. */
static void scans_of_rows(void) {
    double all = 1e9;
    /* 8192 rows of 16: sixteen threads a row, ten steps; 256 blocks are three turns of 100 SMs */
    CHECK_NEAR(sum_us("aten::cumsum | f32[8192,16] =1 -", all, .01), 3 * (.65 + .043 * 10), 1e-9);
    /* twice as many rows are more than 512 a column (of eight: four bits and 14 make -1), and a
     * block takes one alone: 20 steps, 164 turns */
    CHECK_NEAR(sum_us("aten::cumprod | f32[16384,16] =1 -", all, .01), 164 * (.65 + .043 * 20),
               1e-9);
    /* two rows of 2048 by all 512 threads, two passes each; blocks that are alone wait */
    CHECK_NEAR(sum_us("aten::cumsum | f32[2,2048] =1 -", all, .01), 2 * (1.32 + .045 * 20) - .7,
               1e-9);
    CHECK_NEAR(sum_us("aten::cumsum | f32[2,2048] =1 -", all, 93), 93, 1e-9); /* memory's time */
    check_case("scans along rows: threads of a block by rows and columns, without a sign");
}

/* Pictures that are enlarged: blocks of 1024 pixels, two an SM, on 100 SMs at 1 GHz. */
static void resampled(void) {
    const char *few = "aten::upsample_bilinear2d | f32[4,64,16,16] =[32,32] =False - -";
    /* one block goes through 256 images and channels; of 4 MB written a tenth leaves 40 MB */
    double written = 256 * 1024 * 4.;
    CHECK_NEAR(sum_us(few, 10 * written, 1), 2.7 + 256 * (.38 + .3 / 10), 1e-9);
    CHECK_NEAR(sum_us(few, written, 1), 2.7 + 256 * (.38 + .3), 1e-9);
    CHECK_NEAR(sum_us(few, written, 900), 900, 1e-9); /* memory's time */
    /* pictures of one pixel lie side by side in the nearest cache */
    CHECK_NEAR(sum_us("aten::upsample_bilinear2d | f32[4,64,1,1] =[32,32] =False - -", written, 1),
               2.7 + 256 * .23, 1e-9);
    /* 256 blocks are three an SM, in two waves; three colours */
    CHECK_NEAR(sum_us("aten::upsample_bilinear2d | f32[1,3,256,256] =[512,512] =False - -", 1, 1),
               3 * 2.7 + 2 * 3 * (.38 + .3), 1e-9);
    /* channels last, and weights that were not measured, go by elements */
    double plain = sum_us("aten::upsample_bicubic2d | f32[4,64,16,16] =[32,32] =False - -", 1e9, 1);
    CHECK(plain < 10);
    CHECK_NEAR(sum_us("aten::upsample_bilinear2d | f32[4,64,16,16]@16384,1,1024,64 =[32,32] "
                      "=False - -",
                      1e9, 1),
               plain, 1e-9);
    /* a line's gradient goes by what the result was */
    CHECK_NEAR(
        sum_us("aten::upsample_linear1d_backward | f32[4,64,2048] =[2048] =[4,64,512] =False", 1e9,
               1),
        2.7 + 256 * (.38 + .3 * 256 * 2048 * 4 / 1e9), 1e-9);
    check_case("pictures that are resampled: a thread a pixel, through images and channels");
}

static double bias_us(double channels, double pixels) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    habitat_work work = {.op_class = HABITAT_CLASS_REDUCE, .shape.rows = {channels, pixels}};
    snprintf(work.kind, sizeof work.kind, "%s", USUAL_BIAS);
    return unmodelled_s(&work, &gpu, .01e-6, 1e-6) * 1e6;
}

/* A warp, a block and 7 blocks a channel: 128, 16 and 32, and 74 pixels a thread. */
static void biases(void) {
    CHECK_NEAR(bias_us(64, 4096), 2.76 + hypot(32 * 1.046, 32 * .05), 1e-9);
    CHECK_NEAR(bias_us(64, 8192), 2.76 + hypot(4 * 1.046, 4 * 10.24 * .05), 1e-9);
    CHECK_NEAR(bias_us(256, 16384), 2.76 + hypot(8 * 1.046, 8 * 40.96 * .05), 1e-9);
    CHECK_NEAR(bias_us(64, 262144), 2.76 + 6.39 + .56 + hypot(19 * 1.046, 19 * 71.68 * .05), 1e-9);
    check_case("gradients of a convolution's bias: a warp, a block or some a channel");
}

int main(void) {
    lists();
    sums_by_column();
    scans();
    scans_of_rows();
    resampled();
    biases();
    return check_done();
}
