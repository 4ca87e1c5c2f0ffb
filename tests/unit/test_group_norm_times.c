/* Group norms without a recorded time, worked by hand. */
#include "check.h"
#include "made_gpu.h"
#include "unmodelled_case.h"

/* A group norm [us], the cache given. */
static double group_us(const char *line, double l2_bytes, double roof_us) {
    habitat_work work = {0};
    return unmodelled_case_us(line, l2_bytes, roof_us, &work);
}

/* 1.024e6 elements a group, 2 groups: .85 cycles each are 870.4 us; 4 floors, and
 * 2.048e6 places at 115e9 a second. Of 4000 groups the SMs' pace: 8e7 x .6 cycles on 100. */
static void group_norms(void) {
    const char *few =
        "aten::native_group_norm | f32[2,512,2000] f32[512] f32[512] =2 =512 =2000 =1";
    const char *many =
        "aten::native_group_norm | f32[40,200,10000] f32[200] f32[200] =40 =200 =10000 =100";
    double places = 2.048e6 / 115e9 * 1e6;
    CHECK_NEAR(group_us(few, 1e9, 50), 4 + 1.024e6 * .85e-3 + places, 1e-6);
    CHECK_NEAR(group_us(few, 1e6, 50), 4 + 1.024e6 * 1.5e-3 + places, 1e-6); /* from memory */
    CHECK_NEAR(group_us(many, 1e9, 50), 4 + 8e7 * .6e-5 + 8e7 / 115e9 * 1e6, 1e-6);
    check_case("few groups wait for each load, many for the SMs");
    const char *small = "aten::native_group_norm | f32[40,200,10] f32[200] f32[200] =40 =200 =10"
                        " =100";
    CHECK_NEAR(group_us(small, 1e9, 1), 4 + 4000 * (1348 + 20 * .44) * 1e-5 + 80e3 / 115e9 * 1e6,
               1e-6);
    check_case("small groups for their blocks");
    const char *back = "aten::native_group_norm_backward | f32[2,512,2000] f32[2,512,2000] f32[2,1]"
                       " f32[2,1] f32[512] =2 =512 =2000 =1 =[True,True,True]";
    CHECK_NEAR(group_us(back, 1e9, 90), 8 + 100 + places, 1e-6); /* 90 x 2/3 / .6 */
    check_case("gradients of group norms read two tensors, then go place by place");
}

int main(void) {
    group_norms();
    return check_done();
}
