/* Batch norms of images by kernels that no model knows, PyTorch's own
 * (aten/src/ATen/native/cuda/Normalization.cuh) and cuDNN's for given statistics, which shape
 * shares out alike: docs/decisions/0456. */
#include "predict/batch_norms.h"

#include <math.h>
#include <string.h>

#include "base/constants.h"
#include "gpu/gpu.h"

bool batch_norms_told(const habitat_work *work, const habitat_gpu *gpu) {
    if (strcmp(work->kind, "batch_norm") != 0 || !(gpu->l2_bytes > 0) || !gpu->sm_count)
        return false;
    bool own = work->channels_last && work->dtype == HABITAT_DTYPE_BF16;
    return own || work->scaled_images > 0;
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

static double power_of_two(double most) {
    return exp2(floor(log2(fmax(most, 1))));
}

/* flexible_launch_configs(): blocks of 512 threads, as many side by side as there are channels up
 * to 32, and as many one below the other as leave each thread 16 pixels, up to 128. */
static double pixel_kernel_s(const struct pixel_kernel *k, const habitat_work *work,
                             const habitat_gpu *gpu) {
    double channels = work->shape.rows.rows, pixels = work->shape.rows.columns;
    double threads = hardware_pixel_threads, each = hardware_pixel_each;
    double width = fmin(power_of_two(channels), hardware_pixel_width);
    double height = fmin(power_of_two(ceil(pixels / each)), threads / width);
    width = fmin(power_of_two(channels), threads / height);
    double below = fmin(ceil(pixels / (height * each)), hardware_pixel_blocks);
    bool shared = k->sums && below >= hardware_pixel_shared;
    if (k->sums && !shared)
        below = 1;
    double blocks = ceil(ceil(channels / width) * below / gpu->sm_count);
    double rounds = ceil(ceil(pixels / (height * below)) / hardware_pixel_round);
    double cycles = rounds * fmax(blocks, k->blocks) * k->round_cycles;
    return (cycles + (shared ? fitted_pixel_gather_cycles : 0)) / gpu->boost_clock_hz;
}

/* Between both kernels forward a small one works out the deviations. With given statistics it and
 * the one behind it are all. What is not in the cache is waited for. */
static double channels_last_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s,
                              double floor_s) {
    bool backward = work->pass == HABITAT_PASS_BACKWARD, given = work->scaled_images > 0;
    const struct pixel_kernel *kernels = pixel_kernels[backward];
    double tensor_s = roof_s / (backward ? 3 : 2);
    double seconds = backward || given ? floor_s : 2 * floor_s;
    for (int i = given ? 1 : 0; i < 2; i++)
        seconds += pixel_kernel_s(&kernels[i], work, gpu) +
                   missed_share(work, gpu) * kernels[i].tensors * tensor_s;
    return seconds;
}

/* ---- given statistics: a block for each channel of each image ---- */

/* PyTorch's own kernels, which half formats take, have a small one before them. */
static double given_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s,
                      double floor_s) {
    double elements = work->shape.rows.rows * work->shape.rows.columns;
    double sm_cycle_s = 1 / (gpu->boost_clock_hz * gpu->sm_count);
    double blocks_s =
        work->shape.rows.rows * work->scaled_images * fitted_scaled_block_cycles * sm_cycle_s;
    double walk_s = elements * fitted_scaled_element_cycles * sm_cycle_s;
    double missed_s = fitted_scaled_missed * missed_share(work, gpu) * roof_s;
    return fitted_scaled_wait_cycles / gpu->boost_clock_hz +
           (habitat_dtype_bytes(work->dtype) == 2 ? floor_s : 0) +
           fmax(blocks_s, hypot(walk_s, missed_s));
}

double batch_norms_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s,
                     double floor_s) {
    return work->channels_last && work->dtype == HABITAT_DTYPE_BF16
               ? channels_last_s(work, gpu, roof_s, floor_s)
               : given_s(work, gpu, roof_s, floor_s);
}
