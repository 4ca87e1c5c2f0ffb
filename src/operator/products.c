/* Tiles, and fp32 matrix products on plain units; those on matrix units are in matrix.c. */
#include <math.h>

#include "base/constants_operators.h"
#include "operator/views.h"

habitat_gemm_shape operator_as_row(const habitat_gemm_shape *s) {
    habitat_gemm_shape row = *s;
    if (s->n != 1 || s->m <= 1)
        return row;
    row.m = 1;
    row.n = s->m;
    row.trans_a = false; /* a vector */
    row.trans_b = !s->trans_a;
    return row;
}

float operator_log(double ratio, double low, double high) {
    return (float)fmin(fmax(log(ratio), low), high);
}

float operator_log2(double value, double low, double high) {
    return (float)fmin(fmax(log2(value), low), high);
}

double operator_tile_time(const operator_tile *tile, double b, double m, double n, double k,
                          double units, double flop_per_s, double whole) {
    double waves = b * ceil(m / tile->rows) * ceil(n / tile->columns) / units;
    double charged = waves + whole * (ceil(waves) - waves);
    return charged * units * tile->rows * tile->columns * k * 2 / (flop_per_s * tile->rate_share);
}

void operator_tile_inputs(const operator_tile *tile, double b, double m, double n, double units,
                          double low, double high, float out[3]) {
    double row_tiles = ceil(m / tile->rows), column_tiles = ceil(n / tile->columns);
    double waves = b * row_tiles * column_tiles / units;
    out[0] = operator_log(waves, low, high);
    out[1] = (float)(waves / ceil(waves));
    out[2] = (float)(m * n / (row_tiles * tile->rows * column_tiles * tile->columns));
}

double operator_miss_share(double footprint, double l2_bytes, double share, double softness) {
    return fmin(fmax((footprint - share * l2_bytes) / (softness * footprint), 0), 1);
}

/* ---- fp32 on plain units
 * ----------------------------------------------------------------------- */

/* clang-format off */
#define GEMM_FEATURES(F) \
    F("waves 32x32", RATES, tile[0][0]) \
    F("filling 32x32", RATES, tile[0][1]) \
    F("use 32x32", RATES, tile[0][2]) \
    F("waves 64x64", RATES, tile[1][0]) \
    F("filling 64x64", RATES, tile[1][1]) \
    F("use 64x64", RATES, tile[1][2]) \
    F("waves 128x64", RATES, tile[2][0]) \
    F("filling 128x64", RATES, tile[2][1]) \
    F("use 128x64", RATES, tile[2][2]) \
    F("waves 64x128", RATES, tile[3][0]) \
    F("filling 64x128", RATES, tile[3][1]) \
    F("use 64x128", RATES, tile[3][2]) \
    F("waves 128x128", RATES, tile[4][0]) \
    F("filling 128x128", RATES, tile[4][1]) \
    F("use 128x128", RATES, tile[4][2]) \
    F("compute/memory", RATES, operator_log(best / memory, -3, 4)) \
    F("tile loss", RATES, operator_log(best / compute, 0, 3)) \
    F("log2 k", RATES, operator_log2(k, 2, 13)) \
    F("log2 m/n", RATES, operator_log2(m / n, -6, 6)) \
    F("multiples of 4", RATES, (fmod(m, 4) == 0) + (fmod(n, 4) == 0) + (fmod(k, 4) == 0)) \
    F("multiples of 32", RATES, (fmod(m, 32) == 0) + (fmod(n, 32) == 0) + (fmod(k, 32) == 0)) \
    F("bytes/L2", RATES, operator_log(bytes / gpu->l2_bytes, -4, 5)) \
    F("operands/L2", RATES, operator_log(operands / b / gpu->l2_bytes, -5, 5)) \
    F("log2 m", GPU, operator_log2(m, 0, 13)) \
    F("log2 n", GPU, operator_log2(n, 0, 13)) \
    F("log2 b", GPU, operator_log2(b, 0, 10)) \
    F("log2 units", GPU, log2(units)) \
    F("flop/byte rate", GPU, log(gpu->flop_per_s / gpu->bytes_per_s)) \
    F("bias", RATES, s->bias)
/* clang-format on */
OPERATOR_FEATURES(operator_gemm_features, GEMM_FEATURES);

/* Tiles of the libraries' fp32 kernels and the share of the sustained rate they reach; transposed
 * tiles count the same. */
static const operator_tile plain_tiles[] = {{32, 32, .5},   {64, 32, .6},   {32, 64, .6},
                                            {64, 64, .75},  {128, 32, .75}, {32, 128, .75},
                                            {128, 64, .92}, {64, 128, .92}, {128, 128, 1}};
/* Those that inputs describe. */
static const unsigned plain_described[] = {0, 3, 6, 7, 8};
enum { PLAIN_DESCRIBED = sizeof plain_described / sizeof *plain_described };

/* Batches before compute capability 7.0: no tile has fewer than 128 columns. */
static const operator_tile old_batch_tiles[] = {{64, 128, 1}, {128, 128, 1}};

/* Batched products with few columns, as heads of 64 make them, run slower on most GPUs than single
 * ones do: kernels of 128 columns, or loads that the arithmetic waits for. */
