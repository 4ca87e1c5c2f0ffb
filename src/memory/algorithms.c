/* Bytes of cuDNN's workspaces, as measured on random shapes: docs/memory.md, decision 254.
 *
 * The gradient of an image is made tile by tile: all spectra of the filters, and of one tile of
 * each image, in and out; of several tiles, two at a time. The other two correlate: both factors
 * are turned into spectra of one tile and laid out anew for a batch of products, the result as
 * well, in the same room; and one factor is flipped before. */
#include "memory/algorithms.h"

#include <math.h>

#include "base/constants_memory.h"
#include "base/format_bytes.h"
#include "work/args.h"

enum {
    SPECTRA_AT_A_TIME = 2, /* tiles of an image */
    TILED_SIDE = 32,       /* of their spectra */
    LEAST_SIDE = 16,       /* of spectra of whole images */
    MOST_SIDE = 64,
    BATCH_STEP = 16,
};

double memory_workspace_total(const memory_workspace *w) {
    return w->copied_growing + w->copied_fixed + w->transformed_growing + w->transformed_fixed +
           w->summed_growing + w->summed_fixed;
}

double memory_filled(double channels, double element_bytes) {
    double step = hardware_matrix_channel_bytes / element_bytes;
    return ceil(channels / step) * step;
}

memory_workspace memory_copies(const habitat_conv_shape *s, double each) {
    double in = s->batch * memory_filled(s->c_in, each) * work_product(s->in, s->dims);
    double out = s->batch * memory_filled(s->c_out, each) * work_product(s->out, s->dims);
    double kernel = work_product(s->kernel, s->dims);
    double weights = kernel > 1 ? s->c_in * s->c_out / s->groups * kernel : 0;
    if (s->channels_last)
        return (memory_workspace){0};
    return (memory_workspace){.copied_growing = each * (in + out), .copied_fixed = each * weights};
}

static double tiles(const double *sides, uint32_t dims, double step) {
    double count = 1;
    for (uint32_t i = 0; i < dims; i++)
        count *= ceil(sides[i] / step);
    return count;
}

static double longest(const double *sides, uint32_t dims) {
    double most = 0;
    for (uint32_t i = 0; i < dims; i++)
        most = fmax(most, sides[i]);
    return most;
}

/* Of the real transform's side a half and one are kept. */
static double spectrum_bytes(double side) {
    return side * (side / 2 + 1) * hardware_complex_bytes;
}

double memory_spectra_tiles(const habitat_conv_shape *s, double side) {
    double step = side - longest(s->kernel, s->dims) + 1;
    return step > 0 ? tiles(s->transposed ? s->out : s->in, s->dims, step) : 1;
}

static memory_workspace spectra_by_tiles(const habitat_conv_shape *s, double side) {
    double each = spectrum_bytes(side);
    double at_a_time = fmin(SPECTRA_AT_A_TIME, memory_spectra_tiles(s, side));
    return (memory_workspace){.transformed_fixed = each * s->c_in * s->c_out / s->groups,
                              .transformed_growing =
                                  each * at_a_time * s->batch * (s->c_in + s->c_out)};
}

/* Numbers of one tensor, in spectra and as they are. */
typedef struct factor {
    double spectra, elements;
    bool grows; /* with the batch */
} factor;

static void add_part(memory_workspace *w, const factor *of, double bytes) {
    *(of->grows ? &w->transformed_growing : &w->transformed_fixed) += bytes;
}

static memory_workspace spectra_correlated(const factor *kept, const factor *flipped,
                                           const factor *made, double side) {
    memory_workspace w = {0};
    double twice = 2 * spectrum_bytes(side);
    if (kept->spectra + flipped->spectra >= made->spectra) {
        add_part(&w, kept, twice * kept->spectra);
        add_part(&w, flipped, twice * flipped->spectra);
    } else {
        add_part(&w, made, twice * made->spectra);
    }
    add_part(&w, flipped, SINGLE_BYTES * flipped->elements);
    return w;
}

/* A transposed one runs forward as the gradient of the image of a plain one. */
static bool by_tiles(const habitat_conv_shape *s, memory_pass pass) {
    return pass == (s->transposed ? MEMORY_PASS_FORWARD : MEMORY_PASS_TO_INPUT);
}

/* In one tile: the least side that takes the image and what the kernel reaches beyond it. */
double memory_spectra_side(const habitat_conv_shape *s, memory_pass pass) {
    if (s->dims != 2 || work_product(s->kernel, s->dims) == 1)
        return 0;
    for (uint32_t i = 0; i < s->dims; i++)
        if (s->stride[i] != 1 || s->dilation[i] != 1)
            return 0;
    double kernel = longest(s->kernel, s->dims), image = longest(s->in, s->dims);
    if (by_tiles(s, pass))
        return kernel <= TILED_SIDE ? TILED_SIDE : 0;
    for (int side = LEAST_SIDE; side <= MOST_SIDE; side *= 2)
        if (image + kernel - 1 <= side)
            return side;
    return 0;
}

memory_workspace memory_spectra(const habitat_conv_shape *s, memory_pass pass, double side) {
    double count = s->c_in * s->c_out / s->groups;
    factor weights = {count, count * work_product(s->kernel, s->dims), false};
    factor in = {s->batch * s->c_in, s->batch * s->c_in * work_product(s->in, s->dims), true};
    factor out = {s->batch * s->c_out, s->batch * s->c_out * work_product(s->out, s->dims), true};
    if (by_tiles(s, pass))
        return spectra_by_tiles(s, side);
    const factor *image = s->transposed ? &out : &in, *result = s->transposed ? &in : &out;
    return pass == MEMORY_PASS_TO_WEIGHTS ? spectra_correlated(image, result, &weights, side)
                                          : spectra_correlated(image, &weights, result, side);
}

/* Both images and all filters: (m + r - 1)^2 numbers for m^2. */
memory_workspace memory_tiles(const habitat_conv_shape *s, double m) {
    double side = m + s->kernel[0] - 1, each = SINGLE_BYTES;
    double batch = m > MEMORY_TILE_SMALL ? ceil(s->batch / BATCH_STEP) * BATCH_STEP : s->batch;
    for (uint32_t i = 0; i < s->dims; i++)
        each *= side;
    double count = batch * tiles(s->out, s->dims, m);
    return (memory_workspace){.transformed_fixed = each * s->c_in * s->c_out / s->groups,
                              .transformed_growing = each * count * (s->c_in + s->c_out)};
}
