/* The rule of `auto`. For one kernel of time T_o on the origin:
 *
 *     T_d = f_d + M_d + (T_o - f_o - M_o) * (S_o C_o) / (S_d C_d)      where T_o - f_o >= M_o
 *     T_d = f_d + (T_o - f_o) * M_d / M_o                              otherwise
 *
 * and for kernels of threads that do not wait for each other, with p = 2.5,
 *
 *     T_d = f_d + (M_d^p + ((T_o - f_o)^p - M_o^p) * ((S_o C_o) / (S_d C_d))^p)^(1/p)
 *
 * f: what any kernel costs from its start to its end. M: roofline time on sustained rates; a
 * part of what fits the L2 cache is served at the cache's rate. What a kernel takes beyond M is not
 * waiting for that roof: it is latency, instructions, too few blocks, and goes with clock C and the
 * multiprocessors S that its blocks can use. Where nothing waits in turn, both go on side by side:
 * the longer of the two takes nearly all of the time. A kernel whose work nobody counted follows
 * the main kernel of its operation; without one it did in its time what such kernels usually do
 * (usual_shares.c). Nothing here knows an architecture. Reasons and evidence:
 * docs/formulas.md#auto. Neither rates nor multiprocessors nor clock of the destination, raised,
 * make a kernel slower. */
#include "predict/auto_rule.h"
#include "base/constants_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu.h"
#include "operator/views.h"
#include "predict/fallback.h"
#include "kernels/elements.h"
#include "kernels/instructions.h"
#include "kernels/usual_shares.h"
#include "work/class.h"

/* Inside a step only a part of what would fit the cache is there: repeated measurements find all of
 * their tensors, a step those of the last few kernels. A training step also writes what its
 * backward pass reads much later: a forward pass alone keeps nothing, and finds more. */
static double memory_s(const scaling *s, const habitat_gpu *gpu, double bytes_per_s, double bytes) {
    double from_memory_s = bytes / bytes_per_s;
    if (!formula_usable(gpu->l2_bytes) || s->form == AUTO_FORM_NO_CACHE)
        return from_memory_s;
    operator_gpu facts_of = {.bytes_per_s = bytes_per_s,
                             .l2_bytes = gpu->l2_bytes,
                             .sm_count = gpu->sm_count,
                             .clock_hz = gpu->boost_clock_hz};
    double repeated_s = operator_memory_time(&facts_of, bytes, bytes);
    return from_memory_s + s->cache_share * (repeated_s - from_memory_s);
}

/* Roofline time M [ns] of a kernel that issues so many instructions a byte; NaN where neither flop
 * nor bytes are known, or a rate that is needed is not. */
