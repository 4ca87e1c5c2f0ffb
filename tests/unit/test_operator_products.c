/* Analytic times of products, worked by hand on a GPU of round numbers: on plain units tiles of
 * batches by generation, parts of single sums and rows far apart; what 8-bit products spend on
 * turning their operand into 8 bit. */
#include <math.h>
#include <string.h>

#include <habitat/habitat.h>

#include "operator/extent.h"
#include "operator/views.h"
#include "check.h"

/* 100 SMs of 64 lanes at 1 GHz, 10 Tflop/s; memory costs nothing. */
static operator_gpu plain_gpu(uint32_t compute_capability) {
    return (operator_gpu){.flop_per_s = 1e13,
                          .bytes_per_s = 1e20,
                          .peak_flop_per_s = 1e13,
                          .sm_count = 100,
                          .lanes_per_sm = 64,
                          .threads_per_sm = 2048,
                          .clock_hz = 1e9,
                          .l2_bytes = 1e7,
                          .compute_capability = compute_capability};
}

static habitat_work product(double b, double m, double n, double k, habitat_dtype dtype) {
    habitat_work work = {0};
    habitat_gemm_shape shape = {.b = b, .m = m, .n = n, .k = k};
    CHECK_INT(habitat_work_gemm(&shape, dtype, &work), HABITAT_OK);
    return work;
}

/* Milliseconds of a batch of 100 on plain units. */
static double batch_ms(uint32_t compute_capability, double m, double n) {
    habitat_work work = product(100, m, n, 1000, HABITAT_DTYPE_FP32);
    habitat_model_query query = {.work = &work};
    operator_gpu gpu = plain_gpu(compute_capability);
    float inputs[OPERATOR_INPUTS_MAX];
    CHECK_INT(operator_class_of(&query), OPERATOR_BMM);
    return 1e3 * operator_look_gemm(&query, OPERATOR_BMM, &gpu, inputs);
}

static void test_batch_tiles(void) {
    /* two tiles of 64 x 128 a product, 200 on 100 units, whether half of their columns are used */
    double two_tiles = 2 * 100. * 64 * 128 * 2 * 1000 / 1e13 * 1e3;
    CHECK_NEAR(batch_ms(61, 128, 64), two_tiles, 1e-9);
    CHECK_NEAR(batch_ms(61, 128, 128), two_tiles, 1e-9);
    CHECK_NEAR(batch_ms(60, 64, 128), two_tiles / 2, 1e-9); /* rows have tiles of 64 */
    CHECK_NEAR(batch_ms(60, 64, 32), two_tiles / 2, 1e-9);
    /* from 7.0 on a tile of 128 x 64: .92 of the rate, and .8 of that in batches */
    double narrow = 100. * 128 * 64 * 2 * 1000 / (1e13 * .92 * .8) * 1e3;
    CHECK_NEAR(batch_ms(70, 128, 64), narrow, 1e-9);
    CHECK_NEAR(batch_ms(90, 128, 64), narrow, 1e-9);
    CHECK_NEAR(batch_ms(0, 128, 64), narrow, 1e-9); /* AMD: no compute capability */
    check_case("batches before 7.0 have no tile of fewer than 128 columns");
}

/* Milliseconds of a single product on plain units. */
static double single_ms(uint32_t compute_capability, const habitat_gemm_shape *shape) {
    habitat_work work = {0};
    CHECK_INT(habitat_work_gemm(shape, HABITAT_DTYPE_FP32, &work), HABITAT_OK);
    habitat_model_query query = {.work = &work};
    operator_gpu gpu = plain_gpu(compute_capability);
    float inputs[OPERATOR_INPUTS_MAX];
    CHECK_INT(operator_class_of(&query), OPERATOR_GEMM);
    return 1e3 * operator_look_gemm(&query, OPERATOR_GEMM, &gpu, inputs);
}

static void test_parts(void) {
    /* a wave of 100 units and tiles of 128 x 128 for one element of k, and 2.2 us an end */
    habitat_gemm_shape shape = {.b = 1, .m = 128, .n = 128, .k = 25600, .bias = true};
    double step = 100 * 128. * 128 * 2 / 1e13, end = 2.2e-6;
    /* with a bias 4 parts at most: of 8 tiles of 64 x 32, at .6 of the rate; 3 us and 4 sums of
     * 131072 byte at 100 x 24 x 1.7 GHz */
    double cut = (.32 + .68 / 2) * (step / 8 * 6400 / .6 + end / 8) + 3e-6;
    CHECK_NEAR(single_ms(80, &shape), 1e3 * (cut + 4 * 131072 / 4.08e12), 1e-9);
    shape.bias = false; /* without one 16, of 4 tiles of 64 x 64 at .75 */
    cut = (.64 + .36 / 2) * (step / 4 * 1600 / .75 + end / 4) + 3e-6;
    CHECK_NEAR(single_ms(80, &shape), 1e3 * (cut + 16 * 131072 / 4.08e12), 1e-9);
    /* as many tiles as units are cut no more, however long the sum: 10 x 10 of 128 x 128 */
    shape.m = shape.n = 1280;
    double filled = single_ms(80, &shape);
    shape.bias = true;
    CHECK_NEAR(single_ms(80, &shape), filled, 0);
    CHECK_NEAR(filled, 1e3 * (step * 25600 + end), 1e-9);
    check_case("single products are cut along k where tiles are few; tiles end");
}

