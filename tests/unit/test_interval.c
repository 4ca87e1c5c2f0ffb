/* Intervals of auto: widths worked by hand, and that less knowledge means a wider interval. */
#include "check.h"
#include "gpu/gpu.h"
#include "predict/interval.h"
#include "predict/method.h"

static habitat_gpu origin = {.name = "O", .vendor = "NVIDIA", .compute_capability = 90};
static habitat_gpu dest = {.name = "D", .vendor = "NVIDIA", .compute_capability = 70};

static const habitat_kernel_form launched_form = {.name = "k"};
static const habitat_kernel launched = {.form = &launched_form};

/* Half widths of one kernel, from the table in docs/formulas.md#intervals: 1.2816 times the root of
 * 0.040^2 + bias^2 + row^2. */
static void test_kernels(void) {
    static const struct {
        habitat_class op_class;
        habitat_method method;
        double width;
    } rows[] = {
        /* gemm by a model: 0.0016 + 0.015^2 + 0.195^2 = 0.03985; root 0.1996246 */
        {HABITAT_CLASS_GEMM, HABITAT_METHOD_LEARNED, 0.2558389},
        {HABITAT_CLASS_GEMM, HABITAT_METHOD_ROOFLINE, 0.3082481},
        /* bmm by a model: 0.0016 + 0.132^2 + 0.232^2 = 0.072848; root 0.2699037 */
        {HABITAT_CLASS_BMM, HABITAT_METHOD_LEARNED, 0.3459086},
        {HABITAT_CLASS_BMM, HABITAT_METHOD_ROOFLINE, 0.5073097},
        {HABITAT_CLASS_CONV, HABITAT_METHOD_LEARNED, 0.3204641},
        {HABITAT_CLASS_CONV, HABITAT_METHOD_ROOFLINE, 0.5285617},
        {HABITAT_CLASS_NORM, HABITAT_METHOD_LEARNED, 0.1342747},
        {HABITAT_CLASS_NORM, HABITAT_METHOD_ROOFLINE, 0.4012063},
        /* of 50 ns: 0.0016 + 0.023^2 + 0.024^2 + 0.15^2 */
        {HABITAT_CLASS_ELEMENTWISE, HABITAT_METHOD_ROOFLINE, 0.2034679},
        {HABITAT_CLASS_COPY, HABITAT_METHOD_ROOFLINE, 0.2034679},
        {HABITAT_CLASS_SOFTMAX, HABITAT_METHOD_LEARNED, 0.3534289},
        {HABITAT_CLASS_SOFTMAX, HABITAT_METHOD_ROOFLINE, 0.4710991},
        /* the fallback, whatever the class: 0.0016 + 0.32^2 */
        {HABITAT_CLASS_GEMM, HABITAT_METHOD_FALLBACK, 0.4133036},
    };
    scaling s = {.origin = &origin, .dest = &dest};
    habitat_kernel_facts facts = {.flop = 1, .bytes = 1, .dtype = HABITAT_DTYPE_FP32};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        interval_sum sum = {0};
        habitat_workload_kernel kernel = {.op_class = rows[i].op_class, .kernel = &launched};
        CHECK_NEAR(interval_add(&sum, &s, &kernel, &facts, rows[i].method, 50.0), rows[i].width,
                   1e-6);
        CHECK_NEAR(sum.total, 50.0, 0);
        /* alone in its iteration, what averages out is gone: 1.2816 x root(0.0016 + bias^2) */
        if (rows[i].op_class == HABITAT_CLASS_BMM && rows[i].method == HABITAT_METHOD_LEARNED)
            CHECK_NEAR(interval_of(&sum, &s).down, 0.1767679, 1e-6);
        if (rows[i].method == HABITAT_METHOD_FALLBACK)
            CHECK_NEAR(interval_of(&sum, &s).down, 0.4133036, 1e-6);
    }
    check_case(
        "a kernel's width is that of its class, by a model or by the rule, or the fallback's");
}

/* From 25 us on the part of short copies and element-wise kernels fades: at 100 us 0.15 / 4. It is
 * a kernel's own and averages out over an iteration. */
