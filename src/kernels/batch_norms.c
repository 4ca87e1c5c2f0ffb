/* Batch norms by kernels that no model knows, PyTorch's own
 * (aten/src/ATen/native/cuda/Normalization.cuh) and cuDNN's for given statistics, which shape
 * shares out alike: docs/decisions/0456. */
#include "kernels/batch_norms.h"

#include <math.h>
#include <string.h>

#include "base/constants_kernels.h"
#include "formula/rates.h"
#include "gpu/gpu.h"
#include "kernels/grid.h"
#include "work/kinds.h"

static bool is_floating(habitat_dtype dtype) {
    return dtype == HABITAT_DTYPE_FP32 || dtype == HABITAT_DTYPE_FP16 ||
           dtype == HABITAT_DTYPE_BF16;
}

/* Rows are never cuDNN's. */
bool batch_norms_by_channels(const habitat_work *work) {
    return work->channels_last && is_floating(work->dtype) &&
           (work->dtype == HABITAT_DTYPE_BF16 || !(work->images > 0));
}

/* Images with channels last in a format that cuDNN has, trained. */
static bool by_pixels(const habitat_work *work) {
    return work->channels_last && work->images > 0 && !(work->scaled_images > 0) &&
           (work->dtype == HABITAT_DTYPE_FP32 || work->dtype == HABITAT_DTYPE_FP16);
}

/* Images in order whose norm has no weights (an instance norm, whose samples are channels), which
 * is never cuDNN's. */
static bool is_own(const habitat_work *work) {
    return work->own_norm && is_floating(work->dtype);
}

bool batch_norms_told(const habitat_work *work, const habitat_gpu *gpu) {
    if (!work_kind_is(work->kind, WORK_BATCH_NORM) || !(gpu->l2_bytes > 0) || !gpu->sm_count)
        return false;
    return batch_norms_by_channels(work) || by_pixels(work) || is_own(work) ||
           (work->images > 0 && work->scaled_images > 0);
}

/* Part of the tensors that the cache does not hold, of one that is read and one written. */
static double missed_share(const habitat_work *work, const habitat_gpu *gpu) {
    double tensor =
        work->shape.rows.rows * work->shape.rows.columns * (double)habitat_dtype_bytes(work->dtype);
    return fmin(fmax(2 * tensor / gpu->l2_bytes - 1, 0), 1);
}

/* ---- channels last: threads beside each other take channels, and go through pixels ---- */

/* Kernels of either pass: cycles of a round, in which each thread of a block takes four pixels;
 * blocks of an SM that do not slow each other down; tensors they go through; whether they sum.
 * Fitted on batch norms in bf16 of GIN, Wide & Deep, Inception and DeepLab (18 shapes, 5 % off; 9 %
 * on 18 of another GPU, 8 % on 20 of a ResNet-18, which were left out): docs/decisions/0456. */
static const struct pixel_kernel {
    double round_cycles, blocks, tensors;
    bool sums;
} pixel_kernels[2][2] = {{{1430, 1.5, 1, true}, {690, 1.5, 2, false}},
                         {{980, 1, 2, true}, {830, 1.5, 3, false}}};

/* Means of fp32, without a conversion: rows of GIN (3 % off; 14 % on Wide & Deep). */
static const struct pixel_kernel fp32_means = {1090, 1.5, 1, true};

/* flexible_launch_configs(): blocks of 512 threads, as many side by side as there are channels up
 * to 32, and as many one below the other as leave each thread 16 pixels, up to 128. */
static double pixel_kernel_s(const struct pixel_kernel *k, const habitat_work *work,
                             const habitat_gpu *gpu) {
    double channels = work->shape.rows.rows, pixels = work->shape.rows.columns;
    double threads = hardware_pixel_threads, each = hardware_pixel_each;
    double width = fmin(grid_power_of_two(channels), hardware_pixel_width);
    double height = fmin(grid_power_of_two(ceil(pixels / each)), threads / width);
    width = fmin(grid_power_of_two(channels), threads / height);
    double below = fmin(ceil(pixels / (height * each)), hardware_pixel_blocks);
    bool shared = k->sums && below >= hardware_pixel_shared;
    if (k->sums && !shared)
        below = 1;
    double blocks = ceil(ceil(channels / width) * below / gpu->sm_count);
    double rounds = ceil(ceil(pixels / (height * below)) / hardware_pixel_round);
    double cycles = rounds * fmax(blocks, k->blocks) * k->round_cycles;
    return (cycles + (shared ? fitted_pixel_gather_cycles : 0)) / gpu->boost_clock_hz;
}

