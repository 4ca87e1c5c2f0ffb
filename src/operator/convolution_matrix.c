/* Convolutions on matrix units, and grouped ones in every format: the analytic time of a pass.
 *
 * Four ways of the library: a plain product where the kernel is one pixel; an implicit product that
 * gathers its operand pixel by pixel; images of few channels, and groups, which leave matrix units
 * mostly empty; depthwise kernels. Images in NCHW order are rearranged before and after.
 * docs/modelling.md#convolutions */
#include <math.h>

#include "base/constants_memory.h"
#include "base/constants_operators.h"
#include "operator/convolution_matrix.h"

/* Constants of this file and those named fitted_convolution_... that it uses were fitted to
 * training rows of two GPUs, for three quarters of the newer one; what they are without each of
 * them: docs/decisions/0314. */

/* Tiles of the output; gathered and plain products alike. */
static const double tiles[][2] = {{256, 128}, {128, 256}, {128, 128}, {256, 64},
                                  {64, 256},  {128, 64},  {64, 128},  {64, 64}};
enum { TILES = sizeof tiles / sizeof *tiles };
static const double splits[] = {1, 2, 3, 4, 6, 8, 16, 32, 64};
enum { SPLITS = sizeof splits / sizeof *splits };

/* Shares of a rate that each pass reaches. */
static const double gathered_shares[] = {.9, .7, .85};
static const double thin_shares[] = {.65, .31, .55};
/* Kernels of few channels begin so late [s]; the sums of a gradient of weights cost a row as many
 * columns as these beside its own. */
static const double thin_start_s[] = {2e-6, 7e-6, 7e-6}, thin_columns[] = {0, 0, 32};
/* Of these shares: patches that do not overlap, so that a tile's rows have no pixel in common. */
static const double patch_factors[] = {.6, 1.4, 1};
/* Groups of several channels, for the result, the image and the weights; first NCHW, then channels
 * last. Starts [s], a group's own where they run in turn (fp32); shares of the rate, of matrix
 * units first in 16 bit, then in TF32; times of all tensors that go through memory, for the library
 * rearranges them. Fitted to half of the shapes of groups_h200.csv.gz: docs/decisions/0535. */
static const double groups_start_s[] = {19e-6, 23e-6, 27e-6};
static const double groups_shares[2][3] = {{.26, .49, .37}, {.47, .50, .18}};
static const double groups_passes[2][3] = {{8.4, 14, 14}, {9.6, 13, 19}};
static const double turn_start_s[2][3] = {{3.7e-6, 6.9e-6, 6.6e-6}, {4.3e-6, 10.6e-6, 15.7e-6}};
static const double turn_shares[2][3] = {{.13, .25, .30}, {.42, .34, .39}};
static const double turn_passes[2][3] = {{2.2, 49, 1}, {15, 25, 1}};
static const double depthwise_shares[] = {1, .7, .45};
/* Of the time of depthwise kernels, where cuDNN's run: docs/decisions/0357. */
static const double library_factors[] = {.45, .3, .4};

/* Few channels: fewer than a matrix unit takes at a time. Theirs count as `thin_channels`, the
 * others in multiples of `thin_multiple`, on plain units. */
enum { thin_channels = 4, thin_multiple = 64 };

static double multiple_of(double value, double whole) {
    return whole * ceil(value / whole);
}

static double fourth(double x) {
    return x * x * x * x;
}

/* Seconds a byte: from memory what no cache holds, all of it through the cache. */
static double seconds_per_byte(const operator_gpu *gpu, double bytes) {
    double miss = operator_miss_share(bytes, gpu->l2_bytes, fitted_convolution_matrix_cache_share,
                                      fitted_convolution_matrix_cache_softness);
    return fmax(miss / (fitted_product_dram_share * gpu->bytes_per_s),
                1 / (gpu->sm_count * hardware_l2_bytes_per_s_per_sm));
}

static double plain_peak(const operator_gpu *gpu) {
    return gpu->sm_count * gpu->lanes_per_sm * 2 * gpu->clock_hz;
}

/* One product as tiles run it. */
typedef struct product {
    double images; /* that tiles do not cross; 1: tiles know of no images */
    double m, n, k, element;
    double unit_flop_per_s; /* of an SM */
    operator_kernel_costs costs;
    double most_parts; /* of k */
} product;

