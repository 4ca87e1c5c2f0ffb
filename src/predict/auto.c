/* The rule of `auto`. For one kernel of time T_o on the origin:
 *
 *     T_d = f_d + (T_o - f_o) * (M_d / M_o) * max(1, (T_o - f_o) / M_o)^(-1/2)
 *
 * f: what any kernel costs from its start to its end; M: roofline time on sustained rates. The last
 * factor halves (in logarithm) the distance to the roofline: what kept a kernel from its roofline
 * on one architecture is there on another only in part. It is left out within an architecture, and
 * towards a newer one or another vendor, where no measurement backs it. Where the destination
 * computes on another unit (TF32 on matrix units becoming plain fp32), the distance is halved once
 * more. A kernel-varying operation counts as one: its helpers follow its product.
 * Reasons and evidence: docs/formulas.md#auto. No resource of the destination, raised, makes a
 * kernel slower. */
#include <stdlib.h>
#include <string.h>

#include "predict/scaling.h"

/* Clock cycles from the start of a kernel that does next to nothing to its end. */
static const double floor_cycles = 2200.0;

double habitat_kernel_floor_ns(const habitat_gpu *gpu) {
    return floor_cycles / gpu->boost_clock_hz * 1e9;
}

static double model_ns(const habitat_kernel_facts *facts, formula_rates rates) {
    return formula_roofline_s(facts->flop, facts->bytes, rates.flop_per_s, rates.bytes_per_s) * 1e9;
}

/* ---- once a workload ---- */

static uint32_t longest_main(const habitat_workload *w, const habitat_workload_group *group) {
    uint32_t found = HABITAT_NONE;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        uint32_t k = w->group_index[group->first_kernel + i];
        if (w->kernels[k].main && (found == HABITAT_NONE ||
                                   w->kernels[k].facts.time_ns > w->kernels[found].facts.time_ns))
            found = k;
    }
    return found;
}

/* Distance to the roofline, as the factor that halves it: 1 on the roofline and where the roofline
 * is unknown, less above it. */
static double damping_of(double work_ns, double roofline_ns) {
    double distance = work_ns / roofline_ns;
    return distance > 1.0 && isfinite(distance) ? 1.0 / sqrt(distance) : 1.0;
}

static void prepare_group(habitat_workload *w, const habitat_workload_group *group,
                          const rate_table *rates, double floor_ns) {
    bool whole = group->work.varying && group->work.known;
    uint32_t lead = whole ? longest_main(w, group) : HABITAT_NONE;
    double work_ns = 0.0, roofline_ns = 0.0;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        uint32_t k = w->group_index[group->first_kernel + i];
        const habitat_kernel_facts *facts = &w->kernels[k].facts;
        double own_ns = facts->time_ns - fmin(facts->time_ns, floor_ns);
        double own_roofline_ns = model_ns(facts, scaling_rates(rates, facts));
        w->auto_lead[k] = lead == HABITAT_NONE || w->kernels[k].main ? k : lead;
        w->auto_damping[k] = damping_of(own_ns, own_roofline_ns);
        work_ns += own_ns;
        roofline_ns += own_roofline_ns;
    }
    for (uint32_t i = 0; lead != HABITAT_NONE && i < group->kernel_count; i++)
        w->auto_damping[w->group_index[group->first_kernel + i]] = damping_of(work_ns, roofline_ns);
}

habitat_status habitat_auto_prepare(habitat_workload *w) {
    w->auto_lead = calloc(w->kernel_count, sizeof *w->auto_lead);
    w->auto_damping = calloc(w->kernel_count, sizeof *w->auto_damping);
    if (!w->auto_lead || !w->auto_damping)
        return HABITAT_E_MEMORY;
    rate_table rates;
    scaling_fill(&rates, w->origin, true);
    double floor_ns = habitat_kernel_floor_ns(w->origin);
    for (size_t g = 0; g < w->group_count; g++)
        prepare_group(w, &w->groups[g], &rates, formula_known(floor_ns) ? floor_ns : 0.0);
    return HABITAT_OK;
}

/* ---- once a kernel and destination ---- */

scaled habitat_auto_kernel(const scaling *s, size_t i) {
    const habitat_workload_kernel *kernel = &s->w->kernels[i];
    if (habitat_leaves_gpu(kernel->kernel))
        return (scaled){NAN, HABITAT_METHOD_FALLBACK};
    const habitat_workload_kernel *lead = &s->w->kernels[s->w->auto_lead[i]];
    double ratio = scaling_roofline_ratio(lead, &s->sustained_origin, &s->sustained_dest);
    if (!s->keeps_distance) {
        double damping = s->w->auto_damping[i];
        bool same_unit = s->sustained_origin.unit[lead->facts.dtype][lead->facts.matrix_unit] ==
                         s->sustained_dest.unit[lead->facts.dtype][lead->facts.matrix_unit];
        ratio *= same_unit ? damping : damping * sqrt(damping);
    }
    double floor_origin = fmin(kernel->facts.time_ns, s->floor_origin_ns);
    return (scaled){floor_origin * s->clock_ratio + (kernel->facts.time_ns - floor_origin) * ratio,
                    HABITAT_METHOD_ROOFLINE};
}
