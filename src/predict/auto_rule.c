/* The rule of `auto`. For one kernel of time T_o on the origin:
 *
 *     T_d = f_d + M_d + (T_o - f_o - M_o) * (S_o C_o) / (S_d C_d)      where T_o - f_o >= M_o
 *     T_d = f_d + (T_o - f_o) * M_d / M_o                              otherwise
 *
 * f: what any kernel costs from its start to its end. M: roofline time on sustained rates; what
 * fits the L2 cache is served at the cache's rate. What a kernel takes beyond M is not waiting for
 * that roof: it is latency, instructions, too few blocks, and goes with clock C and the
 * multiprocessors S that its blocks can use. A kernel whose work nobody counted follows the main
 * kernel of its operation, and without one the ratio of rooflines. Nothing here knows an
 * architecture, and no constant was fitted. Reasons and evidence: docs/formulas.md#auto. No
 * resource of the destination, raised, makes a kernel slower. */
#include "predict/auto_rule.h"

#include <stdlib.h>

#include "gpu/gpu.h"
#include "operator/views.h"
#include "predict/fallback.h"

/* Roofline time M [ns]; NaN where neither flop nor bytes are known, or a rate that is needed is
 * not.
 */
static double roofline_ns(const habitat_kernel_facts *facts, formula_rates rates,
                          const habitat_gpu *gpu) {
    double compute_s = formula_known(facts->flop) ? facts->flop / rates.flop_per_s : 0.0;
    double memory_s = formula_known(facts->bytes) ? facts->bytes / rates.bytes_per_s : 0.0;
    if (memory_s > 0.0 && formula_usable(gpu->l2_bytes)) {
        operator_gpu facts_of = {.bytes_per_s = rates.bytes_per_s,
                                 .l2_bytes = gpu->l2_bytes,
                                 .sm_count = gpu->sm_count,
                                 .clock_hz = gpu->boost_clock_hz};
        memory_s = operator_memory_time(&facts_of, facts->bytes, facts->bytes);
    }
    double longest_s = fmax(compute_s, memory_s);
    return formula_usable(longest_s) ? longest_s * 1e9 : NAN;
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

habitat_status auto_rule_prepare(const habitat_workload *w, auto_rule *out) {
    out->lead = calloc(w->kernel_count + 1, sizeof *out->lead);
    if (!out->lead)
        return HABITAT_E_MEMORY;
    for (size_t g = 0; g < w->group_count; g++) {
        const habitat_workload_group *group = &w->groups[g];
        bool whole = group->work.varying && group->work.known;
        uint32_t lead = whole ? longest_main(w, group) : HABITAT_NONE;
        for (uint32_t i = 0; i < group->kernel_count; i++) {
            uint32_t k = w->group_index[group->first_kernel + i];
            out->lead[k] = lead == HABITAT_NONE || w->kernels[k].main ? k : lead;
        }
    }
    return HABITAT_OK;
}

void auto_rule_free(auto_rule *r) {
    free(r->lead);
    *r = (auto_rule){0};
}

/* ---- once a kernel and destination ---- */

/* S_o C_o / (S_d C_d): multiprocessors times clock that the launch can use on each GPU. A launch
 * with fewer blocks than are resident at once uses a part of them; of a persistent kernel the grid
 * says how many there were, not how many there are. */
static double issue_ratio(const scaling *s, const habitat_workload_kernel *kernel) {
    double origin = s->origin->sm_count * s->origin->boost_clock_hz;
    double dest = s->dest->sm_count * s->dest->boost_clock_hz;
    if (kernel->launch != HABITAT_NONE && !kernel->persistent && kernel->facts.blocks) {
        double blocks = (double)kernel->facts.blocks;
        double resident_origin = (double)s->w->origin_waves[kernel->launch];
        double resident_dest = (double)s->dest_waves[kernel->launch];
        if (resident_origin >= 1.0 && resident_dest >= 1.0) {
            origin *= fmin(1.0, blocks / resident_origin);
            dest *= fmin(1.0, blocks / resident_dest);
        }
    }
    return origin / dest;
}

/* Time on the destination of what takes `own_ns` on the origin, floors apart; NaN where the
 * kernel's work or a rate is unknown. */
static double work_ns(const scaling *s, const habitat_workload_kernel *kernel, double own_ns) {
    const habitat_kernel_facts *facts = &kernel->facts;
    double origin = roofline_ns(facts, scaling_rates(&s->sustained_origin, facts), s->origin);
    double dest = roofline_ns(facts, scaling_rates(&s->sustained_dest, facts), s->dest);
    return own_ns > origin ? dest + (own_ns - origin) * issue_ratio(s, kernel)
                           : own_ns * dest / origin;
}

static double own_ns(const scaling *s, const habitat_workload_kernel *kernel) {
    return kernel->facts.time_ns - fmin(kernel->facts.time_ns, s->floor_origin_ns);
}

scaled auto_rule_kernel(const scaling *s, const auto_rule *r, size_t i) {
    const habitat_workload_kernel *kernel = &s->w->kernels[i];
    if (fallback_leaves_gpu(kernel->kernel))
        return scaled_not_covered();
    double own = own_ns(s, kernel), work = work_ns(s, kernel, own);
    if (isnan(work)) {
        const habitat_workload_kernel *lead = &s->w->kernels[r->lead[i]];
        double ratio = lead == kernel ? NAN : work_ns(s, lead, own_ns(s, lead)) / own_ns(s, lead);
        if (!formula_usable(ratio))
            ratio = scaling_roofline_ratio(lead, &s->sustained_origin, &s->sustained_dest);
        work = own * ratio;
    }
    double floor_origin = kernel->facts.time_ns - own;
    return (scaled){floor_origin * s->clock_ratio + work, HABITAT_METHOD_ROOFLINE};
}
