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
#include "predict/auto_rule.h"

#include <stdlib.h>

#include "predict/fallback.h"

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

static void prepare_group(const habitat_workload *w, const habitat_workload_group *group,
                          const rate_table *rates, double floor_ns, auto_rule *out) {
    bool whole = group->work.varying && group->work.known;
    uint32_t lead = whole ? longest_main(w, group) : HABITAT_NONE;
    double work_ns = 0.0, roofline_ns = 0.0;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        uint32_t k = w->group_index[group->first_kernel + i];
        const habitat_kernel_facts *facts = &w->kernels[k].facts;
        double own_ns = facts->time_ns - fmin(facts->time_ns, floor_ns);
        double own_roofline_ns = model_ns(facts, scaling_rates(rates, facts));
        out->lead[k] = lead == HABITAT_NONE || w->kernels[k].main ? k : lead;
        out->damping[k] = damping_of(own_ns, own_roofline_ns);
        work_ns += own_ns;
        roofline_ns += own_roofline_ns;
    }
    for (uint32_t i = 0; lead != HABITAT_NONE && i < group->kernel_count; i++)
        out->damping[w->group_index[group->first_kernel + i]] = damping_of(work_ns, roofline_ns);
}

habitat_status auto_rule_prepare(const habitat_workload *w, auto_rule *out) {
    rate_table rates;
    out->lead = calloc(w->kernel_count, sizeof *out->lead);
    out->damping = calloc(w->kernel_count, sizeof *out->damping);
    if (!out->lead || !out->damping)
        return HABITAT_E_MEMORY;
    scaling_fill(&rates, w->origin, true);
    double floor_ns = scaling_kernel_floor_ns(w->origin);
    for (size_t g = 0; g < w->group_count; g++)
        prepare_group(w, &w->groups[g], &rates, formula_known(floor_ns) ? floor_ns : 0.0, out);
    return HABITAT_OK;
}

void auto_rule_free(auto_rule *r) {
    free(r->lead);
    free(r->damping);
    *r = (auto_rule){0};
}

/* ---- once a kernel and destination ---- */

scaled auto_rule_kernel(const scaling *s, const auto_rule *r, size_t i) {
    const habitat_workload_kernel *kernel = &s->w->kernels[i];
    if (fallback_leaves_gpu(kernel->kernel))
        return scaled_not_covered();
    const habitat_workload_kernel *lead = &s->w->kernels[r->lead[i]];
    double ratio = scaling_roofline_ratio(lead, &s->sustained_origin, &s->sustained_dest);
    if (!s->keeps_distance) {
        double damping = r->damping[i];
        bool same_unit = s->sustained_origin.unit[lead->facts.dtype][lead->facts.matrix_unit] ==
                         s->sustained_dest.unit[lead->facts.dtype][lead->facts.matrix_unit];
        ratio *= same_unit ? damping : damping * sqrt(damping);
    }
    double floor_origin = fmin(kernel->facts.time_ns, s->floor_origin_ns);
    return (scaled){floor_origin * s->clock_ratio + (kernel->facts.time_ns - floor_origin) * ratio,
                    HABITAT_METHOD_ROOFLINE};
}
