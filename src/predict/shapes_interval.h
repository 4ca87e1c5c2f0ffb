/* 80 % interval of a whole step from shapes alone: docs/formulas.md#intervals, docs/decisions/0625.
 */
#ifndef HABITAT_PREDICT_SHAPES_INTERVAL_H
#define HABITAT_PREDICT_SHAPES_INTERVAL_H

#include "predict/interval.h"

/* Predicted time [ns], and that time by how far its operations' own intervals reach in log(time).
 */
typedef struct shapes_sum {
    double total, fallback; /* fallback: without copies from the host */
    interval_sum sum;       /* without what nothing covers */
    double down[HABITAT_CLASS_COUNT], up[HABITAT_CLASS_COUNT];
    double fallback_down, fallback_up;
} shapes_sum;

/* Add an operation of ns. Needs of s the destination's sustained rates. */
void shapes_interval_add(shapes_sum *sum, const scaling *s, const habitat_workload_kernel *kernel,
                         const habitat_estimate *estimate, double ns);

/* Whether steps like this one were measured on such GPUs. */
bool shapes_interval_checked(const shapes_sum *sum, const habitat_workload *w,
                             const habitat_gpu *dest);

interval_ends shapes_interval_of(const shapes_sum *sum, const habitat_gpu *dest);

#endif
