/* Times of cuDNN's algorithms in strict fp32, near enough to tell the fastest: docs/memory.md,
 * decision 255.
 *
 * Direct: products at a share of the GPU's flop/s; forward in whole waves of tiles over its
 * multiprocessors. Spectra: complex products at full rate, images in 32s, and their bytes some
 * times over the memory. Winograd: the same with its fewer products. */
#include "memory/fastest.h"

#include <math.h>

#include "base/constants_memory.h"
#include "base/format_bytes.h"
#include "gpu/gpu.h"
#include "work/args.h"

enum {
    WAVE_TILE = 128, /* results of a block, each way */
    SMALL_WAVE_TILE = 32,
    PRODUCT_STEP = 32, /* images that a product of spectra takes at a time */
    PAIR = 2,          /* tiles of spectra made together */
    COMPLEX_FLOP = 8,  /* of one multiply-add */
    REAL_FLOP = 2,     /* the same */
    KERNEL_4X4 = 3,    /* sides of kernels for which there are tiles of 4x4 and 9x9 */
    KERNEL_9X9 = 5,
};

memory_costs memory_costs_built(void) {
    return (memory_costs){{fitted_strict_direct_share, fitted_strict_small_share,
                           fitted_spectra_whole_traffic, fitted_spectra_tiled_traffic,
                           fitted_spectra_start_s, fitted_strict_weights_share,
                           fitted_winograd_traffic}};
}

bool memory_speed_of(const habitat_gpu *gpu, memory_speed *out) {
    *out = (memory_speed){0, 0, 0};
    if (!gpu || !(gpu->peak.plain_flop_per_s[HABITAT_DTYPE_FP32] > 0) ||
        !(gpu->memory_bandwidth_bytes_per_s > 0) || !gpu->sm_count)
        return false;
    *out = (memory_speed){gpu->peak.plain_flop_per_s[HABITAT_DTYPE_FP32],
                          gpu->memory_bandwidth_bytes_per_s, gpu->sm_count};
    return true;
}

/* Transposed, what runs is a plain one of the other direction. */
static habitat_conv_shape plain(const habitat_conv_shape *s, memory_pass *pass) {
    habitat_conv_shape of = *s;
    if (!s->transposed)
        return of;
    of.transposed = false;
    of.c_in = s->c_out;
    of.c_out = s->c_in;
    for (uint32_t i = 0; i < s->dims; i++) {
        of.in[i] = s->out[i];
        of.out[i] = s->in[i];
    }
    *pass = *pass == MEMORY_PASS_FORWARD    ? MEMORY_PASS_TO_INPUT
            : *pass == MEMORY_PASS_TO_INPUT ? MEMORY_PASS_FORWARD
                                            : MEMORY_PASS_TO_WEIGHTS;
    return of;
}

static double direct_flop(const habitat_conv_shape *s) {
    return REAL_FLOP * s->batch * s->c_in * s->c_out * work_product(s->out, s->dims) *
           work_product(s->kernel, s->dims);
}

/* Products of the blocks' tiles, in whole waves. */
static double wave_flop(const habitat_conv_shape *s, double side, double sm_count) {
    double blocks = ceil(s->batch * work_product(s->out, s->dims) / side) * ceil(s->c_out / side);
    double sum = s->c_in * work_product(s->kernel, s->dims);
    return REAL_FLOP * ceil(blocks / sm_count) * sm_count * side * side * sum;
}

static double direct_s(const habitat_conv_shape *s, memory_pass pass, const memory_speed *speed,
                       const double *of) {
    double rate = of[MEMORY_COST_DIRECT] * speed->flop_per_s;
    if (pass == MEMORY_PASS_TO_INPUT)
        return direct_flop(s) / rate;
    return fmin(wave_flop(s, WAVE_TILE, speed->sm_count) / rate,
                wave_flop(s, SMALL_WAVE_TILE, speed->sm_count) /
                    (of[MEMORY_COST_SMALL] * speed->flop_per_s));
}

static double spectra_s(const habitat_conv_shape *s, memory_pass pass, const memory_speed *speed,
                        const double *of, double side) {
    bool tiled = pass == MEMORY_PASS_TO_INPUT;
    double tiles = tiled ? memory_spectra_tiles(s, side) : 1, numbers = side * (side / 2 + 1);
    double filters = s->c_in * s->c_out, images = s->batch * (s->c_in + s->c_out);
    double flop = COMPLEX_FLOP * numbers * tiles * ceil(s->batch / PRODUCT_STEP) * PRODUCT_STEP;
    double bytes = hardware_complex_bytes * numbers * (filters + tiles * images);
    double traffic = of[tiled ? MEMORY_COST_TILED_TRAFFIC : MEMORY_COST_WHOLE_TRAFFIC];
    return ceil(tiles / PAIR) * of[MEMORY_COST_START] + flop * filters / speed->flop_per_s +
           traffic * bytes / speed->bytes_per_s;
}

double memory_tiles_side(const habitat_conv_shape *s) {
    bool unit = s->dims == 2 && s->groups == 1 && s->kernel[0] == s->kernel[1];
    for (uint32_t i = 0; i < s->dims; i++)
        unit = unit && s->stride[i] == 1 && s->dilation[i] == 1;
    return !unit                        ? 0
           : s->kernel[0] == KERNEL_4X4 ? MEMORY_TILE_SMALL
           : s->kernel[0] == KERNEL_9X9 ? MEMORY_TILE_LARGE
                                        : 0;
}

static double weights_gain(const habitat_conv_shape *s, const memory_speed *speed,
                           const double *of) {
    double side = memory_tiles_side(s), rate = of[MEMORY_COST_WEIGHTS] * speed->flop_per_s;
    if (!(side > 0))
        return -INFINITY;
    memory_workspace w = memory_tiles(s, side);
    double numbers = w.transformed_growing / (SINGLE_BYTES * (s->c_in + s->c_out));
    double tiles_s =
        REAL_FLOP * numbers * s->c_in * s->c_out / rate +
        of[MEMORY_COST_TILES_TRAFFIC] * memory_workspace_total(&w) / speed->bytes_per_s;
    return log(direct_flop(s) / rate / tiles_s);
}

double memory_gain(const habitat_conv_shape *given, memory_pass pass, const memory_speed *speed,
                   const memory_costs *costs) {
    habitat_conv_shape s = plain(given, &pass);
    if (pass == MEMORY_PASS_TO_WEIGHTS)
        return weights_gain(&s, speed, costs->of);
    double side = memory_spectra_side(&s, pass);
    if (!(side > 0) || s.groups != 1)
        return -INFINITY;
    return log(direct_s(&s, pass, speed, costs->of) / spectra_s(&s, pass, speed, costs->of, side));
}

memory_workspace memory_fastest(const habitat_conv_shape *s, memory_pass pass,
                                const memory_speed *speed) {
    memory_costs costs = memory_costs_built();
    if (!(memory_gain(s, pass, speed, &costs) > 0))
        return (memory_workspace){0};
    return pass == MEMORY_PASS_TO_WEIGHTS ? memory_tiles(s, memory_tiles_side(s))
                                          : memory_spectra(s, pass, memory_spectra_side(s, pass));
}