static void test_far_rows(void) {
    habitat_gemm_shape shape = {
        .b = 1, .m = 4096, .n = 4096, .k = 30000, .bias = true, .trans_b = true};
    double usual = single_ms(70, &shape);
    CHECK_NEAR(log(single_ms(61, &shape) / usual), .3 + 2 * .08, 1e-6);
    shape.m = 65536; /* .78 is more than the most */
    CHECK_NEAR(log(single_ms(61, &shape) / single_ms(70, &shape)), .55, 1e-6);
    shape.m = 64; /* .3 - 4 x .08 is less than nothing */
    CHECK_NEAR(single_ms(61, &shape), single_ms(70, &shape), 0);
    shape.m = 1024;
    shape.k = sqrt(10000. * 30000.); /* halfway in log */
    CHECK_NEAR(log(single_ms(61, &shape) / single_ms(70, &shape)), .15, 1e-6);
    shape.k = 10000;
    CHECK_NEAR(single_ms(61, &shape), single_ms(70, &shape), 0);
    shape.k = 30000;
    CHECK_NEAR(single_ms(0, &shape), single_ms(70, &shape), 0); /* AMD */
    shape.trans_b = false; /* the second operand's rows are short */
    CHECK_NEAR(single_ms(61, &shape), single_ms(70, &shape), 0);
    check_case("before 7.0 rows that lie far apart are slow to reach");
}

/* Milliseconds of a long product on matrix units that nothing else holds up. */
static double layout_ms(uint32_t compute_capability, bool trans_a, bool trans_b,
                        habitat_dtype dtype) {
    habitat_gemm_shape shape = {
        .b = 1, .m = 1280, .n = 1280, .k = 1e6, .trans_a = trans_a, .trans_b = trans_b};
    habitat_work work = {0};
    CHECK_INT(habitat_work_gemm(&shape, dtype, &work), HABITAT_OK);
    habitat_model_query query = {.work = &work, .arithmetic = dtype};
    operator_gpu gpu = plain_gpu(compute_capability);
    gpu.flop_per_s = 1e15;
    float inputs[OPERATOR_INPUTS_MAX];
    return 1e3 * operator_look_matrix(&query, OPERATOR_GEMM_MATRIX, &gpu, inputs);
}

static void test_layouts(void) {
    double along_k = layout_ms(90, false, true, HABITAT_DTYPE_TF32);
    CHECK_NEAR(along_k, 1e3 * 2 * 1280 * 1280 * 1e6 / 1e13, 1e-3);
    CHECK_NEAR(layout_ms(90, true, true, HABITAT_DTYPE_TF32), along_k, 0);
    CHECK_NEAR(layout_ms(90, false, false, HABITAT_DTYPE_TF32), along_k / .70, 1e-3);
    CHECK_NEAR(layout_ms(90, true, false, HABITAT_DTYPE_TF32), along_k / .53, 1e-3);
    CHECK_NEAR(layout_ms(80, true, false, HABITAT_DTYPE_TF32),
               layout_ms(80, false, true, HABITAT_DTYPE_TF32), 0);
    CHECK_NEAR(layout_ms(100, true, false, HABITAT_DTYPE_TF32),
               layout_ms(100, false, true, HABITAT_DTYPE_TF32), 0);
    CHECK_NEAR(layout_ms(90, true, false, HABITAT_DTYPE_BF16),
               layout_ms(90, false, true, HABITAT_DTYPE_BF16), 0);
    check_case("Hopper's TF32 is slower where operands do not lie along k");
}

/* Microseconds beyond the product of an 8-bit product of `rows` by `columns`. */
static double quantising_us(habitat_variant variant, double rows, double columns) {
    habitat_work work = product(1, rows, 512, columns, HABITAT_DTYPE_FP8);
    habitat_model_query query = {.work = &work, .variant = variant};
    operator_gpu gpu = plain_gpu(90);
    gpu.bytes_per_s = 1e12;
    gpu.peak_flop_per_s = 1e15;
    gpu.flop_per_s = 5e14;
    float inputs[OPERATOR_INPUTS_MAX];
    CHECK_INT(operator_class_of(&query), OPERATOR_GEMM_FP8);
    return 1e6 * (operator_look_fp8(&query, OPERATOR_GEMM_FP8, &gpu, inputs) -
                  operator_look_matrix(&query, OPERATOR_GEMM_FP8, &gpu, inputs));
}

