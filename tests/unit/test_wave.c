/* Wave scaling worked by hand.
 *
 * Blocks of 1024 threads, 32 registers a thread, no shared memory: the 2048 threads of an SM
 * hold 2. o: 100 SMs x 2 = wave of 200 blocks; 1.0 GHz; 1000 GB/s d:  50 SMs x 2 = wave of 100
 * blocks; 2.0 GHz;  500 GB/s; 8 TFLOP/s: ridge R = 16 flop/byte */
#include "check.h"
#include "made_gpu.h"
#include "one_kernel.h"

static habitat_gpu o, d;

static one_kernel kernel(uint64_t blocks, double flop, double bytes) {
    return (one_kernel){.time_ns = 1000,
                        .blocks = blocks,
                        .launch = {1024, 32, 0},
                        .flop = flop,
                        .bytes = bytes,
                        .dtype = HABITAT_DTYPE_FP32};
}

static double exponent_at(double x) {
    one_kernel k = kernel(1, x * 1e6, 1e6);
    double g = -1;
    CHECK_INT(habitat_wave_exponent(&k, &d, &g), HABITAT_OK);
    return g;
}

static void test_exponent(void) {
    CHECK_NEAR(exponent_at(0), 1.0, 0);
    CHECK_NEAR(exponent_at(4), 0.875, 1e-15); /* 1 - 4/32 */
    CHECK_NEAR(exponent_at(8), 0.75, 1e-15);
    check_case("g below the ridge: 1 - x/2R");
    CHECK_NEAR(exponent_at(16), 0.5, 1e-15); /* both branches meet at R */
    CHECK_NEAR(exponent_at(15.999999), 0.5, 1e-6);
    CHECK_NEAR(exponent_at(32), 0.25, 1e-15); /* 16/64 */
    CHECK_NEAR(exponent_at(160), 0.05, 1e-12);
    check_case("g above the ridge: R/2x");

    one_kernel k = kernel(1, NAN, NAN);
    double g = -1;
    CHECK_INT(habitat_wave_exponent(&k, &d, &g), HABITAT_OK);
    CHECK_NEAR(g, 1, 0);
    k = kernel(1, 0, 0);
    g = -1;
    CHECK_INT(habitat_wave_exponent(&k, &d, &g), HABITAT_OK);
    CHECK_NEAR(g, 1, 0);
    k = kernel(1, 1e6, 0); /* arithmetic alone: x is infinite */
    CHECK_INT(habitat_wave_exponent(&k, &d, &g), HABITAT_OK);
    CHECK_NEAR(g, 0, 0);
    check_case("g is 1 where x is unknown and 0 where nothing is moved");

    k = kernel(1, 1e6, 1e6);
    k.dtype = HABITAT_DTYPE_FP64;
    g = -1;
    CHECK_INT(habitat_wave_exponent(&k, &d, &g), HABITAT_E_NO_SPEC);
    CHECK_NEAR(g, -1, 0);
    check_case("g needs the destination's peak");
}

static double wave(uint64_t blocks, double g) {
    one_kernel k = kernel(blocks, NAN, NAN);
    double ns = -1;
    CHECK_INT(habitat_wave_time(&k, &o, &d, g, &ns), HABITAT_OK);
    return ns;
}

static void test_equation_1(void) {
    /* 1000 blocks: 10 waves on d, 5 on o. g = 1: 10/5 x (1000/500 x 100/200) = 2 x 1 */
    CHECK_NEAR(wave(1000, 1.0), 2000, 1e-12);
    /* g = 0: 10/5 x (1.0/2.0) = 1 */
    CHECK_NEAR(wave(1000, 0.0), 1000, 1e-12);
    /* g = 1/2: 2 x sqrt(1) x sqrt(1/2) */
    CHECK_NEAR(wave(1000, 0.5), 2000 * sqrt(0.5), 1e-12);
    check_case("equation 1, full waves");
    /* 201 blocks: 3 waves on d, 2 on o: 3/2 x 1 */
    CHECK_NEAR(wave(201, 1.0), 1500, 1e-12);
    /* 100 blocks: 1 wave on each */
    CHECK_NEAR(wave(100, 1.0), 1000, 1e-12);
    /* 101 blocks: 2 waves on d, 1 on o */
    CHECK_NEAR(wave(101, 1.0), 2000, 1e-12);
    CHECK_NEAR(wave(1, 0.0), 500, 1e-12);
    check_case("equation 1, part waves round up");
}

static void test_more_sms_can_slow(void) {
    /* 80 blocks fill less than one wave of d. With twice the SMs, and nothing else, there is still
     * one wave, but equation 1 gives each of its blocks half the bandwidth: 1000 ns become 2000. */
    habitat_gpu more = d;
    more.sm_count *= 2;
    one_kernel k = kernel(80, NAN, NAN);
    double few_ns = 0, more_ns = 0;
    habitat_wave_time(&k, &o, &d, 1.0, &few_ns);
    habitat_wave_time(&k, &o, &more, 1.0, &more_ns);
    CHECK_NEAR(few_ns, 1000, 1e-12);
    CHECK_NEAR(more_ns, 2000, 1e-12);
    check_case("equation 1 slows less than a wave of blocks down on more SMs");
}

