/* PyTorch's tensor_kernel_scan_outer_dim (aten/src/ATen/native/cuda/ScanUtils.cuh): a thread a row,
 * which takes its values one after the other. Each waits for the one before, as long as memory
 * takes to answer, which is what sums by column wait for (sums.c). */
#include "kernels/scans.h"

#include <math.h>
#include <string.h>

#include "base/constants_kernels.h"
#include "formula/rates.h"
#include "gpu/gpu.h"
#include "work/kinds.h"

bool scans_are_told(const habitat_work *work, const habitat_gpu *gpu) {
    bool scan = work_kind_is(work->kind, WORK_CUMSUM) || work_kind_is(work->kind, WORK_CUMPROD);
    return scan && work->by_column && work->known && gpu->l2_bytes > 0 && gpu->sm_count > 0 &&
           gpu->limits.threads_per_sm > 0 && gpu->boost_clock_hz > 0;
}

double scans_by_column_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s) {
    double missed = fmin(work->read_bytes / (fitted_sum_held * gpu->l2_bytes), 1);
    double step =
        fitted_sum_near_cycles + (fitted_sum_missed_cycles - fitted_sum_near_cycles) * missed;
    double resident = (double)gpu->sm_count * gpu->limits.threads_per_sm;
    double turns = fmax(work->shape.rows.rows / resident, 1);
    double waited_s = work->shape.rows.columns * turns * step / gpu->boost_clock_hz;
    return hypot(waited_s, roof_s);
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
    return (floor_s + scans_by_column_s(after, gpu, will_s)) /
           (floor_s + scans_by_column_s(before, gpu, was_s));
}
