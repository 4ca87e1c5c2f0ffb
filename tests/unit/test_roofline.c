/* Rates and the three heuristics, worked by hand.
 *
 * o: 100 SMs, 1.0 GHz, 1000 GB/s, 10 TFLOP/s plain fp32, 80 TFLOP/s tf32 and 160 fp16, bf16 matrix
 * d:  50 SMs, 2.0 GHz,  500 GB/s,  8 TFLOP/s plain fp32, no matrix units but fp16's 32 TFLOP/s */
#include "check.h"
#include "made_gpu.h"
#include "one_kernel.h"
#include "formula/rates.h"

static habitat_gpu o, d;

static void make(void) {
    o = made_gpu("o", 100, 1.0, 1000, 10);
    d = made_gpu("d", 50, 2.0, 500, 8);
    o.peak.matrix_flop_per_s[HABITAT_DTYPE_TF32] = 80e12;
    o.sustained.matrix_flop_per_s[HABITAT_DTYPE_TF32] = 60e12;
    o.peak.matrix_flop_per_s[HABITAT_DTYPE_FP16] = 160e12;
    o.peak.matrix_flop_per_s[HABITAT_DTYPE_BF16] = 160e12;
    d.peak.matrix_flop_per_s[HABITAT_DTYPE_FP16] = 32e12;
}

static one_kernel facts(double flop, double bytes, habitat_dtype dtype, bool matrix) {
    return (one_kernel){
        .time_ns = 1000, .flop = flop, .bytes = bytes, .dtype = dtype, .matrix_unit = matrix};
}

static void test_rates(void) {
    habitat_dtype used = HABITAT_DTYPE_UNKNOWN;
    bool matrix = true;
    CHECK_NEAR(habitat_arithmetic_rate(&o, HABITAT_DTYPE_TF32, true, false, &used, &matrix), 80e12,
               0);
    CHECK_INT(used, HABITAT_DTYPE_TF32);
    CHECK(matrix);
    CHECK_NEAR(habitat_arithmetic_rate(&o, HABITAT_DTYPE_TF32, true, true, NULL, NULL), 60e12, 0);
    /* no sustained value: the peak of the same unit, never another unit's sustained rate */
    CHECK_NEAR(habitat_arithmetic_rate(&o, HABITAT_DTYPE_FP16, true, true, NULL, NULL), 160e12, 0);
    check_case("a rate that is listed is used");

    CHECK_NEAR(habitat_arithmetic_rate(&d, HABITAT_DTYPE_TF32, true, false, &used, &matrix), 8e12,
               0);
    CHECK_INT(used, HABITAT_DTYPE_FP32);
    CHECK(!matrix);
    CHECK_NEAR(habitat_arithmetic_rate(&d, HABITAT_DTYPE_BF16, true, false, &used, &matrix), 32e12,
               0);
    CHECK_INT(used, HABITAT_DTYPE_FP16);
    CHECK(matrix);
    CHECK_NEAR(habitat_arithmetic_rate(&d, HABITAT_DTYPE_FP8, true, false, &used, &matrix), 32e12,
               0);
    CHECK_INT(used, HABITAT_DTYPE_FP16);
    check_case("tf32 falls back to plain fp32, bf16 and fp8 to fp16 on matrix units");

    /* without matrix units, halves are computed in fp32 whatever a spec sheet lists for them */
    habitat_gpu pascal = d;
    pascal.peak.matrix_flop_per_s[HABITAT_DTYPE_FP16] = NAN;
    pascal.peak.plain_flop_per_s[HABITAT_DTYPE_FP16] = 8e12 / 64;
    CHECK_NEAR(habitat_arithmetic_rate(&pascal, HABITAT_DTYPE_FP16, true, false, &used, NULL), 8e12,
               0);
    CHECK_INT(used, HABITAT_DTYPE_FP32);
    CHECK_NEAR(habitat_arithmetic_rate(&pascal, HABITAT_DTYPE_FP16, false, false, NULL, NULL), 8e12,
               0);
    check_case("fp16 without matrix units runs at the plain fp32 rate");

    CHECK(isnan(habitat_arithmetic_rate(&d, HABITAT_DTYPE_FP64, true, false, NULL, NULL)));
    CHECK(isnan(habitat_arithmetic_rate(NULL, HABITAT_DTYPE_FP32, true, false, NULL, NULL)));
    CHECK(isnan(habitat_arithmetic_rate(&d, HABITAT_DTYPE_COUNT, true, false, NULL, NULL)));
    check_case("fp64 is never replaced, and no GPU has no rate");
}

static void test_flops(void) {
    double ns = -1;
    one_kernel k = facts(NAN, NAN, HABITAT_DTYPE_FP32, false);
    CHECK_INT(habitat_flops_time(&k, &o, &d, &ns), HABITAT_OK);
    CHECK_NEAR(ns, 1250, 1e-12); /* 1000 ns x 10 / 8 */
    k = facts(NAN, NAN, HABITAT_DTYPE_TF32, true);
    CHECK_INT(habitat_flops_time(&k, &o, &d, &ns), HABITAT_OK);
    CHECK_NEAR(ns, 10000, 1e-12); /* 1000 ns x 80 / 8: tf32 becomes plain fp32 */
    k = facts(NAN, NAN, HABITAT_DTYPE_FP64, false);
    ns = -1;
    CHECK_INT(habitat_flops_time(&k, &o, &d, &ns), HABITAT_E_NO_SPEC);
    CHECK_NEAR(ns, -1, 0);
    check_case("flops: ratio of peaks, of the unit each GPU would use");
}

