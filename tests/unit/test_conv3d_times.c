/* Convolutions in three dimensions on plain units, worked by hand. */
#include "kernels/conv3d_times.h"

#include "check.h"
#include "made_gpu.h"
#include "work_case.h"

#define ONES " - =[1,1,1] =[1,1,1] =[1,1,1]"

/* On 100 SMs at 1 GHz [us], past the start of the first kernel; others take 1 us to start, memory
 * moves 1 TB/s. pass: of all gradients that are asked for. */
static double film_us(const char *line, habitat_pass pass, double l2_bytes) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    work_case read;
    habitat_work work;
    gpu.l2_bytes = l2_bytes;
    CHECK_INT(case_read(&read, line), 0);
    CHECK_INT(habitat_operation_work(&read.op, &work), HABITAT_OK);
    CHECK(conv3d_told(&work, HABITAT_DTYPE_FP32, &gpu));
    work.pass = pass;
    return conv3d_s(&work, &gpu, 1e12, 1e-6) * 1e6;
}

static const char *const plain =
    "aten::convolution | f32[2,32,4,8,8] f32[64,32,3,3,3]" ONES " =False =[0,0,0] =1";
static const char *const transposed =
    "aten::convolution | f32[2,64,4,8,8] f32[64,32,3,3,3]" ONES " =True =[0,0,0] =1";

/* 512 pixels, sums of 32 x 27 terms: 2, 8 or 32 tiles, the last ones 20.4 cycles a term. */
static void results(void) {
    CHECK_NEAR(film_us(plain, HABITAT_PASS_FORWARD, 1e9), 3 * 20.4e-3 * (864 + 40), 1e-9);
    CHECK_NEAR(film_us("aten::convolution | f32[2,3,4,8,8] f32[64,3,3,3,3]" ONES
                       " =False =[0,0,0] =1",
                       HABITAT_PASS_FORWARD, 1e9),
               3 * 29.2e-3 * 81, 1e-9);
    CHECK_NEAR(film_us(transposed, HABITAT_PASS_BACKWARD_INPUT, 1e9), 3 * 20.4e-3 * (864 + 40),
               1e-9);
    check_case("films forward: the best of three tiles, none of them for three channels");
}

/* 16 tiles of the image, sums of 64 x 27 terms; 14 x 16 of all taps, of 64 terms. */
static double scattered_us(void) {
    return 4 * 41.6e-3 * (64 + 48) + 4 * 32 * 512e-6 + 1;
}

static void images(void) {
    CHECK_NEAR(film_us(plain, HABITAT_PASS_BACKWARD_INPUT, 1e9), scattered_us(), 1e-9);
    CHECK_NEAR(film_us(transposed, HABITAT_PASS_FORWARD, 1e9), scattered_us(), 1e-9);
    /* 200 x 50 tiles of 200 x 32 pixels, 12 x 800 and 4 of them in turn; scattered as many terms */
    const char *large =
        "aten::convolution | f32[100,1600,1,8,8] f32[32,1600,1,1,1] - =[1,1,1] =[0,0,0]"
        " =[1,1,1] =False =[0,0,0] =1";
    CHECK_NEAR(film_us(large, HABITAT_PASS_BACKWARD_INPUT, 1e9), 100 * 20.8e-3 * (32 + 48), 1e-9);
    check_case("gradients of films: directly, or scattered from few tiles");
}

/* 2 x 27 tiles, sums of all 512 pixels; both tensors, 196,608 bytes, rewritten. */
static void weights(void) {
    const double rewritten = 2 * .196608 + 3;
    double cached = 2.6 * 15.36e-3 * (512 + 64) + rewritten;
    CHECK_NEAR(film_us(plain, HABITAT_PASS_BACKWARD_WEIGHT, 1e9), cached, 1e-9);
    CHECK_NEAR(film_us(transposed, HABITAT_PASS_BACKWARD_WEIGHT, 1e9), cached, 1e-9);
    CHECK_NEAR(film_us(plain, HABITAT_PASS_BACKWARD_WEIGHT, 2e5),
               4.2 * 15.36e-3 * (512 + 64) + rewritten, 1e-9);
    CHECK_NEAR(film_us(plain, HABITAT_PASS_BACKWARD, 1e9), cached + 1 + scattered_us(), 1e-9);
    CHECK_NEAR(
        film_us("aten::convolution | f32[2,32,4,8,8]@8192,1,2048,256,32 f32[64,32,3,3,3]" ONES
                " =False =[0,0,0] =1",
                HABITAT_PASS_BACKWARD_WEIGHT, 1e9),
        cached - rewritten, 1e-9);
    /* 50 x 27 tiles: 1200 at a time, 12 an SM, then 150 more */
    CHECK_NEAR(film_us("aten::convolution | f32[2,32,4,8,8]@8192,1,2048,256,32"
                       " f32[1600,32,3,3,3]" ONES " =False =[0,0,0] =1",
                       HABITAT_PASS_BACKWARD_WEIGHT, 1e9),
               14.6 * 15.36e-3 * (512 + 64), 1e-9);
    check_case("gradients of a film's weights: no sum is split");
}

static void others(void) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    work_case read;
    habitat_work work;
    CHECK_INT(case_read(&read, plain), 0);
    CHECK_INT(habitat_operation_work(&read.op, &work), HABITAT_OK);
    CHECK(conv3d_told(&work, HABITAT_DTYPE_FP32, &gpu));
    CHECK(!conv3d_told(&work, HABITAT_DTYPE_TF32, &gpu));
    gpu.compute_capability = 70; /* no unit for TF32: the same kernels, on fewer lanes */
    CHECK(conv3d_told(&work, HABITAT_DTYPE_FP32, &gpu));
    work.shape.conv.groups = 2;
    CHECK(!conv3d_told(&work, HABITAT_DTYPE_FP32, &gpu));
    work.shape.conv.groups = 1;
    work.shape.conv.dims = 2;
    CHECK(!conv3d_told(&work, HABITAT_DTYPE_FP32, &gpu));
    check_case("matrix units and groups have other kernels");
    /* 64 lanes: a tile takes twice as long, waiting does not */
    gpu.fp32_lanes_per_sm = 64;
    work.shape.conv.dims = 3;
    work.pass = HABITAT_PASS_FORWARD;
    CHECK_NEAR(conv3d_s(&work, &gpu, 1e12, 1e-6) * 1e6, 2 * 40.8e-3 * (864 + 40), 1e-9);
    check_case("half the lanes: the wait stays");
}

int main(void) {
    results();
    images();
    weights();
    others();
    return check_done();
}
