/* See shapes_interval.h.
 *
 * Each operation has an interval of its own. Over a step what is off in one of them and not in the
 * next averages out; what all of a class share does not, and that is a part of their own intervals.
 * Classes know nothing of each other. GPUs of an architecture on which no such step was recorded
 * add what a class is off between two architectures, and nothing says that it averages out. */
#include "predict/shapes_interval.h"

#include <math.h>

#include "base/constants_intervals.h"
#include "gpu/gpu.h"

/* A 16-bit format that the GPU's matrix units lack. */
static bool on_other_unit(const rate_table *table, const habitat_kernel_facts *facts) {
    bool narrow = facts->dtype == HABITAT_DTYPE_FP16 || facts->dtype == HABITAT_DTYPE_BF16;
    return narrow && facts->matrix_unit && table->unit[facts->dtype][1] != 2 * facts->dtype + 1;
}

/* By what errors it shares with others. */
static void add_shared(interval_sum *sum, const scaling *s, const habitat_workload_kernel *kernel,
                       habitat_method method, double ns) {
    bool modelled = method == HABITAT_METHOD_LEARNED;
    int rate = interval_estimated_rate(&s->sustained_dest, &kernel->facts);
    sum->total += ns;
    sum->by_class[modelled ? INTERVAL_MODEL : INTERVAL_RULE][kernel->op_class] += ns;
    if (rate < INTERVAL_RATES)
        sum->by_rate[1][rate] += ns;
    if (on_other_unit(&s->sustained_dest, &kernel->facts))
        sum->other_unit += ns;
}

/* Between the memory of the host and the GPU's: measured in loops of training. */
static bool crosses(const scaling *s, const habitat_workload_kernel *kernel) {
    return s->w && s->w->groups[kernel->group].work->host_memory != HABITAT_HOST_MEMORY_NONE;
}

void shapes_interval_add(shapes_sum *sum, const scaling *s, const habitat_workload_kernel *kernel,
                         const habitat_estimate *estimate, double ns) {
    if (!(ns > 0.0) || !(estimate->low_ms > 0.0))
        return;
    double down = ns * log(estimate->ms / estimate->low_ms);
    double up = ns * log(estimate->high_ms / estimate->ms);
    sum->total += ns;
    if (estimate->method == HABITAT_METHOD_FALLBACK) {
        sum->fallback += crosses(s, kernel) ? 0.0 : ns;
        sum->fallback_down += down;
        sum->fallback_up += up;
        return;
    }
    sum->down[kernel->op_class] += down;
    sum->up[kernel->op_class] += up;
    add_shared(&sum->sum, s, kernel, estimate->method, ns);
}

bool shapes_interval_checked(const shapes_sum *sum, const habitat_workload *w,
                             const habitat_gpu *dest) {
    return dest->compute_capability && !w->left_out_count &&
           sum->fallback <= chosen_shapes_fallback_share * sum->total;
}

static double square(double x) {
    return x * x;
}

/* Of operations' own intervals, of which a class shares a part, beside what is common to all. */
static double end_of(const shapes_sum *sum, const double *by_class, double fallback, bool recorded,
                     double variance) {
    double end = square(interval_half_width(variance)) + square(fallback / sum->total);
    for (int c = 0; c < HABITAT_CLASS_COUNT; c++) {
        bool whole = c == HABITAT_CLASS_CONV && !recorded;
        end += square((whole ? 1.0 : fitted_shapes_shared) * by_class[c] / sum->total);
    }
    return sqrt(end);
}

interval_ends shapes_interval_of(const shapes_sum *sum, const habitat_gpu *dest) {
    if (!(sum->sum.total > 0.0))
        return (interval_ends){0.0, 0.0, HABITAT_INTERVAL_SHAPES};
    double share = sum->sum.total / sum->total; /* of what something covers */
    double variance =
        square(fitted_common_sigma) + square(share) * interval_pair_variance(&sum->sum);
    bool recorded = dest->compute_capability == (uint32_t)fitted_shapes_capability;
    if (!recorded)
        variance += square(share) * interval_across_variance(&sum->sum);
    return (interval_ends){end_of(sum, sum->down, sum->fallback_down, recorded, variance),
                           end_of(sum, sum->up, sum->fallback_up, recorded, variance),
                           HABITAT_INTERVAL_SHAPES};
}
