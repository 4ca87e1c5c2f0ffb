/* Times of an operation that does other work than was recorded, on the same GPU. */
#ifndef HABITAT_PREDICT_RESCALE_TIMES_H
#define HABITAT_PREDICT_RESCALE_TIMES_H

#include <habitat/models.h>

#include "workload/scale.h"

/* What the models say of each group before and after; NaN: they do not cover it. */
typedef struct rescale_answer {
    double before_ms, after_ms;
} rescale_answer;

/* Answers of the models for groups that change, shape (group_count) each: those that compare GPUs,
 * and for convolutions in another format what was seen of the recorded one, too.
 * after: shape (levels, group_count). The answer is the largest over the levels, both before and
 * after: levels hold the work of smaller and smaller batches, and a larger batch never takes less
 * time. before: shape (levels, group_count), of which the first is the workload's own.
 * HABITAT_E_MEMORY. */
habitat_status rescale_ask(const habitat_models *models, const habitat_workload *w, size_t levels,
                           scale_group *const *before, scale_group *const *after,
                           rescale_answer *out, habitat_error *err);

/* The same for a group that changes its number format. */
void rescale_format(const habitat_workload *w, size_t g, const scale_group *after,
                    const rescale_answer *answer, double *ns);

/* Times [ns] of operations that were not recorded: of the models where they know the class, else of
 * their bytes. added, ns: shape (count). HABITAT_E_MEMORY. */
habitat_status rescale_added(const habitat_models *models, const habitat_gpu *gpu, size_t count,
                             const scale_added *added, double *ns, habitat_error *err);

/* Times of group g's kernels [ns], written where w->group_index puts them. */
void rescale_group(const habitat_workload *w, size_t g, const scale_group *after,
                   const rescale_answer *answer, double *ns);

/* Whether the longest kernel of group g leaves multiprocessors idle at one of both batch sizes and
 * has more blocks at the larger one: what it takes is known in part. */
bool rescale_leaves_idle(const habitat_workload *w, size_t g, const scale_group *after,
                         const rescale_answer *answer);

#endif
