/* Rates of an origin and a destination, and what follows from the two. */
#include "predict/scaling.h"

#include <stdlib.h>
#include <string.h>

#include "base/constants_kernels.h"
#include "base/error.h"
#include "base/same_text.h"
#include "gpu/gpu.h"
#include "workload/launch.h"
#include "formula/rates.h"

void scaling_fill(rate_table *table, const habitat_gpu *gpu, bool sustained) {
    for (int d = 0; d < HABITAT_DTYPE_COUNT; d++)
        for (int matrix = 0; matrix < 2; matrix++) {
            habitat_dtype used = HABITAT_DTYPE_UNKNOWN;
            bool on_matrix = false;
            table->flop_per_s[d][matrix] = habitat_arithmetic_rate(
                gpu, (habitat_dtype)d, matrix != 0, sustained, &used, &on_matrix);
            table->unit[d][matrix] = (uint8_t)(2 * used + on_matrix);
            table->estimated[d][matrix] = on_matrix ? gpu->sustained_matrix_estimated[used]
                                                    : gpu->sustained_plain_estimated[used];
        }
    table->bytes_per_s = habitat_memory_rate(gpu, sustained);
    table->bytes_estimated = gpu->sustained_bandwidth_estimated;
}

/* Whether the step is a forward pass alone: operations are recorded, and none is of a backward pass
 * or an optimiser. */
static bool forward_alone(const habitat_workload *w) {
    bool recorded = false;
    for (size_t g = 0; g < w->group_count; g++) {
        const habitat_workload_group *group = &w->groups[g];
        recorded |= group->operation != NULL;
        if (group->work->pass != HABITAT_PASS_FORWARD ||
            group->work->op_class == HABITAT_CLASS_OPTIMIZER ||
            (group->operation && group->operation->forward != HABITAT_NONE))
            return false;
    }
    return recorded;
}

void scaling_begin(const habitat_workload *w, scaling *out) {
    *out = (scaling){.w = w, .origin = w->origin};
    scaling_fill(&out->spec_origin, w->origin, false);
    scaling_fill(&out->sustained_origin, w->origin, true);
    out->floor_origin_ns = formula_kernel_floor_ns(w->origin);
    out->cache_share = forward_alone(w) ? fitted_forward_cache_share : fitted_step_cache_share;
}

habitat_status scaling_set_up(const habitat_workload *w, const habitat_models *models,
                              const habitat_gpu *dest, scaling *out, habitat_error *err) {
    scaling_begin(w, out);
    out->models = models;
    out->dest = dest;
    scaling_fill(&out->spec_dest, dest, false);
    scaling_fill(&out->sustained_dest, dest, true);
    out->bandwidth_ratio = out->spec_origin.bytes_per_s / out->spec_dest.bytes_per_s;
    out->clock_ratio = w->origin->boost_clock_hz / dest->boost_clock_hz;
    out->alike = same_known_text(w->origin->architecture, dest->architecture);
    if (!formula_usable(out->bandwidth_ratio))
        return habitat_fail(err, HABITAT_E_NO_SPEC,
                            "no memory bandwidth is known of %s or %s; add it to the GPU's file",
                            w->origin->name, dest->name);
    out->dest_waves = malloc((w->launch_count ? w->launch_count : 1) * sizeof *out->dest_waves);
    if (!out->dest_waves)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    workload_waves(w, dest, out->dest_waves);
    return HABITAT_OK;
}

void scaling_free(scaling *s) {
    free(s->dest_waves);
    s->dest_waves = NULL;
}