static double roofline_ns(const scaling *s, const habitat_kernel_facts *facts, double instructions,
                          formula_rates rates, const habitat_gpu *gpu) {
    double compute = formula_known(facts->flop) ? facts->flop / rates.flop_per_s : 0.0;
    double moving = 0.0;
    if (formula_known(facts->bytes) && facts->bytes > 0.0)
        moving = instructions_s(gpu, facts->bytes, instructions,
                                memory_s(s, gpu, rates.bytes_per_s, facts->bytes));
    double longest_s = fmax(compute, moving);
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

/* How much longer it takes in another batch size than recorded. */
static double grown_by(const habitat_workload_kernel *kernel) {
    return kernel->facts.time_ns / (double)kernel->kernel->duration_ns;
}

/* Kernels that compute share what their operation has, by time. */
static void set_facts(const habitat_workload *w, const unsized_convolutions *told,
                      habitat_kernel_facts *facts) {
    for (size_t g = 0; g < w->group_count; g++) {
        const habitat_workload_group *group = &w->groups[g];
        const habitat_work *work = unsized_convolutions_work(told, g);
        const uint32_t *members = &w->group_index[group->first_kernel];
        double main_ns = 0.0;
        for (uint32_t i = 0; i < group->kernel_count; i++)
            main_ns += w->kernels[members[i]].main ? w->kernels[members[i]].facts.time_ns : 0.0;
        for (uint32_t i = 0; i < group->kernel_count; i++) {
            const habitat_workload_kernel *kernel = &w->kernels[members[i]];
            double share = kernel->facts.time_ns / main_ns;
            facts[members[i]] = kernel->facts;
            if (work && kernel->main && isfinite(share)) {
                facts[members[i]].flop = share * work->flop;
                facts[members[i]].bytes = share * (work->read_bytes + work->write_bytes);
            }
        }
    }
}

const habitat_kernel_facts *auto_rule_facts(const habitat_workload *w, const auto_rule *r,
                                            size_t i) {
    return r->facts ? &r->facts[i] : &w->kernels[i].facts;
}

/* The bytes that memory moves in a time: memory_s() the other way round. */
static double bytes_in(const scaling *s, const habitat_gpu *gpu, double bytes_per_s,
                       double seconds) {
    double least = 0.0, most = seconds * bytes_per_s;
    while (most > 0.0 && memory_s(s, gpu, bytes_per_s, most) < seconds)
        most *= 2.0;
    for (int i = 0; i < 40; i++) {
        double middle = 0.5 * (least + most);
        *(memory_s(s, gpu, bytes_per_s, middle) < seconds ? &least : &most) = middle;
    }
    return most;
}

static double own_ns(const scaling *s, const habitat_workload_kernel *kernel) {
    return kernel->facts.time_ns - fmin(kernel->facts.time_ns, s->floor_origin_ns);
}

/* Bytes of a kernel that needs its memory's roof for so long. Of a recording without sizes, its
 * grid may tell them; another batch size has another grid. */
static double usual_bytes(const scaling *s, const auto_rule *r,
                          const habitat_workload_kernel *kernel, double bytes_per_s,
                          double roof_s) {
    kernel_elements told;
    if (kernel_elements_of(kernel->kernel->form, &told) && r->rounds[told.width] > 0.0)
        return r->rounds[told.width] * told.round_bytes * grown_by(kernel);
    return usual_of_memory(s->w, kernel) ? roof_s * bytes_per_s
                                         : bytes_in(s, s->origin, bytes_per_s, roof_s);
}

/* Flop of a product, bytes of any other kernel whose work nobody counted: as much as it usually
 * does in its time (usual_shares.h). */
static double usual_work(const scaling *s, const auto_rule *r,
                         const habitat_workload_kernel *kernel) {
    formula_rates rates = scaling_rates(&s->sustained_origin, &kernel->facts);
    double own = own_ns(s, kernel);
    double part = s->form == AUTO_FORM_UNKNOWN_ROOF ? 1.0 : usual_part(s->w, kernel, own);
    double roof_s = part * own * 1e-9;
    return workload_is_product(kernel) ? roof_s * rates.flop_per_s
                                       : usual_bytes(s, r, kernel, rates.bytes_per_s, roof_s);
}

static habitat_workload_kernel with_work(const habitat_workload_kernel *kernel, double usual) {
    habitat_workload_kernel made = *kernel;
    made.facts.flop = made.facts.bytes = NAN;
    *(workload_is_product(kernel) ? &made.facts.flop : &made.facts.bytes) = usual;
    return made;
}

static double origin_roof_ns(const scaling *s, const habitat_kernel_facts *facts,
                             double instructions) {
    return roofline_ns(s, facts, instructions, scaling_rates(&s->sustained_origin, facts),
                       s->origin);
}

/* Vectorised kernels have few instructions for each byte. What takes them longer than their roof is
 * how they begin and end, and no memory is waited for then. */
static bool overlaps(const habitat_workload_kernel *kernel) {
    const char *name = kernel->kernel->form->name;
    return class_of(kernel->op_class)->overlaps && name && !strstr(name, "vectorized_elementwise");
}

static void set_origin(const habitat_workload *w, auto_rule *r) {
    scaling s;
    scaling_begin(w, &s);
    for (size_t i = 0; i < w->kernel_count; i++) {
        const habitat_workload_kernel *kernel = &w->kernels[i];
        auto_rule_origin *o = &r->origin[i];
        double instructions = instructions_a_byte(kernel->kernel->form->name);
        *o = (auto_rule_origin){.roof_ns = origin_roof_ns(&s, &kernel->facts, instructions),
                                .usual = NAN,
                                .usual_roof_ns = NAN,
                                .instructions = instructions,
                                .overlaps = overlaps(kernel)};
        if (!isnan(o->roof_ns) || fallback_leaves_gpu(kernel->kernel))
            continue;
        o->usual = usual_work(&s, r, kernel);
        habitat_workload_kernel usual = with_work(kernel, o->usual);
        o->usual_roof_ns = origin_roof_ns(&s, &usual.facts, instructions);
    }
}

habitat_status auto_rule_prepare(const habitat_workload *w, const unsized_convolutions *told,
                                 auto_rule *out) {
    bool bare = workload_lacks_shapes(w);
    out->lead = calloc(w->kernel_count + 1, sizeof *out->lead);
    out->origin = calloc(w->kernel_count + 1, sizeof *out->origin);
    out->facts = bare ? calloc(w->kernel_count + 1, sizeof *out->facts) : NULL;
    if (!out->lead || !out->origin || (bare && !out->facts))
        return HABITAT_E_MEMORY;
    if (bare) {
        elements_settle(w, out->rounds);
        set_facts(w, told, out->facts);
    }
    for (size_t g = 0; g < w->group_count; g++) {
        const habitat_workload_group *group = &w->groups[g];
        bool whole = group->work->varying && (group->work->known || workload_lacks_shapes(w));
        uint32_t lead = whole ? longest_main(w, group) : HABITAT_NONE;
        for (uint32_t i = 0; i < group->kernel_count; i++) {
            uint32_t k = w->group_index[group->first_kernel + i];
            out->lead[k] = lead == HABITAT_NONE || w->kernels[k].main ? k : lead;
        }
    }
    set_origin(w, out);
    return HABITAT_OK;
}

void auto_rule_free(auto_rule *r) {
    free(r->lead);
    free(r->origin);
    free(r->facts);
    *r = (auto_rule){0};
}

/* ---- once a kernel and destination ---- */

/* Blocks of a launch that one multiprocessor of either GPU holds at once: what the smaller holds.
 * A block is no faster where fewer of them fit. One where a GPU's limits are not known (AMD's). */
static double blocks_each(const scaling *s, uint32_t launch) {
    double origin = (double)s->w->origin_waves[launch] / s->origin->sm_count;
    double dest = (double)s->dest_waves[launch] / s->dest->sm_count;
    return fmax(1.0, fmin(origin, dest));
}

/* S_o C_o / (S_d C_d): multiprocessors times clock that the launch can use on each GPU. A launch
 * with fewer blocks than keep a GPU busy uses a part of it; of a persistent kernel the grid says
 * how many there were, not how many there are. */
static double issue_ratio(const scaling *s, const habitat_workload_kernel *kernel) {
    if (s->form == AUTO_FORM_CLOCK)
        return s->clock_ratio;
    double origin = s->origin->sm_count * s->origin->boost_clock_hz;
    double dest = s->dest->sm_count * s->dest->boost_clock_hz;
    if (kernel->launch != HABITAT_NONE && !kernel->persistent && kernel->facts.blocks) {
        double blocks = (double)kernel->facts.blocks;
        double each = blocks_each(s, kernel->launch);
        origin *= fmin(1.0, blocks / (s->origin->sm_count * each));
        dest *= fmin(1.0, blocks / (s->dest->sm_count * each));
    }
    return origin / dest;
}

/* x^p and its inverse: how two times of a kernel that go on side by side add up. pow() is slower
 * than the products that 2.5 stands for, and rounds otherwise. */
static double powered(double x) {
    return 2 * fitted_beside_power == 5 ? x * x * sqrt(x) : pow(x, fitted_beside_power);
}

static double root(double y) {
    return pow(y, 1 / fitted_beside_power);
}

/* A kernel that took `own` by a roof of `origin` there: by its roof `dest`, and what it took beyond
 * times `issue`. */
static double side_by_side_ns(double own, double origin, double dest, double issue) {
    double beyond = (powered(own) - powered(origin)) / powered(dest) * powered(issue);
    return dest * root(1.0 + beyond);
}

/* Time on the destination of what takes `own_ns` of kernel i on the origin, floors apart, and by
 * its roof `origin`, if it does the work of `kernel`; NaN where that or a rate is unknown. */
static double work_ns(const scaling *s, const auto_rule *r, size_t i,
                      const habitat_workload_kernel *kernel, double own_ns, double origin) {
    const habitat_kernel_facts *facts = &kernel->facts;
    double dest = roofline_ns(s, facts, r->origin[i].instructions,
                              scaling_rates(&s->sustained_dest, facts), s->dest);
    if (own_ns <= origin || s->form == AUTO_FORM_RATIO)
        return own_ns * dest / origin;
    double issue = issue_ratio(s, kernel);
    return r->origin[i].overlaps && s->form != AUTO_FORM_SUM
               ? side_by_side_ns(own_ns, origin, dest, issue)
               : dest + (own_ns - origin) * issue;
}

/* The origin's roof for the counted work of kernel i. */
static double counted_roof_ns(const scaling *s, const auto_rule *r, size_t i) {
    return s->form == AUTO_FORM_RULE
               ? r->origin[i].roof_ns
               : origin_roof_ns(s, &s->w->kernels[i].facts, r->origin[i].instructions);
}

/* By what it usually does. */
static double usual_ns(const scaling *s, const auto_rule *r, size_t i, double own) {
    const habitat_workload_kernel *kernel = &s->w->kernels[i];
    bool asked = s->form == AUTO_FORM_RULE && !isnan(r->origin[i].usual_roof_ns);
    habitat_workload_kernel usual =
        with_work(kernel, asked ? r->origin[i].usual : usual_work(s, r, kernel));
    return work_ns(s, r, i, &usual, own,
                   asked ? r->origin[i].usual_roof_ns
                         : origin_roof_ns(s, &usual.facts, r->origin[i].instructions));
}

/* What a kernel takes on the destination past its start; NaN where a rate is unknown. */
static double counted_or_usual_ns(const scaling *s, const auto_rule *r, size_t i) {
    habitat_workload_kernel known = s->w->kernels[i];
    known.facts = *auto_rule_facts(s->w, r, i);
    double roof = r->facts ? origin_roof_ns(s, &known.facts, r->origin[i].instructions)
                           : counted_roof_ns(s, r, i);
    double own = own_ns(s, &s->w->kernels[i]), work = work_ns(s, r, i, &known, own, roof);
    return isnan(work) ? usual_ns(s, r, i, own) : work;
}

scaled auto_rule_kernel(const scaling *s, const auto_rule *r, size_t i) {
    const habitat_workload_kernel *kernel = &s->w->kernels[i];
    if (fallback_leaves_gpu(kernel->kernel))
        return scaled_not_covered();
    double own = own_ns(s, kernel), work = work_ns(s, r, i, kernel, own, counted_roof_ns(s, r, i));
    if (isnan(work)) {
        size_t lead = r->lead[i];
        double ratio =
            lead == i ? NAN : counted_or_usual_ns(s, r, lead) / own_ns(s, &s->w->kernels[lead]);
        work = formula_usable(ratio) ? own * ratio : counted_or_usual_ns(s, r, i);
    }
    double floor_origin = kernel->facts.time_ns - own;
    return (scaled){floor_origin * s->clock_ratio + work, HABITAT_METHOD_ROOFLINE};
}