static double narrow_share(double columns) {
    if (columns > 64)
        return 1;
    return columns > 32 ? fitted_bmm_share_64_columns : fitted_bmm_share_32_columns;
}

static bool is_old(const operator_gpu *gpu) {
    return gpu->compute_capability > 0 &&
           gpu->compute_capability < hardware_volta_kernels_capability;
}

/* Parts that the sum of a single product is cut into where tiles are fewer than units. Those with a
 * bias add it in the kernel that makes the result: slices of one block, where tiles are very few.
 */
static const double parts_of_k[] = {1, 2, 3, 4, 6, 8, 16};
enum { PARTS = sizeof parts_of_k / sizeof *parts_of_k };

/* Seconds of a single product by one tile, cut into so many parts. */
static double cut_time(const operator_tile *tile, const operator_gpu *gpu,
                       const habitat_gemm_shape *s, double units, double parts) {
    double tiles = s->b * ceil(s->m / tile->rows) * ceil(s->n / tile->columns) * parts / units;
    double waves = tiles + .5 * (ceil(tiles) - tiles);
    double step = units * tile->rows * tile->columns * 2 / (gpu->flop_per_s * tile->rate_share);
    double end = fitted_product_tile_end_s * tile->rows * tile->columns / (128 * 128);
    double sums = s->b * s->m * s->n * 8 / (gpu->sm_count * hardware_l2_bytes_per_s_per_sm);
    return waves * (step * s->k / parts + end) +
           (parts > 1 ? fitted_product_split_s + parts * sums : 0);
}

static double single_time(const operator_gpu *gpu, const habitat_gemm_shape *s, double units) {
    double best = INFINITY;
    for (size_t i = 0; i < sizeof plain_tiles / sizeof *plain_tiles; i++) {
        const operator_tile *tile = &plain_tiles[i];
        double tiles = ceil(s->m / tile->rows) * ceil(s->n / tile->columns);
        bool few = tiles < units * (s->bias ? fitted_biased_parts_fill : 1);
        double most = few ? s->k / chosen_product_least_part : 1;
        if (s->bias)
            most = fmin(most, fitted_biased_parts_most);
        for (size_t j = 0; j < PARTS && (j == 0 || parts_of_k[j] <= most); j++)
            best = fmin(best, cut_time(tile, gpu, s, units, parts_of_k[j]));
    }
    return best;
}

static double batch_time(const operator_gpu *gpu, const habitat_gemm_shape *s, double units) {
    bool old = is_old(gpu);
    const operator_tile *tiles = old ? old_batch_tiles : plain_tiles;
    size_t count = old ? sizeof old_batch_tiles / sizeof *old_batch_tiles
                       : sizeof plain_tiles / sizeof *plain_tiles;
    double best = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double rate = gpu->flop_per_s * narrow_share(tiles[i].columns);
        best = fmin(best, operator_tile_time(&tiles[i], s->b, s->m, s->n, s->k, units, rate, .5));
    }
    bool aligned = fmod(s->n, 4) == 0 && fmod(s->k, 4) == 0;
    return aligned ? best : best * fitted_bmm_unaligned_factor;
}

/* What long rows of both operands cost before compute capability 7.0, as a factor on the time of
 * tiles. Blocks in flight walk along rows that lie more than 40 kB apart, each in another page:
 * more than what the tables of addresses of such a GPU reach, and the more rows the worse. */
static double far_rows_factor(const operator_gpu *gpu, const habitat_gemm_shape *s) {
    bool far = is_old(gpu) && s->trans_b && !s->trans_a;
    double begun =
        log(s->k / fitted_far_rows_from) / log(fitted_far_rows_to / fitted_far_rows_from);
    double whole = fitted_far_rows_at_1024 + fitted_far_rows_doubled * log2(s->m / 1024);
    whole = fmin(fmax(whole, 0), fitted_far_rows_most);
    return far ? exp(whole * fmin(fmax(begun, 0), 1)) : 1;
}

double operator_look_gemm(const habitat_model_query *query, operator_class c,
                          const operator_gpu *gpu, float *inputs) {
    habitat_gemm_shape row = operator_as_row(&query->work->shape.gemm);
    const habitat_gemm_shape *s = &row;
    double b = s->b, m = s->m, n = s->n, k = s->k;
    double units = gpu->sm_count * gpu->lanes_per_sm / 64;
    double operands = 4 * b * (m * k + k * n), bytes = operands + 4 * b * m * n;
    double compute = 2 * b * m * n * k / gpu->flop_per_s, memory = bytes / gpu->bytes_per_s;
    double best = c == OPERATOR_BMM ? batch_time(gpu, s, units)
                                    : single_time(gpu, s, units) * far_rows_factor(gpu, s);
    float tile[PLAIN_DESCRIBED][3];
    for (size_t i = 0; i < PLAIN_DESCRIBED; i++)
        operator_tile_inputs(&plain_tiles[plain_described[i]], b, m, n, units, -3, 4, tile[i]);
    float *x = inputs;
    GEMM_FEATURES(OPERATOR_FEATURE_VALUE)
    return sqrt(best * best + memory * memory);
}
