/* The iteration of a recording without a GPU, worked by hand. */
#include "predict/untimed.h"

#include "check.h"
#include "workload/workload.h"

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
    habitat_workload w = {.batch_size = 8};
    habitat_prediction p = sum_of(20.0);
    untimed_assemble(&w, 52.0, 1.35, &p);
    CHECK_NEAR(p.iteration_ms, 52.0, 0.0);
    CHECK_NEAR(p.busy_ms, 20.0, 0.0);
    CHECK_NEAR(p.idle_ms, 32.0, 1e-12);
    CHECK_NEAR(p.cpu_ms, 52.0, 0.0);
    CHECK_NEAR(p.gpu_ms, 20.0, 0.0);
    CHECK_NEAR(p.path_cpu_ms, 52.0, 0.0);
    CHECK(p.path_kernel_ms == 0.0 && p.path_gap_ms == 0.0);
    CHECK_NEAR(p.low_ms, 52.0 / 1.35, 1e-12);
    CHECK_NEAR(p.high_ms, 70.2, 1e-12);
    CHECK_NEAR(p.samples_per_s, 8.0 / 0.052, 1e-12);
    CHECK_INT(p.assembled, HABITAT_ASSEMBLE_REPLAY);
    check_case("the CPU's table is the iteration where the GPU is done sooner");
    p = sum_of(50.0);
    untimed_assemble(&w, 42.0, 1.35, &p);
    CHECK_NEAR(p.iteration_ms, 50.0, 0.0);
    CHECK_NEAR(p.path_kernel_ms, 50.0, 0.0);
    CHECK(p.path_cpu_ms == 0.0);
    CHECK_NEAR(p.low_ms, 40.0, 1e-12);  /* 50 / 1.25, above 42 / 1.4 */
    CHECK_NEAR(p.high_ms, 62.5, 1e-12); /* above 42 x 1.4 */
    check_case("else the GPU's time, and the interval covers both");
    p = sum_of(50.0);
    untimed_assemble(&w, NAN, 1.35, &p);
    CHECK_NEAR(p.iteration_ms, 50.0, 0.0);
    CHECK_INT((int)p.assembled, 0); /* as it was */
    check_case("shapes without a recording have no CPU side");
    p = sum_of(20.0);
    w.left_out_count = 1;
    untimed_assemble(&w, 52.0, 1.35, &p);
    CHECK_NEAR(p.iteration_ms, 52.0, 0.0);
    CHECK(isnan(p.samples_per_s));
    check_case("a rate is not known where not all of the work is");
    return check_done();
}