static void test_quantising(void) {
    /* 3 MB from the cache of 3.8 TB/s; .15 cycles of 100 SMs at 1 GHz an element */
    double sglang = 3 + 3e6 / 3.8e12 * 1e6 + .15 * 1e6 / 100 * 1e-3;
    CHECK_NEAR(quantising_us(HABITAT_VARIANT_SGLANG, 1000, 1000), sglang, 1e-9);
    double vllm = sglang + 1000 * (1500 + .18 * 1000) / 100 * 1e-3;
    CHECK_NEAR(quantising_us(HABITAT_VARIANT_DEFAULT, 1000, 1000), vllm, 1e-9);
    CHECK_NEAR(quantising_us(HABITAT_VARIANT_TRITON, 1000, 1000), vllm, 1e-9);
    CHECK_NEAR(quantising_us(HABITAT_VARIANT_TRTLLM, 1000, 1000), sglang + 6 + 1, 1e-9);
    CHECK_NEAR(quantising_us(HABITAT_VARIANT_BLOCK_SCALED, 1000, 1000), sglang + 1 + 1, 1e-9);
    /* 300 MB: all but 5.1 of 10 MB misses, more than .45 of it */
    CHECK_NEAR(quantising_us(HABITAT_VARIANT_SGLANG, 1e4, 1e4), 3 + 300 + 150, 1e-9);
    check_case("8-bit products: their operand is read in 16 bit and written in 8");
}

/* What an SM draws from the cache, at 1 GHz. */
static void test_paths(void) {
    static const struct {
        uint32_t capability;
        double bytes_per_cycle;
    } of[] = {{70, 23}, {75, 23},  {80, 32},  {86, 16}, {89, 16},
              {90, 32}, {100, 32}, {120, 16}, {0, 32}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        operator_gpu gpu = plain_gpu(of[i].capability);
        CHECK_NEAR(operator_product_costs(&gpu, false).sm_bytes_per_s, of[i].bytes_per_cycle * 1e9,
                   1e-12);
    }
    operator_gpu hopper = plain_gpu(90);
    CHECK_NEAR(operator_product_costs(&hopper, true).sm_bytes_per_s, 80e9,
               1e-12); /* one load for several */
    check_case("parts for graphics load half of what an A100's SM does");
}

/* Analytic milliseconds in a format; the inputs of the trees, too. */
static double looked_ms(habitat_gemm_shape shape, habitat_dtype dtype, float inputs[]) {
    habitat_work work = {0};
    operator_gpu gpu = plain_gpu(80);
    CHECK_INT(habitat_work_gemm(&shape, dtype, &work), HABITAT_OK);
    habitat_model_query query = {.work = &work, .arithmetic = dtype};
    operator_class c = operator_class_of(&query);
    gpu.bytes_per_s = 1e12;
    memset(inputs, 0, OPERATOR_INPUTS_MAX * sizeof *inputs);
    return 1e3 * operator_facts_of(c)->look(&query, c, &gpu, inputs);
}

static void test_columns(void) {
    static const habitat_dtype formats[] = {HABITAT_DTYPE_FP32, HABITAT_DTYPE_FP16};
    float column[OPERATOR_INPUTS_MAX], row[OPERATOR_INPUTS_MAX];
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        habitat_gemm_shape one_column = {.b = 1, .m = 4096, .n = 1, .k = 1024};
        habitat_gemm_shape one_row = {.b = 1, .m = 1, .n = 4096, .k = 1024, .trans_b = true};
        double ms = looked_ms(one_column, formats[i], column);
        CHECK_NEAR(ms, looked_ms(one_row, formats[i], row), 1e-12);
        CHECK(memcmp(column, row, sizeof row) == 0);
        one_column.trans_a = true;
        one_row.trans_b = false;
        CHECK_NEAR(looked_ms(one_column, formats[i], column), looked_ms(one_row, formats[i], row),
                   1e-12);
        one_column.n = 2; /* two columns: rows of 4 byte and 8 */
        one_row.m = 2;
        CHECK(looked_ms(one_column, formats[i], column) >= looked_ms(one_row, formats[i], row));
    }
    operator_extent of_column[OPERATOR_EXTENTS_MAX], of_row[OPERATOR_EXTENTS_MAX];
    habitat_work a = product(1, 4096, 1, 1024, HABITAT_DTYPE_FP16);
    habitat_work b = product(1, 1, 4096, 1024, HABITAT_DTYPE_FP16);
    size_t count = operator_extents(&a, of_column);
    CHECK_INT(operator_extents(&b, of_row), count);
    for (size_t i = 0; i < count; i++)
        CHECK_NEAR(of_column[i].value, of_row[i].value, 1e-12);
    check_case("a result of one column is answered as the row that it is");
}

int main(void) {
    test_batch_tiles();
    test_paths();
    test_columns();
    test_parts();
    test_far_rows();
    test_layouts();
    test_quantising();
    return check_done();
}