static const struct pixel_kernel *pixel_kernel_of(const habitat_work *work, int kernel) {
    bool backward = work->pass == HABITAT_PASS_BACKWARD;
    return work->dtype == HABITAT_DTYPE_FP32 && !backward && kernel == 0
               ? &fp32_means
               : &pixel_kernels[backward][kernel];
}

double batch_norms_issued_s(const habitat_work *work, int kernel, const habitat_gpu *gpu) {
    return pixel_kernel_s(pixel_kernel_of(work, kernel), work, gpu);
}

double batch_norms_passes(const habitat_work *work, int kernel) {
    return pixel_kernel_of(work, kernel)->tensors;
}

/* Between both kernels forward a small one works out the deviations. With given statistics it and
 * the one behind it are all. What is not in the cache is waited for where a block's own rounds do
 * not take as long: docs/decisions/0524. */
static double channels_last_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s,
                              double floor_s) {
    bool backward = work->pass == HABITAT_PASS_BACKWARD, given = work->scaled_images > 0;
    double tensor_s = roof_s / (backward ? 3 : 2);
    double seconds = backward || given ? floor_s : 2 * floor_s;
    for (int i = given ? 1 : 0; i < 2; i++)
        seconds += hypot(batch_norms_issued_s(work, i, gpu),
                         missed_share(work, gpu) * batch_norms_passes(work, i) * tensor_s);
    return seconds;
}

/* cuDNN's kernel for images with channels last keeps nothing on the chip: it reads what it sums
 * over once more. roof_s: of tensors that are read once and written. */
static double by_pixels_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s,
                          double floor_s) {
    bool backward = work->pass == HABITAT_PASS_BACKWARD;
    double elements = work->shape.rows.rows * work->shape.rows.columns;
    double cycles = backward ? fitted_last_backward_cycles : fitted_last_forward_cycles;
    double walk_s = elements * cycles / (gpu->boost_clock_hz * gpu->sm_count);
    /* passes over tensors, of which the roof counts one each */
    enum { BACKWARD_PASSES = 5, BACKWARD_TENSORS = 3, PASSES = 3, TENSORS = 2 };
    double memory_s =
        roof_s * (backward ? (double)BACKWARD_PASSES / BACKWARD_TENSORS : (double)PASSES / TENSORS);
    return (backward ? 1 : 3) * floor_s + hypot(walk_s, memory_s);
}

/* ---- given statistics: a block for each channel of each image ---- */

static double scaled_blocks_s(const habitat_work *work, double images, const habitat_gpu *gpu) {
    return work->shape.rows.rows * images * fitted_scaled_block_cycles /
           (gpu->boost_clock_hz * gpu->sm_count);
}

static double scaled_elements_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s) {
    double elements = work->shape.rows.rows * work->shape.rows.columns;
    double walk_s = elements * fitted_scaled_element_cycles / (gpu->boost_clock_hz * gpu->sm_count);
    return hypot(walk_s, fitted_scaled_missed * missed_share(work, gpu) * roof_s);
}

/* PyTorch's own kernels, which half formats take, have a small one before them. */
static double given_s(const habitat_work *work, double images, const habitat_gpu *gpu,
                      double roof_s, double floor_s) {
    return fitted_scaled_wait_cycles / gpu->boost_clock_hz +
           (habitat_dtype_bytes(work->dtype) == 2 ? floor_s : 0) +
           fmax(scaled_blocks_s(work, images, gpu), scaled_elements_s(work, gpu, roof_s));
}

/* The models learned large images. PyTorch's kernel that scales images in order has a block for
 * each channel of each image, so many small ones take more than their elements do. */
