/* Analytic times, worked by hand on a GPU of round numbers, of what libraries run in turn: groups
 * of a convolution, gradients of large depthwise weights, attention's gradients. */
#include <math.h>

#include <habitat/habitat.h>

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
    CHECK_INT(operator_class_of(&query), OPERATOR_CONV_MATRIX);
    const operator_gpu gpu = cached_gpu();
    return 1e6 * operator_look_convolution(&query, OPERATOR_CONV_MATRIX, &gpu, inputs);
}

/* 24 channels a group, 3 x 3 on 28 x 28, 10 images. */
static habitat_conv_shape of_groups(double groups, double channels) {
    habitat_conv_shape s = square(10, groups * channels, groups * channels, 28, 3);
    s.groups = groups;
    s.padding[0] = s.padding[1] = 1;
    return s;
}

static void test_groups(void) {
    const habitat_dtype fp32 = HABITAT_DTYPE_FP32;
    const habitat_pass weight = HABITAT_PASS_BACKWARD_WEIGHT, image = HABITAT_PASS_BACKWARD_INPUT;
    habitat_conv_shape ten = of_groups(10, 24), two = of_groups(2, 24), small = of_groups(10, 8);
    double flop = 2. * 10 * 28 * 28 * 24 * 24 * 9,
           each = 4 + 216 * .09; /* of a group; 90 ns a term */
    double plain = 12.8e6, copies = 2. * 2 * 10 * 784 * 24 / (.055e5); /* us of both tensors */
    CHECK_NEAR(conv_us(&ten, HABITAT_PASS_FORWARD, fp32), 10 * each + 10 * flop / (.13 * plain),
               1e-3);
    CHECK_NEAR(conv_us(&ten, weight, fp32), 10 * 6 + 10 * flop / (.09 * plain), 1e-3);
    CHECK_NEAR(conv_us(&ten, image, fp32), 10 * 7 + 10 * flop / (.06 * plain), 1e-3);
    check_case("groups of 24 channels run in turn");
    CHECK_NEAR(conv_us(&two, HABITAT_PASS_FORWARD, fp32),
               2 * each + 2 * flop / (.24 * plain) + copies, 1e-3);
    CHECK_NEAR(conv_us(&two, weight, fp32), 2 * 6 + 2 * flop / (.09 * plain), 1e-3);
    check_case("images of two groups are copied, not for gradients of weights");
    CHECK_NEAR(conv_us(&small, HABITAT_PASS_FORWARD, fp32),
               2.3 + 2. * 10 * 7840 * 16 * 72 / (.11 * plain), 1e-3); /* all at once */
    small.channels_last = ten.channels_last = true;
    CHECK(conv_us(&ten, weight, fp32) > 10 * 6 + 10 * flop / (.09 * plain) + 10);
    check_case("a power of two of channels up to 16 runs at once, and what is channels last");
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
