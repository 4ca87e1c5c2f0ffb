/* What the operator models say of operations that do other work than was recorded, on the GPU of
 * the recording. */
#ifndef HABITAT_PREDICT_RESCALE_ASK_H
#define HABITAT_PREDICT_RESCALE_ASK_H

#include <habitat/models.h>

#include "rescale/scale.h"

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

/* Whether a group does other work than was recorded, or does it in another format. */
bool rescale_changes(const scale_group *after);

/* Whether the library runs both works of a group alike on the GPU of the recording. A recurrent
 * layer that steps at one batch size and is one kernel at another takes several times as long for
 * less work: such two are not compared. */
bool rescale_same_way(const habitat_workload *w, const habitat_workload_group *group,
                      const habitat_work *one, const habitat_work *two);

#endif
