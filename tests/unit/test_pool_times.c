/* Pooling of images without a recorded time, worked by hand. */
#include "check.h"
#include "made_gpu.h"
#include "unmodelled_case.h"

/* What pooling takes [us] where the roof is 1 us. */
static double pooled_us(const char *line) {
    habitat_work work = {0};
    double us = unmodelled_case_us(line, 0, 1, &work);
    CHECK(work.windowed);
    return us;
}

/* 1e6 elements are 10,000 an SM: 10 us a cycle of each. Images of 1000 x 1000 in windows of 2 x 2:
 * 250,000 means; gradients of 1e6, an element in one window; or, padded, in nine of 3 x 3. Maxima
 * are cleared before: 1 us to start, and 2 / (2 + .25 x (2 + 8)) of the roof. */
static void pools(void) {
    const char *halves =
        "aten::avg_pool2d | bf16[1,1,1000,1000] =[2,2] =[2,2] =[0,0] =False =True -";
    CHECK_NEAR(pooled_us(halves), 2.5 * (2.2 + 4 * .205), 1e-9);
    CHECK_NEAR(pooled_us("aten::max_pool2d_with_indices | f32[1,1,1000,1000] =[2,2] =[2,2] =[0,0]"
                         " =[1,1] =False"),
               2.5 * (2.2 + 4 * .205), 1e-9);
    CHECK_NEAR(pooled_us("aten::avg_pool2d_backward | bf16[1,1,500,500] bf16[1,1,1000,1000] =[2,2]"
                         " =[2,2] =[0,0] =False =True -"),
               10 * (4.56 + .338), 1e-9);
    CHECK_NEAR(pooled_us("aten::avg_pool2d_backward | bf16[1,1,1000,1000] bf16[1,1,1000,1000]"
                         " =[3,3] =[1,1] =[1,1] =False =True -"),
               10 * (4.56 + 9 * .338), 1e-9);
    CHECK_NEAR(
        pooled_us("aten::max_pool2d_with_indices_backward | bf16[1,1,500,500]"
                  " bf16[1,1,1000,1000] =[2,2] =[2,2] =[0,0] =[1,1] =False i64[1,1,500,500]"),
        10 * 2.8 + 1 + 2 / 4.5, 1e-9);
    CHECK_NEAR(pooled_us("aten::avg_pool2d | bf16[1,1,10,10] =[2,2] =[2,2] =[0,0] =False =True -"),
               1, 1e-9); /* memory's */
    work_case read;
    habitat_work work;
    CHECK_INT(case_read(&read, "aten::_adaptive_avg_pool2d | f32[1,1,1000,1000] =[7,7]"), 0);
    CHECK_INT(habitat_operation_work(&read.op, &work), HABITAT_OK);
    CHECK(work.known && !work.windowed);
    check_case("pooling of images takes cycles of each element and window");
}

int main(void) {
    pools();
    return check_done();
}
