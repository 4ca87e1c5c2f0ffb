/* Times of an operation that does other work than was recorded, on the same GPU. */
#ifndef HABITAT_PREDICT_RESCALE_TIMES_H
#define HABITAT_PREDICT_RESCALE_TIMES_H

#include <habitat/models.h>

#include "predict/rescale_ask.h"
#include "rescale/scale.h"

/* Times of group g's kernels [ns], written where w->group_index puts them. */
void rescale_group(const habitat_workload *w, size_t g, const scale_group *after,
                   const rescale_answer *answer, double *ns);

/* The same where the group changes its number format. */
void rescale_format(const habitat_workload *w, size_t g, const scale_group *after,
                    const rescale_answer *answer, double *ns);

/* Times [ns] of operations that were not recorded: of the models where they know the class, else of
 * their bytes. added, ns: shape (count). HABITAT_E_MEMORY. */
habitat_status rescale_added(const habitat_models *models, const habitat_gpu *gpu, size_t count,
                             const scale_added *added, double *ns, habitat_error *err);

/* Whether the longest kernel of group g leaves multiprocessors idle at one of both batch sizes and
 * has more blocks at the larger one: what it takes is known in part. */
bool rescale_leaves_idle(const habitat_workload *w, size_t g, const scale_group *after,
                         const rescale_answer *answer);

#endif