static void test_bandwidth(void) {
    double ns = -1;
    one_kernel k = facts(1, 1, HABITAT_DTYPE_FP32, false);
    CHECK_INT(habitat_bandwidth_time(&k, &o, &d, &ns), HABITAT_OK);
    CHECK_NEAR(ns, 2000, 1e-12); /* 1000 ns x 1000 / 500 */
    habitat_gpu unknown = d;
    unknown.memory_bandwidth_bytes_per_s = NAN;
    ns = -1;
    CHECK_INT(habitat_bandwidth_time(&k, &o, &unknown, &ns), HABITAT_E_NO_SPEC);
    CHECK_NEAR(ns, -1, 0);
    CHECK_INT(habitat_bandwidth_time(NULL, &o, &d, &ns), HABITAT_E_ARG);
    k.time_ns = -1;
    CHECK_INT(habitat_bandwidth_time(&k, &o, &d, &ns), HABITAT_E_ARG);
    check_case("bandwidth: ratio of bandwidths");
}

static void test_roofline(void) {
    double ns = -1;
    /* memory-bound on both: x = 1 flop/byte; ridge points 10 and 16 */
    one_kernel k = facts(1e6, 1e6, HABITAT_DTYPE_FP32, false);
    CHECK_INT(habitat_roofline_time(&k, &o, &d, false, &ns), HABITAT_OK);
    CHECK_NEAR(ns, 2000, 1e-12);
    /* compute-bound on both: x = 100 */
    k = facts(1e8, 1e6, HABITAT_DTYPE_FP32, false);
    CHECK_INT(habitat_roofline_time(&k, &o, &d, false, &ns), HABITAT_OK);
    CHECK_NEAR(ns, 1250, 1e-12);
    /* x = 12 lies between: compute-bound on o (12 Mflop at 10 T: 1.2 us against 1.0), memory-bound
     * on d (1 MB at 500 GB/s: 2.0 us against 1.5): 2.0 / 1.2 */
    k = facts(12e6, 1e6, HABITAT_DTYPE_FP32, false);
    CHECK_INT(habitat_roofline_time(&k, &o, &d, false, &ns), HABITAT_OK);
    CHECK_NEAR(ns, 1000 * 2.0 / 1.2, 1e-12);
    check_case("roofline: both sides of the ridge and across it");

    k = facts(1e9, 1e6, HABITAT_DTYPE_TF32, true);
    /* o: 1 Gflop at 80 T = 12.5 us, sustained 60 T = 16.7 us; d: plain fp32 at 8 T = 125 us,
     * sustained 6.4 T = 156.25 us */
    CHECK_INT(habitat_roofline_time(&k, &o, &d, false, &ns), HABITAT_OK);
    CHECK_NEAR(ns, 10000, 1e-12);
    CHECK_INT(habitat_roofline_time(&k, &o, &d, true, &ns), HABITAT_OK);
    CHECK_NEAR(ns, 1000 * 60.0 / 6.4, 1e-12);
    check_case("roofline: sustained rates in place of peaks");

    k = facts(NAN, NAN, HABITAT_DTYPE_FP32, false);
    CHECK_INT(habitat_roofline_time(&k, &o, &d, false, &ns), HABITAT_OK);
    CHECK_NEAR(ns, 2000, 1e-12);
    k = facts(0, NAN, HABITAT_DTYPE_FP32, false); /* a helper: no arithmetic, bytes unknown */
    CHECK_INT(habitat_roofline_time(&k, &o, &d, false, &ns), HABITAT_OK);
    CHECK_NEAR(ns, 2000, 1e-12);
    k = facts(1e6, NAN, HABITAT_DTYPE_FP32, false);
    CHECK_INT(habitat_roofline_time(&k, &o, &d, false, &ns), HABITAT_OK);
    CHECK_NEAR(ns, 1250, 1e-12);
    k = facts(1e6, 1e3, HABITAT_DTYPE_FP64, false);
    ns = -1;
    CHECK_INT(habitat_roofline_time(&k, &o, &d, false, &ns), HABITAT_E_NO_SPEC);
    CHECK_NEAR(ns, -1, 0);
    check_case("roofline: unknown flop or bytes, unknown rates");
}

static void test_same(void) {
    one_kernel k = facts(12e6, 1e6, HABITAT_DTYPE_FP32, false);
    k.time_ns = 1234567.0 / 3.0;
    double flops = 0, bandwidth = 0, roofline = 0, sustained = 0;
    habitat_flops_time(&k, &o, &o, &flops);
    habitat_bandwidth_time(&k, &o, &o, &bandwidth);
    habitat_roofline_time(&k, &o, &o, false, &roofline);
    habitat_roofline_time(&k, &o, &o, true, &sustained);
    CHECK(flops == k.time_ns && bandwidth == k.time_ns);
    CHECK(roofline == k.time_ns && sustained == k.time_ns);
    check_case("the same GPU gives the measurement back to the bit");
}

int main(void) {
    make();
    test_rates();
    test_flops();
    test_bandwidth();
    test_roofline();
    test_same();
    return check_done();
}