/* Seconds of the quickest cut; `out_split` is its number of parts. */
static double tiled_time(const product *p, const operator_gpu *gpu, double *out_split) {
    double best = INFINITY;
    double sums = p->m * p->n * 8 / (gpu->sm_count * hardware_l2_bytes_per_s_per_sm);
    for (size_t i = 0; i < TILES; i++) {
        double r = tiles[i][0], q = tiles[i][1];
        double compute = 2 * r * q / p->unit_flop_per_s;
        double load = (r + q) * p->element / p->costs.sm_bytes_per_s;
        double step = sqrt(sqrt(fourth(compute) + fourth(load)));
        double count = p->images * ceil(p->m / p->images / r) * ceil(p->n / q);
        double end = p->costs.tile_s * r * q / (128 * 128);
        for (size_t j = 0; j < SPLITS && splits[j] <= p->most_parts &&
                           (j == 0 || p->k >= chosen_convolution_least_part * splits[j]);
             j++) {
            double waves = count * splits[j] / gpu->sm_count;
            waves = fmax(waves + p->costs.wave * (ceil(waves) - waves), p->costs.wave);
            double time = waves * (step * p->k / splits[j] + end);
            if (j > 0)
                time += fitted_convolution_split_s + sums * splits[j];
            if (time < best) {
                best = time;
                *out_split = splits[j];
            }
        }
    }
    return best;
}

/* Channels as matrix units take them. */
static product product_of(const geometry *g, double element) {
    double at_a_time = hardware_matrix_channel_bytes / element;
    double c_in = multiple_of(g->c_in, at_a_time), c_out = multiple_of(g->c_out, at_a_time);
    product p = {.images = 1, .element = element};
    switch (g->kind) {
    case PRODUCT_OUTPUT:
        p.m = g->out_pixels, p.n = c_out, p.k = c_in * g->area;
        break;
    case PRODUCT_INPUT_GRADIENT: /* each pixel has a tap at least */
        p.m = g->in_pixels, p.n = c_in;
        p.k = c_out * fmax(g->area * g->out_pixels / g->in_pixels, 1);
        break;
    case PRODUCT_WEIGHT_GRADIENT:
        p.m = c_out, p.n = c_in * g->area, p.k = g->out_pixels;
        break;
    }
    return p;
}

static double seconds_of(const convolution_time *t) {
    double c = t->compute, m = t->memory;
    return cbrt(c * c * c + m * m * m) + t->rearranging + t->start;
}

/* One pixel, stride 1, forward or the gradient of the image, whose rows in NCHW are not aligned for
 * the units: products of kernels that do not need it, slow ones, and nothing is rearranged. */
static convolution_time unaligned(const habitat_conv_shape *s, const geometry *g, double element,
                                  double pixels, const operator_gpu *gpu) {
    double bytes = g->in_bytes + g->out_bytes + g->weight_bytes, alignment = 16;
    while (alignment > element && fmod(pixels * element, alignment) != 0)
        alignment /= 2;
    product p = product_of(g, element);
    p.unit_flop_per_s = (element == 4 ? fitted_convolution_wide_nchw_share : 1) *
                        operator_unit_rate(gpu, element, alignment);
    p.images = s->batch;
    p.most_parts = 16;
    p.costs = operator_product_costs(gpu, false);
    convolution_time t = {.memory = bytes * seconds_per_byte(gpu, bytes)};
    t.compute =
        operator_powered(tiled_time(&p, gpu, &t.split), 2 * p.m * p.n * p.k / gpu->flop_per_s);
    return t;
}

/* Without groups, on matrix units. `plain`: one pixel, stride 1, rows aligned for the units: a
 * matrix product as any other. */
static convolution_time dense(const habitat_conv_shape *s, const geometry *g, double element,
                              bool fastest, const operator_gpu *gpu) {
    double pixels = s->transposed ? s->in[0] * s->in[1] : s->out[0] * s->out[1];
    double bytes = g->in_bytes + g->out_bytes + g->weight_bytes;
    double each = seconds_per_byte(gpu, bytes);
    double aligned = hardware_matrix_channel_bytes / element;
    bool plain = g->area == 1 && g->stride == 1 && (s->channels_last || fmod(pixels, aligned) == 0);
    bool weight = g->kind == PRODUCT_WEIGHT_GRADIENT, clusters = operator_has_clusters(gpu);
    product p = product_of(g, element);
    bool wide = element == 4, nchw = !s->channels_last;
    double share = plain            ? !wide || !nchw ? 1
                                      : weight       ? fitted_convolution_wide_plain_weight_share
                                                     : fitted_convolution_wide_nchw_share
                   : weight && wide ? fitted_convolution_wide_weight_share
                                    : gathered_shares[g->kind];
    p.unit_flop_per_s = share * gpu->units_flop_per_s / gpu->sm_count;
    p.images = plain && !s->channels_last && !weight ? s->batch : 1;
    p.most_parts = weight ? 64 : plain ? 16 : 1;
    p.costs = operator_product_costs(gpu, clusters);
    if (!plain)
        p.costs =
            (operator_kernel_costs){gpu->clock_hz * fitted_convolution_gathered_bytes_per_cycle,
                                    fitted_convolution_gathered_tile_s,
                                    clusters ? fitted_convolution_gathered_wave_clusters : 1};
    convolution_time t = {.memory = (plain ? 1 : fitted_convolution_gathered_reads) * bytes * each,
                          .start = plain ? 0 : fitted_convolution_gathered_start_s};
    double tiled = tiled_time(&p, gpu, &t.split);
    t.compute = operator_powered(tiled, 2 * p.m * p.n * p.k / gpu->flop_per_s);
    if (!plain && !s->channels_last)
        t.rearranging = fitted_convolution_rearranging_s +
                        (fastest        ? fitted_convolution_rearranging_fastest
                         : element == 4 ? fitted_convolution_rearranging_wide
                                        : fitted_convolution_rearranging_half) *
                            bytes * each;
    if (g->area == 1 && g->stride == 1 && !plain && !weight && !fastest) {
        convolution_time slow = unaligned(s, g, element, pixels, gpu);
        if (seconds_of(&slow) < seconds_of(&t))
            return slow;
    }
    return t;
}

