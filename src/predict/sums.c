/* Sums by PyTorch's reduction kernel (aten/src/ATen/native/cuda/Reduce.cuh), which shares them out
 * by shape: docs/decisions/0452. */
#include "predict/sums.h"

#include <math.h>

#include "base/constants.h"
#include "gpu/gpu.h"

/* Parts of a column: as many as leave each thread sixteen rows, or fill the GPU. */
static double parts_of(double rows, double height, double blocks, double resident) {
    bool is_long = rows / height >= hardware_sum_long_rows;
    double most = ceil(rows / (hardware_sum_least_rows * height));
    return is_long ? fmax(1, fmin(most, ceil(resident / blocks))) : 1;
}

double sums_by_column_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s) {
    double columns = work->shape.rows.rows, rows = work->shape.rows.columns, width = 1;
    double cycle_s = 1 / gpu->boost_clock_hz;
    while (width < 32 && 2 * width * hardware_sum_vector <= columns)
        width *= 2;
    double height = hardware_sum_threads / width,
           blocks = ceil(columns / (hardware_sum_vector * width));
    double resident = gpu->sm_count * gpu->limits.threads_per_sm / hardware_sum_threads;
    double parts = parts_of(rows, height, blocks, resident);
    bool cached = work->read_bytes <= gpu->l2_bytes / 2; /* the half that is near */
    double waited = fmax(1, rows / (hardware_sum_vector * height * parts)) *
                    (cached ? fitted_sum_cached_cycles : fitted_sum_missed_cycles) * cycle_s;
    double gathered = fitted_sum_gather_cycles + parts * fitted_sum_part_cycles;
    return fitted_sum_start_cycles * cycle_s + (parts > 1 ? gathered * cycle_s : 0) +
           fmax(waited, roof_s / fitted_sum_share);
}

double sums_of_bias_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s) {
    double pixels = work->shape.rows.columns, cycle_s = 1 / gpu->boost_clock_hz;
    double block = hardware_sum_row_threads, round = hardware_sum_vector;
    bool by_warp = pixels < hardware_sum_least_rows * block;
    double parts = parts_of(pixels, block, work->shape.rows.rows, gpu->sm_count * 4.0);
    double rounds = pixels / (round * (by_warp ? 32 : block * parts));
    double blocks = work->shape.rows.rows * (by_warp ? 32 / block : parts);
    double cycles = by_warp ? fitted_bias_start_cycles : 2 * fitted_bias_start_cycles;
    return cycles * cycle_s +
           fmax(rounds * ceil(blocks / gpu->sm_count) * fitted_bias_round_cycles * cycle_s,
                roof_s / fitted_bias_share);
}