double batch_norms_factor(const habitat_work *work, const habitat_gpu *gpu, double time_s) {
    bool own = work_kind_is(work->kind, WORK_BATCH_NORM) && work->dtype == HABITAT_DTYPE_BF16 &&
               work->pass == HABITAT_PASS_FORWARD;
    if (!own || batch_norms_told(work, gpu) || !(work->images > 0) || !(gpu->l2_bytes > 0) ||
        !gpu->sm_count)
        return 1.0;
    double roof_s = 2 * work->shape.rows.rows * work->shape.rows.columns *
                    (double)habitat_dtype_bytes(work->dtype) / habitat_memory_rate(gpu, true);
    double blocks_s = scaled_blocks_s(work, work->images, gpu);
    return 1.0 + fmax(blocks_s - scaled_elements_s(work, gpu, roof_s), 0.0) / time_s;
}

/* ---- images in order, trained: a block a channel ---- */

/* Cycles to the first load; of an element of a block that is alone, and more of one that the cache
 * does not hold; of a block and an element of those that share an SM; memory's traffic over the
 * tensors. Kernels that keep a channel on the chip read it once: bytes in place of elements. Fitted
 * on ResNet-50, DCGAN and TCN (6 to 11 % off; 9 to 15 % on seven other models and another GPU):
 * docs/decisions/0459. */
typedef struct channel_kernel {
    double start, alone, missed, block, element, memory;
    bool kept;
} channel_kernel;

static const channel_kernel own_means = {3110, 1.05, .56, 1520, .51, 0, false},
                            own_scales = {1725, 1, .54, 155, .51, 1, false},
                            own_backward = {3350, 2.31, 1.18, 1030, 1.32, 0, false};

/* cuDNN's: of channels that are kept, and of longer ones. */
static const channel_kernel cudnn_kernels[2][2] = {
    {{2450, .122, 0, 2480, .138, 1.06, true}, {0, .65, 0, 0, .92, 1.03, false}},
    {{2270, .352, 0, 2130, .306, 0, true}, {1000, 1.41, 1.43, 12700, .91, 0, false}}};

static double tensors_bytes(const habitat_work *work) {
    return (work->pass == HABITAT_PASS_BACKWARD ? 3 : 2) * work->shape.rows.rows *
           work->shape.rows.columns * (double)habitat_dtype_bytes(work->dtype);
}

/* Two halves of a cache hold what both read twice: it misses before it is full. */
static double channel_missed(const habitat_work *work, const habitat_gpu *gpu) {
    double full = tensors_bytes(work) / gpu->l2_bytes;
    return fmin(fmax((full - fitted_channel_held) / fitted_channel_spread, 0), 1);
}

static double channel_kernel_s(const channel_kernel *k, const habitat_work *work,
                               const habitat_gpu *gpu) {
    double blocks = fmax(work->shape.rows.rows / gpu->sm_count, 1);
    double each =
        work->shape.rows.columns * (k->kept ? (double)habitat_dtype_bytes(work->dtype) : 1);
    double missed = channel_missed(work, gpu), cycle_s = 1 / gpu->boost_clock_hz;
    double alone_s = each * (k->alone + k->missed * missed) * cycle_s;
    double shared_s = blocks * (each * k->element + k->block) * cycle_s;
    double memory_s = k->memory * missed * tensors_bytes(work) / habitat_memory_rate(gpu, true);
    return k->start * cycle_s + hypot(hypot(alone_s, shared_s), memory_s);
}

/* What cuDNN keeps of a channel: the image, and backward its gradient. */
static bool is_kept(const habitat_work *work) {
    double element = (double)habitat_dtype_bytes(work->dtype);
    double bytes =
        work->shape.rows.columns * element * (work->pass == HABITAT_PASS_BACKWARD ? 2 : 1);
    return element == 2 ? bytes <= hardware_kept_channel : bytes < hardware_kept_channel;
}

static double in_order_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s,
                         double floor_s) {
    bool backward = work->pass == HABITAT_PASS_BACKWARD;
    if (work->dtype != HABITAT_DTYPE_BF16)
        return channel_kernel_s(&cudnn_kernels[backward][!is_kept(work)], work, gpu);
    if (backward)
        return channel_kernel_s(&own_backward, work, gpu);
    return channel_kernel_s(&own_means, work, gpu) + floor_s +
           given_s(work, work->images, gpu, roof_s, floor_s);
}