/* Images of few channels: kernels of plain units, whatever the format. TF32's read NCHW. */
static convolution_time thin(const habitat_conv_shape *s, const geometry *g, double element,
                             const operator_gpu *gpu) {
    double bytes = g->in_bytes + g->out_bytes + g->weight_bytes;
    double each = seconds_per_byte(gpu, bytes);
    double other = multiple_of(g->c_in <= thin_channels ? g->c_out : g->c_in, thin_multiple);
    double columns = g->area * thin_channels + thin_columns[g->kind];
    double flop = 2 * g->out_pixels * columns * other;
    bool patches = g->stride > 1 && g->stride == g->area;
    double share = thin_shares[g->kind] * (patches ? patch_factors[g->kind] : 1);
    convolution_time t = {.compute = flop / (share * plain_peak(gpu)),
                          .memory = fitted_convolution_thin_reads * bytes * each,
                          .start = thin_start_s[g->kind],
                          .split = 1};
    if (!s->channels_last && element < 4)
        t.rearranging = fitted_convolution_thin_rearranging_s +
                        fitted_convolution_thin_rearranging * bytes * each;
    return t;
}

/* PyTorch has cuDNN compute these, by its rule for fp16 (not bf16) in NCHW; others are its own
 * kernels. Its rule takes some of stride 2, too, which are no quicker for it. */
static bool depthwise_by_library(const habitat_conv_shape *s, const geometry *g, bool fp16) {
    enum { LEAST_WIDTH = 7, LEAST_CHANNELS = 32 };
    double width = s->transposed ? s->out[1] : s->in[1];
    bool kernel = s->kernel[0] == s->kernel[1] && (g->area == 1 || g->area == 9 || g->area == 25);
    return fp16 && kernel && g->stride == 1 && !s->channels_last && width >= LEAST_WIDTH &&
           g->groups >= LEAST_CHANNELS;
}

/* Of the time that work and bytes say. */
static double depthwise_factor(const habitat_conv_shape *s, const geometry *g,
                               habitat_dtype dtype) {
    bool half = habitat_dtype_bytes(dtype) == 2, last = s->channels_last;
    if (depthwise_by_library(s, g, dtype == HABITAT_DTYPE_FP16))
        return library_factors[g->kind];
    if (g->stride == 1)
        return g->kind == PRODUCT_WEIGHT_GRADIENT && half && last
                   ? fitted_depthwise_last_weight_factor
                   : 1;
    if (g->kind == PRODUCT_INPUT_GRADIENT)
        return half && last ? 1 : fitted_depthwise_strided_image_factor;
    return g->kind == PRODUCT_OUTPUT && !half ? fitted_depthwise_strided_wide_factor : 1;
}

/* Of the plain units' peak. cuDNN's kernels of images with channels last are slow on 4 byte: from
 * 5 x 5 on, and above it once more; gradients of weights above it add in turn. Those of TF32 are
 * fp32's but for some of these gradients. docs/decisions/0421 */
static double depthwise_share(const habitat_conv_shape *s, const geometry *g, double element,
                              bool matrix) {
    enum { SMALL_AREA = 9, QUICK_AREA = 25 };
    bool weight = g->kind == PRODUCT_WEIGHT_GRADIENT, large = g->area > QUICK_AREA;
    bool wide_last = s->channels_last && element == 4;
    if (wide_last && weight && large)
        return matrix ? fitted_depthwise_turns_tf32_share : fitted_depthwise_turns_share;
    if (wide_last && !weight && g->area > SMALL_AREA)
        return large ? fitted_depthwise_last_large_share : fitted_depthwise_last_share;
    return (s->channels_last ? fitted_depthwise_rate_last : fitted_depthwise_rate) *
           depthwise_shares[g->kind];
}

