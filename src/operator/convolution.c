/* Convolutions beyond the fp32 forward pass of conv.c: gradients, groups and transposed
 * ones in fp32, and every pass of tf32, fp16 and bf16 on matrix units.
 *
 * Each pass is an implicit matrix product; a transposed convolution is the input gradient of the
 * convolution that runs the other way. Long inner dimensions are split among SMs; matrix units read
 * images channel by channel, so that tensors in NCHW order are rearranged before and after.
 * docs/modelling.md#convolutions */
#include <math.h>

#include "base/constants_operators.h"
#include "operator/convolution_matrix.h"

/* clang-format off */
#define CONVOLUTION_FEATURES(F) \
    F("product", RATES, g.kind) \
    F("format", RATES, !wide + matrix) \
    F("compute/memory", RATES, operator_log(compute / memory, -5, 5)) \
    F("tile loss", RATES, operator_log(implicit / fmax(flop / gpu->flop_per_s, memory), -1, 5)) \
    F("rearranging", RATES, rearranging / base) \
    F("direct", RATES, operator_log(direct / implicit, -4, 4)) \
    F("transformed", RATES, isfinite(transformed) ? operator_log(transformed / implicit, -3, 3) : 3) \
    F("log2 c_in", RATES, operator_log2(g.c_in, 0, 11)) \
    F("log2 c_out", RATES, operator_log2(g.c_out, 0, 11)) \
    F("log2 batch", RATES, operator_log2(s->batch, 0, 8)) \
    F("log2 side", RATES, operator_log2(g.side, 0, 9)) \
    F("log2 area", RATES, operator_log2(g.area, 0, 8)) \
    F("stride", RATES, fmin(g.stride, 16)) \
    F("log2 groups", RATES, operator_log2(g.groups, 0, 11)) \
    F("multiples c_in", RATES, multiples(g.c_in)) \
    F("multiples c_out", RATES, multiples(g.c_out)) \
    F("waves 256x128", RATES, tile[0][0]) \
    F("filling 256x128", RATES, tile[0][1]) \
    F("use 256x128", RATES, tile[0][2]) \
    F("waves 128x128", RATES, tile[1][0]) \
    F("filling 128x128", RATES, tile[1][1]) \
    F("use 128x128", RATES, tile[1][2]) \
    F("waves 64x64", RATES, tile[2][0]) \
    F("filling 64x64", RATES, tile[2][1]) \
    F("use 64x64", RATES, tile[2][2]) \
    F("log2 split", RATES, operator_log2(split, 0, 8)) \
    F("log2 k", RATES, operator_log2(g.k, 0, 20)) \
    F("log2 m/n", RATES, operator_log2(g.m / g.n, -12, 18)) \
    F("transposed", RATES, s->transposed) \
    F("channels last", RATES, s->channels_last) \
    F("bf16", RATES, query->work->dtype == HABITAT_DTYPE_BF16) \
    F("log2 height/width", RATES, operator_log2(4 * s->kernel[0] / s->kernel[1], -1, 5)) \
    F("multiples side", RATES, multiples(g.side)) \
    F("bytes/L2", GPU, operator_log(bytes / gpu->l2_bytes, -5, 6)) \
    F("log2 units", GPU, log2(units)) \
    F("flop/byte rate", GPU, log(gpu->flop_per_s / gpu->bytes_per_s)) \
    F("log time", GPU, operator_log(base / 4e-6, -3, 7))
/* clang-format on */
OPERATOR_FEATURES(operator_convolution_features, CONVOLUTION_FEATURES);

static kind kind_of(habitat_pass pass, bool transposed) {
    if (pass == HABITAT_PASS_BACKWARD_WEIGHT)
        return PRODUCT_WEIGHT_GRADIENT;
    return (pass == HABITAT_PASS_FORWARD) != transposed ? PRODUCT_OUTPUT : PRODUCT_INPUT_GRADIENT;
}