static void test_short_rows(void) {
    scaling s = {.origin = &origin, .dest = &dest};
    habitat_kernel_facts facts = {.flop = 1, .bytes = 1, .dtype = HABITAT_DTYPE_FP32};
    habitat_workload_kernel kernel = {.op_class = HABITAT_CLASS_COPY, .kernel = &launched};
    interval_sum sum = {0};
    CHECK_NEAR(interval_add(&sum, &s, &kernel, &facts, HABITAT_METHOD_ROOFLINE, 25e3), 0.2034679,
               1e-6);
    CHECK_NEAR(interval_add(&sum, &s, &kernel, &facts, HABITAT_METHOD_ROOFLINE, 100e3), 0.0821749,
               1e-5);
    CHECK_NEAR(interval_of(&sum, &s).down, 1.2816 * sqrt(0.0016 + 0.023 * 0.023), 1e-6);
    check_case("short copies and element-wise kernels are wider by themselves, not the iteration");
}

/* A rate that was estimated adds its own variance, on either GPU: gemm by a model and 0.14, 0.10 or
 * 0.03; another unit of arithmetic 0.20. */
static void test_rates(void) {
    const double gemm = 0.03985;
    scaling s = {.origin = &origin, .dest = &dest};
    habitat_workload_kernel kernel = {.op_class = HABITAT_CLASS_GEMM, .kernel = &launched};
    habitat_kernel_facts facts = {.flop = 3e12, .bytes = 1e12, .dtype = HABITAT_DTYPE_FP32};
    for (int g = 0; g < 2; g++) {
        rate_table *table = g ? &s.sustained_dest : &s.sustained_origin;
        for (int d = 0; d < HABITAT_DTYPE_COUNT; d++)
            table->flop_per_s[d][0] = table->flop_per_s[d][1] = 1e12;
        table->bytes_per_s = 1e12;
    }
    interval_sum sum = {0};
    CHECK_NEAR(interval_add(&sum, &s, &kernel, &facts, HABITAT_METHOD_LEARNED, 100.0),
               1.2816 * sqrt(gemm), 1e-6);
    s.sustained_dest.estimated[HABITAT_DTYPE_FP32][0] = true; /* binds: 3 s against 1 s of memory */
    s.sustained_dest.bytes_estimated = true;                  /* does not */
    CHECK_NEAR(interval_add(&sum, &s, &kernel, &facts, HABITAT_METHOD_LEARNED, 100.0),
               1.2816 * sqrt(gemm + 0.14 * 0.14), 1e-6);
    facts.bytes = 5e12; /* memory binds */
    CHECK_NEAR(interval_add(&sum, &s, &kernel, &facts, HABITAT_METHOD_LEARNED, 100.0),
               1.2816 * sqrt(gemm + 0.03 * 0.03), 1e-6);
    s.sustained_origin.bytes_estimated = true;
    CHECK_NEAR(interval_add(&sum, &s, &kernel, &facts, HABITAT_METHOD_LEARNED, 100.0),
               1.2816 * sqrt(gemm + 2 * 0.03 * 0.03), 1e-6);
    CHECK_NEAR(sum.by_rate[1][INTERVAL_MEMORY], 200.0, 0);
    CHECK_NEAR(sum.by_rate[0][INTERVAL_MEMORY], 100.0, 0);
    check_case("an estimated rate counts where it binds, on both GPUs");

    /* TF32 on the origin's matrix units, plain fp32 on the destination */
    facts = (habitat_kernel_facts){
        .flop = 3e12, .bytes = 1e12, .dtype = HABITAT_DTYPE_TF32, .matrix_unit = true};
    s.sustained_origin.unit[HABITAT_DTYPE_TF32][1] = 2 * HABITAT_DTYPE_TF32 + 1;
    s.sustained_dest.unit[HABITAT_DTYPE_TF32][1] = 2 * HABITAT_DTYPE_FP32;
    s.sustained_origin.estimated[HABITAT_DTYPE_TF32][1] = true;
    sum = (interval_sum){0};
    CHECK_NEAR(interval_add(&sum, &s, &kernel, &facts, HABITAT_METHOD_LEARNED, 100.0),
               1.2816 * sqrt(gemm + 0.10 * 0.10 + 0.20 * 0.20), 1e-6);
    /* of the iteration: 0.0016 + 0.015^2 + 0.10^2 + 0.20^2 */
    CHECK_NEAR(interval_of(&sum, &s).down, 1.2816 * sqrt(0.051825), 1e-6);
    check_case("so does the change from matrix units to plain ones");
}