/* A channel a group. The gradient of the image looks at every tap of every pixel, also at those
 * that a stride leaves out. The gradient of a channel's weights is one block that walks its pixels,
 * with as many warps as images, eight at most. */
static convolution_time depthwise(const habitat_conv_shape *s, const geometry *g,
                                  habitat_dtype dtype, bool matrix, const operator_gpu *gpu) {
    double bytes = g->in_bytes + g->out_bytes + g->weight_bytes;
    double pixels = g->kind == PRODUCT_INPUT_GRADIENT ? g->in_pixels : g->out_pixels;
    double flop = 2 * pixels * g->area * g->groups;
    double share = depthwise_share(s, g, (double)habitat_dtype_bytes(dtype), matrix);
    double walk = g->kind == PRODUCT_WEIGHT_GRADIENT
                      ? 4 * g->out_pixels / sqrt(fmin(s->batch, 8)) / gpu->clock_hz
                      : 0;
    double work = flop / (share * plain_peak(gpu));
    double faster = depthwise_factor(s, g, dtype);
    double reads = s->channels_last ? fitted_depthwise_reads_last : fitted_depthwise_reads;
    return (convolution_time){.compute = faster * cbrt(work * work * work + walk * walk * walk),
                              .memory = faster * reads * bytes * seconds_per_byte(gpu, bytes),
                              .split = 1};
}

/* In fp32 nearly all groups run one after the other; forward and for the image a tile waits for
 * each slice of its sum. */
static convolution_time in_turn(const habitat_conv_shape *s, const geometry *g,
                                const operator_gpu *gpu) {
    bool last = s->channels_last, waits = g->kind != PRODUCT_WEIGHT_GRADIENT;
    double each_s =
        turn_start_s[last][g->kind] + (waits ? g->k * fitted_group_term_cycles / gpu->clock_hz : 0);
    double multiplied = g->out_pixels * g->c_in * g->c_out * g->area * g->groups;
    double bytes = g->in_bytes + g->out_bytes + g->weight_bytes;
    return (convolution_time){
        .compute = 2 * multiplied / (turn_shares[last][g->kind] * plain_peak(gpu)),
        .memory = turn_passes[last][g->kind] * bytes * seconds_per_byte(gpu, bytes),
        .start = g->groups * each_s,
        .split = 1};
}

/* Groups of several channels: each group a product of its own, whose sides count in multiples. On
 * matrix units the library takes all at once or one by one, by no rule that measurements show. */
static convolution_time grouped(const habitat_conv_shape *s, const geometry *g, double element,
                                bool matrix, const operator_gpu *gpu) {
    enum { SIDE = 16, DEPTH = 8 };
    if (!matrix)
        return in_turn(s, g, gpu);
    double bytes = g->in_bytes + g->out_bytes + g->weight_bytes;
    double m = g->m, n = multiple_of(g->n, SIDE), k = g->k;
    if (g->kind == PRODUCT_OUTPUT)
        k = multiple_of(g->c_in, DEPTH) * g->area;
    else if (g->kind == PRODUCT_INPUT_GRADIENT)
        k = fmax(multiple_of(g->c_out, DEPTH) * g->area * g->out_pixels / g->in_pixels, DEPTH);
    else
        m = multiple_of(g->c_out, SIDE), n = multiple_of(g->c_in, DEPTH) * g->area;
    double share = groups_shares[element == 4][g->kind];
    return (convolution_time){.compute = 2 * g->groups * m * n * k / (share * gpu->flop_per_s),
                              .memory = groups_passes[s->channels_last][g->kind] * bytes *
                                        seconds_per_byte(gpu, bytes),
                              .start = groups_start_s[g->kind],
                              .split = 1};
}

convolution_time operator_convolution_matrix(const habitat_model_query *query, const geometry *g,
                                             const operator_gpu *gpu) {
    const habitat_conv_shape *s = &query->work->shape.conv;
    double element = (double)habitat_dtype_bytes(query->work->dtype);
    bool fastest = query->variant == HABITAT_VARIANT_FASTEST;
    bool matrix = operator_arithmetic(query) != HABITAT_DTYPE_FP32;
    if (g->groups > 1)
        return g->c_in == 1 && g->c_out == 1 ? depthwise(s, g, query->work->dtype, matrix, gpu)
                                             : grouped(s, g, element, matrix, gpu);
    return fmin(g->c_in, g->c_out) <= thin_channels ? thin(s, g, element, gpu)
                                                    : dense(s, g, element, fastest, gpu);
}
