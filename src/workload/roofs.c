/* How a recording's times compare with what its GPU can do at most: far from it, or beyond it, are
 * times in another unit, or of another GPU. */
#include "workload/roofs.h"

#include <math.h>

#include "base/constants_recordings.h"
#include "gpu/gpu.h"

static double highest_rate(const habitat_gpu *gpu) {
    double most = 0;
    for (int d = 0; d < HABITAT_DTYPE_COUNT; d++)
        most = fmax(most, fmax(gpu->peak.matrix_flop_per_s[d], gpu->peak.plain_flop_per_s[d]));
    return most;
}

/* Copies go at the rate of a link, and from pageable memory at that of the host. */
static bool has_copy(const habitat_workload *w, const habitat_workload_group *group) {
    for (uint32_t i = 0; i < group->kernel_count; i++)
        if (w->kernels[w->group_index[group->first_kernel + i]].kernel->form->kind ==
            HABITAT_KERNEL_MEMCPY)
            return true;
    return false;
}

workload_roofs workload_roofs_of(const habitat_workload *w) {
    workload_roofs out = {.whole = NAN, .quickest_ns = INFINITY};
    double flop_per_s = highest_rate(w->origin),
           bytes_per_s = w->origin->memory_bandwidth_bytes_per_s;
    double recorded = 0, least = 0;
    for (size_t g = 0; g < w->group_count; g++) {
        const habitat_workload_group *group = &w->groups[g];
        double bytes = group->work->read_bytes + group->work->write_bytes;
        double ms = fmax(group->work->flop / flop_per_s, bytes / bytes_per_s) * 1e3;
        if (!group->work->known || !isfinite(ms) || !(group->origin_ms > 0) || has_copy(w, group))
            continue;
        recorded += group->origin_ms;
        least += ms;
        if (ms >= chosen_roof_least_ms) {
            out.known++;
            out.best = fmax(out.best, ms / group->origin_ms);
        }
    }
    if (out.known)
        out.whole = least / recorded;
    for (size_t i = 0; i < w->kernel_count; i++) {
        const habitat_kernel *k = w->kernels[i].kernel;
        if (k->form->kind != HABITAT_KERNEL_COMPUTE)
            continue;
        out.kernels++;
        out.quickest_ns = fmin(out.quickest_ns, (double)k->duration_ns);
    }
    return out;
}
