/* Intervals of auto: widths worked by hand, and that less knowledge means a wider interval. */
#include "check.h"
#include "predict/interval.h"

static habitat_gpu origin = {.name = "O", .vendor = "NVIDIA", .compute_capability = 90};
static habitat_gpu dest = {.name = "D", .vendor = "NVIDIA", .compute_capability = 70};

int main(void) {
    scaling s = {.origin = &origin, .dest = &dest};
    interval_sum sum = {.total = 100.0};
    CHECK_NEAR(interval_width(&(interval_sum){0}, &s), 0.0, 0.0);
    sum.by_class[0][HABITAT_CLASS_GEMM] = 60.0;
    sum.by_class[0][HABITAT_CLASS_BMM] = 20.0;
    sum.by_class[0][HABITAT_CLASS_ELEMENTWISE] = 20.0;
    /* 0.040^2 + (0.6 x 0.032)^2 + (0.2 x 0.239)^2 + (0.2 x 0.023)^2
     * = 0.0016 + 0.00036864 + 0.00228484 + 0.00002116 = 0.00427464; root 0.0653807; x 1.2816 */
    CHECK_NEAR(interval_width(&sum, &s), 0.0837919, 1e-5);
    check_case("an iteration's width adds what is common and each class's share of its bias");

    interval_sum estimated = sum;
    estimated.by_rate[1][INTERVAL_PLAIN] = 80.0; /* + (0.8 x 0.14)^2 = 0.012544: root 0.1296867 */
    CHECK_NEAR(interval_width(&estimated, &s), 0.1662065, 1e-5);
    check_case("estimated rates widen the interval");

    dest.compute_capability = 90; /* class parts / 4: 0.0016 + 0.00066866; root 0.0476304 */
    CHECK_NEAR(interval_width(&sum, &s), 0.0610431, 1e-5);
    check_case("GPUs of one compute capability have half the spread of classes");

    CHECK(interval_calibrated(&s, HABITAT_METHOD_AUTO));
    CHECK(!interval_calibrated(&s, HABITAT_METHOD_WAVE));
    dest.vendor = "AMD";
    CHECK(!interval_calibrated(&s, HABITAT_METHOD_AUTO));
    check_case("only auto between GPUs of one vendor is calibrated");
    return check_done();
}
