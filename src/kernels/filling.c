/* Kernels that do not fill the GPU; see filling.h. */
#include "kernels/filling.h"

#include <math.h>
#include <string.h>

#include "base/constants_scaling.h"
#include "gpu/gpu.h"
#include "kernels/recorded_roofs.h"

static bool has(const char *text, const char *part) {
    return strstr(text, part) != NULL;
}

/* Samples are apart in attention, in convolutions forward and to their input, and in the moments of
 * groups of channels. A gradient of weights, and the moments of a channel over all samples, have a
 * block for each place or channel, whatever the batch is; one kernel of cuDNN's has blocks of
 * images, which add up to the gradient. Of gathers, sorts and sums by place one kernel alone has
 * blocks for columns. */
filling filling_of(const habitat_workload *w, const habitat_workload_group *group,
                   const habitat_workload_kernel *kernel, bool modelled) {
    const char *name = kernel->kernel->form->name;
    const char *op = group->operation ? group->operation->form->name : "";
    if (group->work->op_class == HABITAT_CLASS_REDUCE)
        return modelled || kernel->persistent ? FILLING_NOT : FILLING_SLOTS;
    if (kernel->persistent || kernel->facts.blocks % w->origin->sm_count == 0) /* cut to the GPU */
        return FILLING_NOT;
    switch (group->work->op_class) {
    case HABITAT_CLASS_EMBEDDING:
        return has(name, "embedding_backward_feature_kernel") ? FILLING_NOT : FILLING_SLOTS;
    case HABITAT_CLASS_LOSS:
        return FILLING_SLOTS;
    case HABITAT_CLASS_ATTENTION:
        return FILLING_SMS;
    case HABITAT_CLASS_NORM:
        return strcmp(op, "aten::native_group_norm") == 0 ? FILLING_SMS : FILLING_NOT;
    case HABITAT_CLASS_CONV:
        if (modelled && recorded_on_matrix_units(w, group)) /* models know it of these */
            return FILLING_NOT;
        return has(name, "wgrad_alg0")                                           ? FILLING_SOON
               : group->work->pass == HABITAT_PASS_FORWARD || has(name, "dgrad") ? FILLING_SMS
                                                                                 : FILLING_NOT;
    default:
        if (has(op, "_coalesce")) /* rows of a sparse gradient are sorted and summed */
            return FILLING_SLOTS;
        /* factorisations and the like, of which nobody counts the work: matrices are apart */
        return group->work->known ? FILLING_NOT : FILLING_FEW;
    }
}

double filling_ns(const habitat_workload *w, const habitat_workload_kernel *kernel, filling by,
                  double own_ns, double ratio) {
    double before = recorded_roofline_ns(w->origin, &kernel->facts, 1.0);
    double after = recorded_roofline_ns(w->origin, &kernel->facts, ratio);
    double slots = kernel->launch == HABITAT_NONE ? 0.0 : (double)w->origin_waves[kernel->launch];
    double sms = w->origin->sm_count;
    if (by == FILLING_FEW && (double)kernel->facts.blocks * fmin(1.0, ratio) >= sms)
        by = FILLING_NOT;
    double full = by == FILLING_SLOTS  ? slots
                  : by == FILLING_SOON ? fitted_scale_image_blocks * sms
                                       : sms;
    double x = by != FILLING_NOT && full > 0.0 ? (double)kernel->facts.blocks / full : 0.0;
    if (isnan(after) && by != FILLING_NOT) /* nobody counted its work: it has no floor */
        before = after = 0.0;
    if (!(own_ns > before) || isnan(after) || !(x > 0.0))
        return own_ns * ratio;
    if (by == FILLING_SOON)
        return own_ns * hypot(1.0, x * ratio) / hypot(1.0, x);
    return after + (own_ns - before) * (1.0 + x * ratio) / (1.0 + x);
}

static const habitat_workload_kernel *longest_of(const habitat_workload *w,
                                                 const habitat_workload_group *group) {
    const uint32_t *kernels = w->group_index + group->first_kernel;
    const habitat_workload_kernel *longest = &w->kernels[kernels[0]];
    for (uint32_t i = 1; i < group->kernel_count; i++)
        if (w->kernels[kernels[i]].facts.time_ns > longest->facts.time_ns)
            longest = &w->kernels[kernels[i]];
    return longest;
}

bool filling_leaves_idle(const habitat_workload *w, const habitat_workload_group *group,
                         double ratio, bool modelled) {
    const habitat_workload_kernel *longest = longest_of(w, group);
    double blocks = (double)longest->facts.blocks * fmin(1.0, ratio);
    return blocks > 0.0 && blocks < w->origin->sm_count &&
           filling_of(w, group, longest, modelled) != FILLING_NOT;
}
