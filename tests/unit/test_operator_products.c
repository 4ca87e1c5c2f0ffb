/* Analytic times of products, worked by hand on a GPU of round numbers: on plain units tiles of
 * batches by generation, parts of single sums and rows far apart; what 8-bit products spend on
 * turning their operand into 8 bit. */
#include <math.h>
#include <string.h>

#include <habitat/habitat.h>

#include "operator/extent.h"
#include "operator/views.h"
#include "check.h"
#include "plain_gpu.h"

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
    gpu.peak_flop_per_s = gpu.units_flop_per_s = 1e15;
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

/* Milliseconds of a bf16 product, most of which a memory of 1 GB/s takes; cache of 10 MB. */
static double missed_ms(uint32_t capability, double m, double n) {
    habitat_work work = product(1, m, n, 1000, HABITAT_DTYPE_BF16);
    habitat_model_query query = {.work = &work};
    operator_gpu gpu = plain_gpu(capability);
    gpu.bytes_per_s = 1e9;
    float inputs[OPERATOR_INPUTS_MAX];
    return 1e3 * operator_look_matrix(&query, OPERATOR_GEMM_MATRIX, &gpu, inputs);
}

static void test_caches(void) {
    static const uint32_t halves[] = {0, 70, 80, 90, 100}, whole[] = {86, 87, 89, 120, 121};
    for (size_t i = 0; i < 5; i++) {
        /* 6 MB, of which a cache in halves keeps 4 and one that is whole 8 */
        CHECK_NEAR(missed_ms(halves[i], 1000, 1000), 6e6 * (2 / 4.2) / .92e9 * 1e3, 1e-3);
        CHECK(missed_ms(whole[i], 1000, 1000) < .5);
        /* 16 MB */
        CHECK_NEAR(missed_ms(halves[i], 2000, 2000), 16e6 / .92e9 * 1e3, 1e-3);
        CHECK_NEAR(missed_ms(whole[i], 2000, 2000), 16e6 * (8 / 11.2) / .92e9 * 1e3, 1e-3);
    }
    check_case("a cache in two halves keeps half of what products read again");
}

static void test_ends(void) {
    static const struct {
        uint32_t capability;
        bool clusters;
        double us;
    } of[] = {{89, false, 2.2}, {90, true, .8},    {90, false, 2.2}, {100, true, 0},
              {103, true, 0},   {100, false, 2.2}, {120, false, 2.2}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        operator_gpu gpu = plain_gpu(of[i].capability);
        CHECK_NEAR(1e6 * operator_product_costs(&gpu, of[i].clusters).tile_s, of[i].us, 1e-12);
    }
    check_case("with a memory for sums a tile ends while the next one is multiplied");
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

/* Peak and sustained rate [TFLOP/s] that a class is asked with in fp32. */
static void check_rates(const habitat_gpu *gpu, operator_class c, double peak, double sustained) {
    operator_gpu facts;
    CHECK(operator_gpu_facts(gpu, c, HABITAT_DTYPE_FP32, &facts));
    CHECK_NEAR(facts.peak_flop_per_s / 1e12, peak, 1e-3);
    CHECK_NEAR(facts.flop_per_s / 1e12, sustained, 1e-3);
}

/* The MI210 has 22.6 TFLOP/s of fp32 on plain units, of which 19.8 are held, and 45.3 on matrix
 * units, of which 29 were measured; a T4 has plain units alone. Convolutions, whose fast ways are
 * made for plain units: sqrt(19.8 .9 22.6). */
static void test_single_on_matrix_units(void) {
    habitat_gpu_table *table = NULL;
    const habitat_gpu *mi210 = NULL, *t4 = NULL;
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "MI210", &mi210, NULL, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "T4", &t4, NULL, NULL), HABITAT_OK);
    check_rates(mi210, OPERATOR_GEMM, 45.3, 29);
    check_rates(mi210, OPERATOR_BMM, 45.3, 29);
    check_rates(mi210, OPERATOR_RNN, 45.3, 29);
    check_rates(mi210, OPERATOR_CONV, 22.6, sqrt(19.8 * .9 * 22.6));
    check_rates(mi210, OPERATOR_CONV_MATRIX, 22.6, 19.8);
    check_rates(mi210, OPERATOR_ELEMENTWISE, 22.6, 19.8);
    check_rates(t4, OPERATOR_GEMM, 8.141, 4.2);
    habitat_gpu_table_free(table);
    check_case("products in strict fp32 run on matrix units where a GPU has such units for fp32");
}

int main(void) {
    test_single_on_matrix_units();
    test_batch_tiles();
    test_paths();
    test_caches();
    test_ends();
    test_columns();
    test_parts();
    test_far_rows();
    test_layouts();
    test_quantising();
    return check_done();
}
