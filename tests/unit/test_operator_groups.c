/* Analytic times, worked by hand on a GPU of round numbers, of what libraries run in turn: groups
 * of a convolution, gradients of large depthwise weights, attention's gradients. */
#include <math.h>

#include <habitat/habitat.h>

#include "base/constants_operators.h"
#include "operator/views.h"
#include "check.h"
#include "made_conv.h"
#include "plain_gpu.h"

/* 12.8 Tflop/s on plain units; its cache holds everything. */
static operator_gpu cached_gpu(void) {
    operator_gpu gpu = plain_gpu(0);
    gpu.l2_bytes = 1e15;
    return gpu;
}

static double conv_us(const habitat_conv_shape *shape, habitat_pass pass, habitat_dtype dtype) {
    habitat_work work = {0};
    CHECK_INT(habitat_work_conv(shape, dtype, pass, &work), HABITAT_OK);
    habitat_model_query query = {.work = &work};
    float inputs[OPERATOR_INPUTS_MAX];
    CHECK_INT(operator_class_of(&query), OPERATOR_CONV_GROUPS);
    const operator_gpu gpu = cached_gpu();
    return 1e6 * operator_look_convolution(&query, OPERATOR_CONV_GROUPS, &gpu, inputs);
}

/* 24 channels a group, 3 x 3 on 28 x 28, 10 images. */
static habitat_conv_shape of_groups(double groups, double channels) {
    habitat_conv_shape s = square(10, groups * channels, groups * channels, 28, 3);
    s.groups = groups;
    s.padding[0] = s.padding[1] = 1;
    return s;
}

static double cubes(double a, double b) {
    return cbrt(a * a * a + b * b * b);
}

/* All of 10 images of 28 x 28, 240 channels: 1.88 M elements, twice, and weights; all in the cache.
 */
static void test_groups(void) {
    const habitat_dtype fp32 = HABITAT_DTYPE_FP32;
    const habitat_pass forward = HABITAT_PASS_FORWARD, image = HABITAT_PASS_BACKWARD_INPUT,
                       weight = HABITAT_PASS_BACKWARD_WEIGHT;
    habitat_conv_shape ten = of_groups(10, 24);
    double flop = 10 * 2. * 7840 * 24 * 24 * 9, plain = 12.8e6; /* a us */
    double waits = 216 * .026;                                  /* us: 26 ns a term */
    double bytes = 4. * (2 * 1881600 + 240 * 216),
           pass_us = bytes / (100 * hardware_l2_bytes_per_s_per_sm / 1e6);
    CHECK_NEAR(conv_us(&ten, forward, fp32),
               10 * (3.7 + waits) + cubes(flop / (.13 * plain), 2.2 * pass_us), 1e-3);
    CHECK_NEAR(conv_us(&ten, image, fp32),
               10 * (6.9 + waits) + cubes(flop / (.25 * plain), 49 * pass_us), 1e-3);
    CHECK_NEAR(conv_us(&ten, weight, fp32), 10 * 6.6 + cubes(flop / (.30 * plain), 1 * pass_us),
               1e-3);
    ten.channels_last = true;
    CHECK_NEAR(conv_us(&ten, weight, fp32), 10 * 15.7 + cubes(flop / (.39 * plain), 1 * pass_us),
               1e-3);
    check_case("in fp32 groups run in turn, and their images are rearranged");
    /* on units of 10 Tflop/s; 24 channels are two times 16 columns */
    ten.channels_last = false;
    CHECK_NEAR(conv_us(&ten, forward, HABITAT_DTYPE_BF16),
               19 + cubes(10 * 2. * 7840 * 32 * 216 / (.26 * 1e7), 8.4 * pass_us / 2), 1e-3);
    ten.channels_last = true;
    CHECK_NEAR(conv_us(&ten, weight, HABITAT_DTYPE_BF16),
               27 + cubes(10 * 2. * 32 * 216 * 7840 / (.37 * 1e7), 19 * pass_us / 2), 1e-3);
    check_case("on matrix units all at once or in turn, by no rule: one start");
}

static void test_depthwise(void) {
    habitat_conv_shape s = of_groups(96, 1);
    s.kernel[0] = s.kernel[1] = 7;
    s.padding[0] = s.padding[1] = 3;
    double products = 10. * 784 * 96 * 49 / 1e6; /* multiply-adds, millions */
    double nchw = conv_us(&s, HABITAT_PASS_BACKWARD_WEIGHT, HABITAT_DTYPE_FP32);
    s.channels_last = true;
    CHECK_NEAR(conv_us(&s, HABITAT_PASS_BACKWARD_WEIGHT, HABITAT_DTYPE_FP32),
               2 * products / (.0039 * 12.8), 1e-2);
    CHECK(nchw < 2 * products / (.01 * 12.8));
    double large = conv_us(&s, HABITAT_PASS_FORWARD, HABITAT_DTYPE_FP32);
    s.kernel[0] = s.kernel[1] = 5;
    s.padding[0] = s.padding[1] = 2;
    double quick = conv_us(&s, HABITAT_PASS_FORWARD, HABITAT_DTYPE_FP32);
    CHECK_NEAR(large / quick, 49. / 25 * .105 / .075, .02);
    CHECK(conv_us(&s, HABITAT_PASS_BACKWARD_WEIGHT, HABITAT_DTYPE_FP32) <
          2 * products / (.02 * 12.8));
    check_case("gradients of 7 x 7 weights with channels last add in turn in fp32");
}

static double attention_us(double q_len, double kv_len, habitat_pass pass) {
    habitat_attention_shape shape = {.batch = 1,
                                     .heads = 4,
                                     .kv_heads = 4,
                                     .q_len = q_len,
                                     .kv_len = kv_len,
                                     .head_dim = 64,
                                     .v_head_dim = 64};
    habitat_work work = {0};
    CHECK_INT(habitat_work_attention(&shape, HABITAT_DTYPE_FP32, pass, &work), HABITAT_OK);
    habitat_model_query query = {.work = &work};
    float inputs[OPERATOR_INPUTS_MAX];
    const operator_gpu gpu = cached_gpu();
    return 1e6 * operator_look_attention_plain(&query, OPERATOR_ATTENTION_PLAIN, &gpu, inputs);
}

static void test_attention(void) {
    const habitat_pass back = HABITAT_PASS_BACKWARD, fwd = HABITAT_PASS_FORWARD;
    double tile = 10. * 64 * 64 * 64 / 1e5; /* us on one SM */
    CHECK(attention_us(64 * 64, 64, back) > 64 * 1.9 * tile);
    CHECK(attention_us(64, 64 * 64, back) > 64 * tile);
    CHECK(attention_us(64, 64 * 64, back) < 64 * 1.5 * tile);
    CHECK(attention_us(64 * 64, 64, fwd) < attention_us(64, 64 * 64, fwd) / 4);
    check_case("a block walks the keys forward, the queries backward");
}

int main(void) {
    test_groups();
    test_depthwise();
    test_attention();
    return check_done();
}