static geometry geometry_of(const habitat_work *work) {
    const habitat_conv_shape *s = &work->shape.conv;
    double element = (double)habitat_dtype_bytes(work->dtype);
    double in = s->in[0] * s->in[1], out = s->out[0] * s->out[1];
    geometry g = {.kind = kind_of(work->pass, s->transposed),
                  .groups = s->groups,
                  .c_in = (s->transposed ? s->c_out : s->c_in) / s->groups,
                  .c_out = (s->transposed ? s->c_in : s->c_out) / s->groups,
                  .area = s->kernel[0] * s->kernel[1],
                  .side = sqrt(s->transposed ? in : out),
                  .stride = s->stride[0] * s->stride[1],
                  .in_pixels = s->batch * (s->transposed ? out : in),
                  .out_pixels = s->batch * (s->transposed ? in : out)};
    g.in_bytes = element * g.in_pixels * g.c_in * g.groups;
    g.out_bytes = element * g.out_pixels * g.c_out * g.groups;
    g.weight_bytes = element * g.c_in * g.c_out * g.area * g.groups;
    g.m = g.kind == PRODUCT_OUTPUT           ? g.out_pixels
          : g.kind == PRODUCT_INPUT_GRADIENT ? g.in_pixels
                                             : g.c_out;
    g.n = g.kind == PRODUCT_OUTPUT           ? g.c_out
          : g.kind == PRODUCT_INPUT_GRADIENT ? g.c_in
                                             : g.c_in * g.area;
    g.k = g.out_pixels * g.c_in * g.c_out * g.area / (g.m * g.n);
    return g;
}

/* Shares of the sustained rate and the factors below were fitted to the training rows of all GPUs:
 * input gradients and weight gradients of cuDNN run slower than its forward products. */
static const operator_tile plain_tiles[] = {
    {256, 128, .5}, {128, 256, .5}, {128, 128, .5}, {64, 64, .38}, {128, 64, .45},
    {64, 128, .45}, {128, 32, .4},  {32, 128, .4},  {32, 32, .3},  {128, 4, .2}};
enum { TILES = sizeof plain_tiles / sizeof *plain_tiles };
/* Those that inputs describe. */
static const unsigned described[] = {0, 2, 3};
enum { TILES_DESCRIBED = sizeof described / sizeof *described };

/* Of the time of products and of transformed tiles, by pass: where the library tries all
 * algorithms (up to 3 x 3; larger kernels as they are), and where it guesses one. It seldom guesses
 * transformed tiles but for gradients of weights, above 3 x 3 hardly ever: what their time counts
 * as where they are not tried: docs/decisions/0315, 0356. */
static const double tried_factors[] = {.8, .8, 1}, guessed_factors[] = {1, 1.05, 1.1};
static const double tried_small[] = {1, .8, 1}, tried_large[] = {1, 1, 1};
static const double guessed_small[] = {1.8, 1.8, 1}, guessed_large[] = {3.5, 3.5, 2};

/* Parts of an inner dimension that run side by side where tiles leave units idle. */
static double split_of(double tiles, double k, double units) {
    return fmax(1, fmin(floor(units / tiles), floor(k / chosen_convolution_least_part)));
}

/* Seconds of the best tile; `out_split` is its split. */
static double product_time(double parts, double m, double n, double k, double units,
                           double flop_per_s, bool may_split, double *out_split) {
    double best = INFINITY;
    for (size_t i = 0; i < TILES; i++) {
        double count = parts * ceil(m / plain_tiles[i].rows) * ceil(n / plain_tiles[i].columns);
        double split = may_split ? split_of(count, k, units) : 1;
        double time = operator_tile_time(&plain_tiles[i], parts * split, m, n, k / split, units,
                                         flop_per_s, .5);
        if (time < best) {
            best = time;
            *out_split = split;
        }
    }
    return best;
}

/* Small kernels of stride 1 through transformed tiles: side + kernel - 1 points a side for every
 * `side` outputs, 4 as Winograd has it for kernels up to 5, 33 - kernel as Fourier transforms of 32
 * have it, complex, half of them by symmetry. Infinite where there is no such algorithm. */
