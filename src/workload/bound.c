/* The iteration beside the GPU's busy time: what it waits for, how much the origin's own varies,
 * and how many samples pass in a second. */
#include "workload/bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_intervals.h"
#include "base/constants_recordings.h"
#include "base/constants_replay.h"
#include "base/error.h"
#include "base/quantile.h"

bool habitat_waits_for_cpu(double iteration_ms, double busy_ms) {
    return iteration_ms > chosen_cpu_bound_ratio * busy_ms;
}

/* The CPU's side of an iteration is known only where it was what the recording's GPU waited for; a
 * GPU-bound recording says no more than that it was shorter. */
habitat_bound_by habitat_bound_of(const habitat_workload_info *recorded, double busy_ms) {
    if (recorded->bound_by == HABITAT_BY_CPU)
        return habitat_waits_for_cpu(recorded->iteration_ms, busy_ms) ? HABITAT_BY_CPU
                                                                      : HABITAT_BY_GPU;
    if (recorded->bound_by == HABITAT_BY_GPU && busy_ms >= recorded->busy_ms)
        return HABITAT_BY_GPU;
    return HABITAT_BY_UNKNOWN;
}

bool habitat_spread_known(const habitat_workload *w) {
    return w->info.iteration_recorded && habitat_trace_get_info(w->trace)->iteration_ms_count > 1;
}

habitat_status habitat_spread_prepare(habitat_workload *w, habitat_error *err) {
    const habitat_trace_info *trace = habitat_trace_get_info(w->trace);
    size_t count = trace->iteration_ms_count;
    w->low_share = 1.0 / (1.0 + fitted_iteration_least_width);
    w->high_share = 1.0 + fitted_iteration_least_width;
    if (!habitat_spread_known(w))
        return HABITAT_OK;
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    memcpy(sorted, trace->iteration_ms_all, count * sizeof *sorted);
    habitat_sort_numbers(sorted, count);
    w->low_share = fmin(w->low_share,
                        habitat_quantile(sorted, count, chosen_low_quantile) / trace->iteration_ms);
    w->high_share = fmax(w->high_share, habitat_quantile(sorted, count, chosen_high_quantile) /
                                            trace->iteration_ms);
    free(sorted);
    return HABITAT_OK;
}

bool habitat_spread_wide(const habitat_workload *w) {
    return w->high_share - w->low_share > chosen_wide_range;
}

double habitat_samples_per_s(const habitat_workload *w, bool origin, double iteration_ms) {
    double batch = (double)w->batch_size;
    if (origin && w->info.iteration_recorded)
        iteration_ms = w->info.iteration_ms;
    else if (workload_recorded_info(w)->bound_by != HABITAT_BY_GPU)
        return NAN;
    return batch > 0.0 && iteration_ms > 0.0 ? batch / iteration_ms * 1e3 : NAN;
}
