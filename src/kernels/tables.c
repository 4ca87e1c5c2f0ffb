/* See tables.h. */
#include "kernels/tables.h"

#include <math.h>

#include "base/constants_scaling.h"
#include "formula/rates.h"
#include "gpu/gpu.h"
#include "kernels/unmodelled_times.h"
#include "work/table_gradient.h"

static double table_s(const habitat_work *work, const habitat_gpu *gpu) {
    double floor_s = formula_kernel_floor_ns(gpu) * 1e-9;
    double roof_s = (work->read_bytes + work->write_bytes) / habitat_memory_rate(gpu, true);
    return floor_s + unmodelled_s(work, gpu, roof_s, floor_s);
}

double tables_growth(const habitat_workload_group *group, const habitat_work *after,
                     const habitat_gpu *gpu) {
    const habitat_work *before = group->work;
    bool other = before->known && after->known && work_is_table_gradient(before) &&
                 work_is_table_gradient(after) && work_sorts_rows(before) != work_sorts_rows(after);
    if (!other)
        return NAN;
    double model_s = table_s(before, gpu), took_s = group->origin_ms * 1e-3;
    double kept = pow(took_s / model_s, fitted_scale_format_share);
    return table_s(after, gpu) * kept / took_s;
}
