/* The iteration of a recording without a GPU, worked by hand. */
#include "predict/untimed.h"

#include "check.h"

static habitat_prediction sum_of(double busy_ms) {
    return (habitat_prediction){.iteration_ms = busy_ms,
                                .busy_ms = busy_ms,
                                .low_ms = busy_ms / 1.25,
                                .high_ms = busy_ms * 1.25,
                                .cpu_ms = NAN,
                                .gpu_ms = NAN,
                                .batch_size = 8};
}

int main(void) {
    habitat_prediction p = sum_of(20.0);
    untimed_assemble(52.0, &p);
    CHECK_NEAR(p.iteration_ms, 52.0, 0.0);
    CHECK_NEAR(p.busy_ms, 20.0, 0.0);
    CHECK_NEAR(p.idle_ms, 32.0, 1e-12);
    CHECK_NEAR(p.cpu_ms, 52.0, 0.0);
    CHECK_NEAR(p.gpu_ms, 20.0, 0.0);
    CHECK_NEAR(p.path_cpu_ms, 52.0, 0.0);
    CHECK(p.path_kernel_ms == 0.0 && p.path_gap_ms == 0.0);
    CHECK_NEAR(p.low_ms, 40.0, 1e-12); /* 52 / 1.3 */
    CHECK_NEAR(p.high_ms, 67.6, 1e-12);
    CHECK_NEAR(p.samples_per_s, 8.0 / 0.052, 1e-12);
    CHECK_INT(p.assembled, HABITAT_ASSEMBLE_REPLAY);
    check_case("the CPU's table is the iteration where the GPU is done sooner");
    p = sum_of(50.0);
    untimed_assemble(45.0, &p);
    CHECK_NEAR(p.iteration_ms, 50.0, 0.0);
    CHECK_NEAR(p.path_kernel_ms, 50.0, 0.0);
    CHECK(p.path_cpu_ms == 0.0);
    CHECK_NEAR(p.low_ms, 40.0, 1e-12);  /* 50 / 1.25, above 45 / 1.3 */
    CHECK_NEAR(p.high_ms, 62.5, 1e-12); /* above 45 x 1.3 */
    check_case("else the GPU's time, and the interval covers both");
    p = sum_of(50.0);
    untimed_assemble(NAN, &p);
    CHECK_NEAR(p.iteration_ms, 50.0, 0.0);
    CHECK_INT((int)p.assembled, 0); /* as it was */
    check_case("shapes without a recording have no CPU side");
    return check_done();
}
