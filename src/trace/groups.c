/* Groups of unprofiled times. The recorder times a group of iterations before it profiles and
 * others afterwards. A profiler that was in a process once slows each of its launches for good: a
 * step that the CPU binds took 1.25 times as long afterwards (docs/decisions/0330). So the time of
 * a step is that of the group before; how far a host moved, those after it tell, all of them slowed
 * alike.
 */
#include "trace/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_recordings.h"
#include "base/error.h"
#include "base/quantile.h"
#include "trace/trace.h"

static double median(double *scratch, const double *times, size_t count) {
    memcpy(scratch, times, count * sizeof *scratch);
    habitat_sort_numbers(scratch, count);
    return habitat_quantile(scratch, count, 0.5);
}

/* Every group has an iteration, and together they are all of them. */
static bool fits(const habitat_trace_info *info, const double *sizes, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (!(sizes[i] >= 1.0) || sizes[i] != floor(sizes[i]))
            return false;
        sum += sizes[i];
    }
    return count > 1 && sum == (double)info->iteration_ms_count;
}

/* Largest minus smallest median of the groups after the first, in medians of the first; NaN for
 * fewer than two. */
static double spread_later(double *scratch, const double *times, const double *sizes, size_t count,
                           double first_ms) {
    double low = INFINITY, high = -INFINITY;
    times += (size_t)sizes[0];
    for (size_t i = 1; i < count; i++) {
        double middle = median(scratch, times, (size_t)sizes[i]);
        low = fmin(low, middle);
        high = fmax(high, middle);
        times += (size_t)sizes[i];
    }
    return count > 2 && first_ms > 0.0 ? (high - low) / first_ms : NAN;
}

habitat_status trace_take_groups(habitat_trace *trace, const double *sizes, size_t count,
                                 habitat_error *err) {
    habitat_trace_info *info = &trace->info;
    if (!fits(info, sizes, count))
        return HABITAT_OK;
    double *scratch = malloc(info->iteration_ms_count * sizeof *scratch);
    if (!scratch)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    const double *times = info->iteration_ms_all;
    double of_all = median(scratch, times, info->iteration_ms_count);
    double of_first = median(scratch, times, (size_t)sizes[0]);
    /* Else somebody wrote another time there; no step takes none. */
    if (of_first > 0.0 && (fabs(info->iteration_ms - of_all) <= chosen_rounding_ms ||
                           fabs(info->iteration_ms - of_first) <= chosen_rounding_ms)) {
        info->iteration_ms = of_first;
        info->iteration_ms_count = (size_t)sizes[0];
        info->iteration_spread = spread_later(scratch, times, sizes, count, of_first);
    }
    free(scratch);
    return HABITAT_OK;
}
