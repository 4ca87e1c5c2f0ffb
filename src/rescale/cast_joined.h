/* Tensors that are joined, under autocast: `cat` and `stack` have theirs in a list. */
#ifndef HABITAT_RESCALE_CAST_JOINED_H
#define HABITAT_RESCALE_CAST_JOINED_H

#include "rescale/caster.h"

/* The list that an operation joins, or NULL: only what it moves is known of it. */
const habitat_input *cast_joined(const habitat_workload_group *group);

void cast_join_forward(caster *c, const habitat_workload_group *group, const habitat_input *list,
                       scale_group *out);

/* Gradients of the parts of a tensor: a cut has no kernel, and the format of what was made before
 * it. */
void cast_join_backward(const caster *c, const habitat_workload_group *group, uint32_t forward_op,
                        scale_group *out);

#endif