/* Without weights: few channels of very many elements (films of one sample) leave most of the GPU
 * idle. What scales them is a block a channel as well: docs/decisions/0558. */
static double own_s(const habitat_work *work, const habitat_gpu *gpu, double floor_s) {
    if (work->pass == HABITAT_PASS_BACKWARD)
        return channel_kernel_s(&own_backward, work, gpu);
    return channel_kernel_s(&own_means, work, gpu) + floor_s +
           channel_kernel_s(&own_scales, work, gpu);
}

double batch_norms_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s,
                     double floor_s) {
    if (batch_norms_by_channels(work))
        return channels_last_s(work, gpu, roof_s, floor_s);
    if (by_pixels(work))
        return by_pixels_s(work, gpu, roof_s, floor_s);
    if (is_own(work))
        return own_s(work, gpu, floor_s);
    return given_s(work, work->scaled_images, gpu, roof_s, floor_s);
}

/* ---- another batch ---- */

static double trained_s(const habitat_work *work, const habitat_gpu *gpu) {
    double floor_s = hardware_kernel_floor_cycles / gpu->boost_clock_hz;
    double roof_s = tensors_bytes(work) / habitat_memory_rate(gpu, true);
    bool single = work->shape.rows.columns <= work->images; /* pixels: either order */
    if (batch_norms_by_channels(work))
        return floor_s + channels_last_s(work, gpu, roof_s, floor_s);
    if (is_own(work))
        return own_s(work, gpu, floor_s);
    return work->images > 0 && (!work->channels_last || single)
               ? in_order_s(work, gpu, roof_s, floor_s)
               : (double)NAN;
}

static bool is_in_order(const habitat_work *work) {
    return is_own(work) || (work->images > 0 && !work->channels_last);
}

/* More elements a channel; or more channels, as an instance norm has of more samples. */
static bool grows_one_way(const habitat_work *before, const habitat_work *after) {
    const habitat_rows_shape *x = &before->shape.rows, *y = &after->shape.rows;
    bool more_channels = is_in_order(before) && is_in_order(after) && x->columns == y->columns;
    return x->rows == y->rows ? x->columns != y->columns : more_channels;
}

double batch_norms_growth(const habitat_work *before, const habitat_work *after,
                          const habitat_gpu *gpu) {
    if (!work_kind_is(before->kind, WORK_BATCH_NORM) || !before->known || !after->known ||
        !is_floating(before->dtype) || before->dtype != after->dtype || before->scaled_images > 0 ||
        !gpu->compute_capability || !(gpu->l2_bytes > 0) || !gpu->sm_count ||
        !(habitat_memory_rate(gpu, true) > 0) || !grows_one_way(before, after))
        return NAN;
    return trained_s(after, gpu) / trained_s(before, gpu);
}

/* ---- another format ---- */

static double last_s(const habitat_work *work, const habitat_gpu *gpu) {
    double floor_s = hardware_kernel_floor_cycles / gpu->boost_clock_hz;
    double roof_s = tensors_bytes(work) / habitat_memory_rate(gpu, true);
    if (is_own(work))
        return own_s(work, gpu, floor_s);
    return floor_s + (batch_norms_by_channels(work) ? channels_last_s(work, gpu, roof_s, floor_s)
                                                    : by_pixels_s(work, gpu, roof_s, floor_s));
}

/* fp32 and fp16 are cuDNN's, which reads once more what it sums over; bf16 is PyTorch's own. */
double batch_norms_change(const habitat_work *before, const habitat_work *after,
                          const habitat_gpu *gpu) {
    const habitat_work *both[] = {before, after};
    if (before->dtype == after->dtype || !gpu->compute_capability ||
        !(habitat_memory_rate(gpu, true) > 0))
        return NAN;
    for (int i = 0; i < 2; i++)
        if (!both[i]->known || !batch_norms_told(both[i], gpu) || both[i]->scaled_images > 0 ||
            !(both[i]->images > 0) ||
            !(batch_norms_by_channels(both[i]) || by_pixels(both[i]) || is_own(both[i])))
            return NAN;
    return last_s(after, gpu) / last_s(before, gpu);
}