static void test_equation_2(void) {
    one_kernel k = kernel(7, NAN, NAN);
    double ns = -1;
    CHECK_INT(habitat_wave_large_time(&k, &o, &d, 1.0, &ns), HABITAT_OK);
    CHECK_NEAR(ns, 2000, 1e-12); /* 1000/500 */
    CHECK_INT(habitat_wave_large_time(&k, &o, &d, 0.0, &ns), HABITAT_OK);
    CHECK_NEAR(ns, 1000, 1e-12); /* 200/100 x 1.0/2.0 */
    CHECK_INT(habitat_wave_large_time(&k, &o, &d, 0.25, &ns), HABITAT_OK);
    CHECK_NEAR(ns, 1000 * pow(2, 0.25), 1e-12);
    check_case("equation 2");
    /* with many waves equation 1 tends to equation 2: 10^6 blocks, g = 0.25 */
    k = kernel(1000000, NAN, NAN);
    double first = 0;
    CHECK_INT(habitat_wave_time(&k, &o, &d, 0.25, &first), HABITAT_OK);
    CHECK_NEAR(first, ns, 1e-3);
    check_case("equation 1 tends to equation 2 with many waves");
}

static void test_occupancy_counts(void) {
    /* 100 KiB of shared memory a block: 2 fit in the 228 KiB of o's SM (101 KiB each with the
     * reserved one), 1 in a GPU of 164 KiB. W_o = 200, W_s = 50. 400 blocks: 2 waves and 8.
     * g = 1: 8/2 x (1000/500 x 50/200) = 4 x 0.5 */
    habitat_gpu small = d;
    small.limits.shared_memory_per_sm_bytes = 167936;
    small.limits.shared_memory_per_block_bytes = 166912;
    one_kernel k = kernel(400, NAN, NAN);
    k.launch = (habitat_launch){128, 32, 102400};
    double ns = -1;
    CHECK_INT(habitat_wave_time(&k, &o, &small, 1.0, &ns), HABITAT_OK);
    CHECK_NEAR(ns, 2000, 1e-12);
    check_case("a wave is what is resident on each GPU");

    /* 230000 bytes of shared memory: resident on o alone */
    k.launch.shared_memory_bytes = 230000;
    ns = -1;
    CHECK_INT(habitat_wave_time(&k, &o, &small, 1.0, &ns), HABITAT_E_NOT_RESIDENT);
    CHECK_INT(habitat_wave_time(&k, &small, &o, 1.0, &ns), HABITAT_E_NOT_RESIDENT);
    CHECK_INT(habitat_wave_large_time(&k, &o, &small, 1.0, &ns), HABITAT_E_NOT_RESIDENT);
    CHECK_NEAR(ns, -1, 0);
    check_case("a block that is not resident has no wave");
}

static void test_refusals(void) {
    double ns = -1;
    one_kernel k = kernel(0, NAN, NAN);
    CHECK_INT(habitat_wave_time(&k, &o, &d, 1.0, &ns), HABITAT_E_UNSUPPORTED);
    k = kernel(10, NAN, NAN);
    CHECK_INT(habitat_wave_time(&k, &o, &d, 1.5, &ns), HABITAT_E_ARG);
    CHECK_INT(habitat_wave_time(&k, &o, &d, NAN, &ns), HABITAT_E_ARG);
    CHECK_INT(habitat_wave_time(NULL, &o, &d, 1.0, &ns), HABITAT_E_ARG);
    habitat_gpu unknown = d;
    unknown.boost_clock_hz = NAN;
    CHECK_INT(habitat_wave_time(&k, &o, &unknown, 1.0, &ns), HABITAT_E_NO_SPEC);
    k.time_ns = NAN;
    CHECK_INT(habitat_wave_time(&k, &o, &d, 1.0, &ns), HABITAT_E_ARG);
    CHECK_NEAR(ns, -1, 0);
    check_case("no estimate is a status, and writes no number");
}

static void test_same(void) {
    one_kernel k = kernel(777, NAN, NAN);
    k.time_ns = 1234567.0 / 3.0;
    double first = 0, second = 0;
    habitat_wave_time(&k, &o, &o, 0.37, &first);
    habitat_wave_large_time(&k, &o, &o, 0.37, &second);
    CHECK(first == k.time_ns && second == k.time_ns);
    check_case("the same GPU gives the measurement back to the bit");
}

int main(void) {
    o = made_gpu("o", 100, 1.0, 1000, 10);
    d = made_gpu("d", 50, 2.0, 500, 8);
    test_exponent();
    test_equation_1();
    test_more_sms_can_slow();
    test_equation_2();
    test_occupancy_counts();
    test_refusals();
    test_same();
    return check_done();
}