static double transformed_time(const geometry *g, double units, const operator_gpu *gpu) {
    double kernel = sqrt(g->area), split;
    if (g->stride > 1 || kernel < 3 || kernel > 11 || g->groups > 1)
        return INFINITY;
    bool winograd = kernel <= 5;
    double outputs = winograd ? 4 : 33 - kernel;
    double points = winograd ? (outputs + kernel - 1) * (outputs + kernel - 1) : 32 * 17;
    double across = ceil(g->side / outputs);
    double patches = g->out_pixels / (g->side * g->side) * across * across;
    double complex = winograd ? 1 : 4, words = winograd ? 4 : 8;
    bool weight = g->kind == PRODUCT_WEIGHT_GRADIENT;
    double product = product_time(points, weight ? g->c_out : patches,
                                  g->kind == PRODUCT_OUTPUT ? g->c_out : g->c_in,
                                  complex * (weight                      ? patches
                                             : g->kind == PRODUCT_OUTPUT ? g->c_in
                                                                         : g->c_out),
                                  units, gpu->flop_per_s, weight, &split);
    double moved = words * points * (patches * (g->c_in + g->c_out) + g->c_in * g->c_out);
    return product + (g->in_bytes + g->out_bytes + g->weight_bytes + 2 * moved) / gpu->bytes_per_s;
}

static float multiples(double value) {
    return (float)((fmod(value, 2) == 0) + (fmod(value, 4) == 0) + (fmod(value, 8) == 0) +
                   (fmod(value, 32) == 0) + (fmod(value, 64) == 0));
}

/* Of the time of transformed tiles. Above 5 x 5 a library that guesses takes spectra for gradients
 * of images that one transform of 32 holds, but for their border, and else never. */
static double transformed_factor(const geometry *g, bool tried) {
    enum { WINOGRAD_AREA = 25, SPECTRA_SIDE = 33 };
    bool large = g->area > 9;
    if (tried)
        return (large ? tried_large : tried_small)[g->kind];
    if (g->area > WINOGRAD_AREA)
        return g->kind == PRODUCT_INPUT_GRADIENT && g->side <= SPECTRA_SIDE ? 2 : INFINITY;
    return (large ? guessed_large : guessed_small)[g->kind];
}

/* Products that take another time than their tiles say, wherever they were measured: gradients of
 * thin images, and of pixels that a stride leaves out. */
static double odd_factor(const geometry *g, bool tried) {
    bool thin = fmin(g->c_in, g->c_out) <= 4, strided = g->stride > 1;
    switch (g->kind) {
    case PRODUCT_INPUT_GRADIENT:
        return !strided       ? 1
               : thin         ? fitted_convolution_thin_strided_image
               : g->area == 1 ? fitted_convolution_pixel_strided_image
                              : 1;
    case PRODUCT_WEIGHT_GRADIENT:
        if (thin && !strided)
            return fitted_convolution_thin_weight;
        if (!tried && g->area == 1)
            return strided ? fitted_convolution_pixel_strided_weight
                           : fitted_convolution_pixel_weight;
        return 1;
    case PRODUCT_OUTPUT:
        break;
    }
    return 1;
}

/* Terms of a sum. A guessed gradient of an image goes through all of the kernel's taps where a
 * stride leaves one of four to a pixel, and none of them costs less than so many terms. */
static double terms_of(const geometry *g, bool tried) {
    enum { LEAST_A_TAP = 30, THIN = 4 };
    if (tried || g->kind != PRODUCT_INPUT_GRADIENT || g->stride == 1 || g->area == 1 ||
        fmin(g->c_in, g->c_out) <= THIN)
        return g->k;
    double least = g->area * LEAST_A_TAP, k = g->k;
    return sqrt(sqrt(k * k * k * k + least * least * least * least));
}

