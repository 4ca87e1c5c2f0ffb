/* Tiles, and fp32 matrix products on plain units; those on matrix units are in operator_matrix.c.
 */
#include <math.h>

#include "operator/views.h"

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

const operator_input operator_gemm_inputs[OPERATOR_GEMM_INPUTS] = {
    {"waves 32x32", false},
    {"filling 32x32", false},
    {"use 32x32", false},
    {"waves 64x64", false},
    {"filling 64x64", false},
    {"use 64x64", false},
    {"waves 128x64", false},
    {"filling 128x64", false},
    {"use 128x64", false},
    {"waves 64x128", false},
    {"filling 64x128", false},
    {"use 64x128", false},
    {"waves 128x128", false},
    {"filling 128x128", false},
    {"use 128x128", false},
    {"compute/memory", false},
    {"tile loss", false},
    {"log2 k", false},
    {"log2 m/n", false},
    {"multiples of 4", false},
    {"multiples of 32", false},
    {"bytes/L2", false},
    {"operands/L2", false},
    {"log2 m", true},
    {"log2 n", true},
    {"log2 b", true},
    {"log2 units", true},
    {"flop/byte rate", true},
    {"bias", false},
};

/* Tiles of the libraries' fp32 kernels and the share of the sustained rate they reach; transposed
 * tiles count the same. */
static const operator_tile plain_tiles[] = {{32, 32, .5},   {64, 32, .6},   {32, 64, .6},
                                            {64, 64, .75},  {128, 32, .75}, {32, 128, .75},
                                            {128, 64, .92}, {64, 128, .92}, {128, 128, 1}};
/* Rows of operands that are not aligned to 16 byte, in every matrix of a batch. */
static const double unaligned_factor = 1.08;
/* Those that inputs describe. */
static const unsigned plain_described[] = {0, 3, 6, 7, 8};

double operator_look_gemm(const habitat_model_query *query, operator_class c,
                          const operator_gpu *gpu, float *inputs) {
    const habitat_gemm_shape *s = &query->work->shape.gemm;
    double b = s->b, m = s->m, n = s->n, k = s->k;
    double units = gpu->sm_count * gpu->lanes_per_sm / 64;
    double operands = 4 * b * (m * k + k * n), bytes = operands + 4 * b * m * n;
    double compute = 2 * b * m * n * k / gpu->flop_per_s, memory = bytes / gpu->bytes_per_s;
    double best = INFINITY;
    for (size_t i = 0; i < sizeof plain_tiles / sizeof *plain_tiles; i++)
        best =
            fmin(best, operator_tile_time(&plain_tiles[i], b, m, n, k, units, gpu->flop_per_s, .5));
    if (c == OPERATOR_BMM && (fmod(n, 4) != 0 || fmod(k, 4) != 0))
        best *= unaligned_factor;
    float *x = inputs;
    for (size_t i = 0; i < 5; i++, x += 3)
        operator_tile_inputs(&plain_tiles[plain_described[i]], b, m, n, units, -3, 4, x);
    *x++ = operator_log(best / memory, -3, 4);
    *x++ = operator_log(best / compute, 0, 3);
    *x++ = operator_log2(k, 2, 13);
    *x++ = operator_log2(m / n, -6, 6);
    *x++ = (float)((fmod(m, 4) == 0) + (fmod(n, 4) == 0) + (fmod(k, 4) == 0));
    *x++ = (float)((fmod(m, 32) == 0) + (fmod(n, 32) == 0) + (fmod(k, 32) == 0));
    *x++ = operator_log(bytes / gpu->l2_bytes, -4, 5);
    *x++ = operator_log(operands / b / gpu->l2_bytes, -5, 5);
    *x++ = operator_log2(m, 0, 13);
    *x++ = operator_log2(n, 0, 13);
    *x++ = operator_log2(b, 0, 10);
    *x++ = (float)log2(units);
    *x++ = (float)log(gpu->flop_per_s / gpu->bytes_per_s);
    *x++ = s->bias;
    return sqrt(best * best + memory * memory);
}