/* Networks of convolutions, short kernels, and two GPUs of one chip. */
static void test_iterations(void) {
    habitat_gpu a = {.name = "A",
                     .vendor = "NVIDIA",
                     .compute_capability = 90,
                     .sm_count = 132,
                     .boost_clock_hz = 1.98e9,
                     .tdp_w = 700};
    habitat_gpu b = a;
    scaling s = {.origin = &origin, .dest = &dest};
    interval_sum sum = {.total = 1e6, .kernels = 10};
    sum.by_class[1][HABITAT_CLASS_CONV] = 5e5;
    /* 0.040^2 + (0.5 x 0.123)^2 + (0.5 x 0.12)^2 = 0.00898225; of 100 us a kernel, upwards
     * (1.0 x 20 / 100)^2 = 0.04 more */
    interval_ends ends = interval_of(&sum, &s);
    CHECK_NEAR(ends.down, 1.2816 * sqrt(0.00898225), 1e-9);
    CHECK_NEAR(ends.up, 1.2816 * sqrt(0.00898225 + 0.04), 1e-9);
    CHECK_INT(ends.basis, HABITAT_INTERVAL_ITERATIONS);
    sum.kernels = 100; /* 10 us each: all of it */
    CHECK_NEAR(interval_of(&sum, &s).up, 1.2816 * sqrt(0.00898225 + 1.0), 1e-9);
    check_case("convolutions widen an iteration, short kernels its upper end");

    s = (scaling){.origin = &a, .dest = &b};
    ends = interval_of(&sum, &s);
    CHECK_NEAR(ends.down, 1.2816 * 0.015, 1e-9);
    CHECK_NEAR(ends.up, ends.down, 0);
    CHECK_INT(ends.basis, HABITAT_INTERVAL_PAIRS);
    sum.by_rate[1][INTERVAL_MEMORY] = 1e6; /* a rate that nobody measured: 0.03 */
    CHECK_NEAR(interval_of(&sum, &s).up, 1.2816 * sqrt(0.015 * 0.015 + 0.03 * 0.03), 1e-9);
    b.tdp_w = 350;
    CHECK_INT(interval_of(&sum, &s).basis, HABITAT_INTERVAL_ITERATIONS);
    b.tdp_w = 700;
    b.sm_count = 114;
    CHECK_INT(interval_of(&sum, &s).basis, HABITAT_INTERVAL_ITERATIONS);
    b.sm_count = 132;
    b.boost_clock_hz = 1.755e9;
    CHECK_INT(interval_of(&sum, &s).basis, HABITAT_INTERVAL_ITERATIONS);
    check_case("two GPUs of one chip, clock and power limit have the spread of the pairs recorded");
}

int main(void) {
    test_kernels();
    test_iterations();
    test_short_rows();
    test_rates();
    scaling s = {.origin = &origin, .dest = &dest};
    interval_sum sum = {.total = 100.0};
    CHECK_NEAR(interval_of(&(interval_sum){0}, &s).down, 0.0, 0.0);
    sum.by_class[0][HABITAT_CLASS_GEMM] = 60.0;
    sum.by_class[0][HABITAT_CLASS_BMM] = 20.0;
    sum.by_class[0][HABITAT_CLASS_ELEMENTWISE] = 20.0;
    /* 0.040^2 + (0.6 x 0.032)^2 + (0.2 x 0.239)^2 + (0.2 x 0.023)^2
     * = 0.0016 + 0.00036864 + 0.00228484 + 0.00002116 = 0.00427464; root 0.0653807; x 1.2816 */
    CHECK_NEAR(interval_of(&sum, &s).down, 0.0837919, 1e-5);
    check_case("an iteration's width adds what is common and each class's share of its bias");

    interval_sum estimated = sum;
    estimated.by_rate[1][INTERVAL_PLAIN] = 80.0; /* + (0.8 x 0.14)^2 = 0.012544: root 0.1296867 */
    CHECK_NEAR(interval_of(&estimated, &s).down, 0.1662065, 1e-5);
    check_case("estimated rates widen the interval");

    dest.compute_capability = 90; /* class parts / 4: 0.0016 + 0.00066866; root 0.0476304 */
    CHECK_NEAR(interval_of(&sum, &s).down, 0.0610431, 1e-5);
    check_case("GPUs of one compute capability have half the spread of classes");

    CHECK(method_of(HABITAT_METHOD_AUTO)->calibrated(&s));
    dest.vendor = "AMD";
    dest.compute_capability = 0;
    CHECK(!method_of(HABITAT_METHOD_AUTO)->calibrated(&s));
    for (int m = 0; m < HABITAT_METHOD_COUNT; m++)
        CHECK(m == HABITAT_METHOD_AUTO || !method_of((habitat_method)m)->calibrated);
    check_case("only auto between GPUs of NVIDIA is calibrated");
    return check_done();
}
