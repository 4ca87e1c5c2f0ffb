/* PyTorch's kernels of running sums (aten/src/ATen/native/cuda/ScanUtils.cuh).
 * tensor_kernel_scan_outer_dim: a thread a row, which takes its values one after the other. Each
 * waits for the one before, as long as memory takes to answer, which is what sums by column wait
 * for (sums.c). tensor_kernel_scan_innermost_dim: several threads a row (docs/decisions/0645). */
#include "kernels/scans.h"

#include <math.h>
#include <string.h>

#include "base/constants_kernels.h"
#include "formula/rates.h"
#include "gpu/gpu.h"
#include "work/kinds.h"

bool scans_are_told(const habitat_work *work, const habitat_gpu *gpu) {
    bool scan = work_kind_is(work->kind, WORK_CUMSUM) || work_kind_is(work->kind, WORK_CUMPROD);
    bool rows = work->shape.rows.rows > 1 && work->shape.rows.columns > 1;
    return scan && (work->by_column || rows) && work->known && gpu->l2_bytes > 0 &&
           gpu->sm_count > 0 && gpu->limits.threads_per_sm > 0 && gpu->boost_clock_hz > 0;
}

static double by_column_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s) {
    double missed = fmin(work->read_bytes / (fitted_sum_held * gpu->l2_bytes), 1);
    double step =
        fitted_sum_near_cycles + (fitted_sum_missed_cycles - fitted_sum_near_cycles) * missed;
    double resident = (double)gpu->sm_count * gpu->limits.threads_per_sm;
    double turns = fmax(work->shape.rows.rows / resident, 1);
    double waited_s = work->shape.rows.columns * turns * step / gpu->boost_clock_hz;
    return hypot(waited_s, roof_s);
}

/* get_log_num_threads_x_inner_scan(): of 512 threads of a block, so many share a row, about as rows
 * and columns are to each other. It subtracts without a sign: more than 512 rows for each column
 * come out as the most threads, of which few columns keep few busy. */
static double threads_of_row_log2(double rows, double columns) {
    enum { LEAST = 4, BLOCK = 9 };
    double both = BLOCK + ceil(log2(columns)) - ceil(log2(rows));
    return both < 0 ? BLOCK : fmin(fmax(floor(both / 2), LEAST), BLOCK);
}

/* A block takes its rows two values a thread at a time: up a tree of partial sums and down again.
 * One that is alone waits for each step; many take what all their steps issue. */
static double by_row_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s) {
    enum { BLOCK = 9 };
    double rows = work->shape.rows.rows, columns = work->shape.rows.columns;
    double threads = threads_of_row_log2(rows, columns), steps = 2 * threads + 2;
    double passes = ceil(columns / exp2(threads + 1)), blocks = ceil(rows / exp2(BLOCK - threads));
    double alone = fitted_scan_pass_cycles + fitted_scan_step_cycles * steps;
    double issued = fitted_scan_block_cycles + fitted_scan_issue_cycles * steps;
    double cycles = fmax(passes * alone - fitted_scan_first_cycles,
                         ceil(blocks / gpu->sm_count) * passes * issued);
    return fmax(cycles / gpu->boost_clock_hz, roof_s);
}

double scans_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s) {
    return work->by_column ? by_column_s(work, gpu, roof_s) : by_row_s(work, gpu, roof_s);
}

double scans_growth(const habitat_workload_group *group, const habitat_work *after,
                    const habitat_gpu *gpu) {
    const habitat_work *before = group->work;
    double bytes_per_s = habitat_memory_rate(gpu, true);
    if (!scans_are_told(before, gpu) || !scans_are_told(after, gpu) || !(bytes_per_s > 0))
        return NAN;
    double floor_s = hardware_kernel_floor_cycles / gpu->boost_clock_hz;
    double was_s = (before->read_bytes + before->write_bytes) / bytes_per_s;
    double will_s = (after->read_bytes + after->write_bytes) / bytes_per_s;
    return (floor_s + scans_s(after, gpu, will_s)) / (floor_s + scans_s(before, gpu, was_s));
}