/* Dense ones on plain units. `out_transformed`: seconds through transformed tiles. */
static convolution_time plain(const geometry *g, bool tried, const operator_gpu *gpu,
                              double *out_transformed) {
    double units = gpu->sm_count * gpu->lanes_per_sm / 64;
    double bytes = g->in_bytes + g->out_bytes + g->weight_bytes;
    double miss = operator_miss_share(bytes, gpu->l2_bytes, fitted_convolution_plain_cache_share,
                                      fitted_convolution_plain_cache_softness);
    double each =
        fmax(miss / gpu->bytes_per_s, 1 / (gpu->sm_count * hardware_l2_bytes_per_s_per_sm));
    double reads = tried ? fitted_convolution_tried_reads : fitted_convolution_plain_reads;
    convolution_time t = {.memory = reads * bytes * each, .split = 1};
    t.compute = (tried ? tried_factors : guessed_factors)[g->kind] * odd_factor(g, tried) *
                product_time(g->groups, g->m, g->n, terms_of(g, tried), units, gpu->flop_per_s,
                             g->kind == PRODUCT_WEIGHT_GRADIENT, &t.split);
    *out_transformed = transformed_time(g, units, gpu);
    *out_transformed *= transformed_factor(g, tried);
    return t;
}

double operator_look_convolution(const habitat_model_query *query, operator_class c,
                                 const operator_gpu *gpu, float *inputs) {
    const habitat_conv_shape *s = &query->work->shape.conv;
    bool matrix = operator_arithmetic(query) != HABITAT_DTYPE_FP32;
    bool wide = habitat_dtype_bytes(query->work->dtype) == 4;
    geometry g = geometry_of(query->work);
    double vector_units = gpu->sm_count * gpu->lanes_per_sm / 64, transformed = INFINITY;
    double units = matrix ? gpu->sm_count : vector_units;
    convolution_time t =
        c == OPERATOR_CONV_MATRIX || c == OPERATOR_CONV_GROUPS
            ? operator_convolution_matrix(query, &g, gpu)
            : plain(&g, query->variant == HABITAT_VARIANT_FASTEST, gpu, &transformed);
    double flop = 2 * g.groups * g.m * g.n * g.k,
           plain_flop_per_s = 128 * vector_units * gpu->clock_hz;
    double direct = flop / (fitted_convolution_direct_share * plain_flop_per_s);
    double bytes = g.in_bytes + g.out_bytes + g.weight_bytes;
    double implicit = t.compute, split = t.split, memory = t.memory, rearranging = t.rearranging;
    double compute = fmin(implicit, transformed);
    double base =
        cbrt(compute * compute * compute + memory * memory * memory) + rearranging + t.start;
    float tile[TILES_DESCRIBED][3];
    for (size_t i = 0; i < TILES_DESCRIBED; i++)
        operator_tile_inputs(&plain_tiles[described[i]], g.groups, g.m, g.n, units, -5, 5, tile[i]);
    float *x = inputs;
    CONVOLUTION_FEATURES(OPERATOR_FEATURE_VALUE)
    return base;
}

/* Which kernels a convolution runs: those of its product, of one pixel, gathered, of few channels,
 * of groups or depthwise (convolution_matrix.c), guessed or the quickest of all that were tried. */
unsigned operator_convolution_way(const habitat_model_query *query) {
    enum { GATHERED, PIXEL, THIN, GROUPED, DEPTHWISE, KERNELS, PRODUCTS = 3, THIN_CHANNELS = 4 };
    geometry g = geometry_of(query->work);
    unsigned kernel = g.groups > 1 ? g.c_in == 1 && g.c_out == 1 ? DEPTHWISE : GROUPED
                      : fmin(g.c_in, g.c_out) <= THIN_CHANNELS ? THIN
                      : g.area == 1 && g.stride == 1           ? PIXEL
                                                               : GATHERED;
    _Static_assert(2 * KERNELS * PRODUCTS <= OPERATOR_WAYS_MAX, "more ways than are counted");
    bool tried = query->variant == HABITAT_VARIANT_FASTEST;
    return (tried * KERNELS + kernel) * PRODUCTS + g.kind;
}
