/* What weights in parts, one a GPU, change of the recorded kernels. */
#ifndef HABITAT_REPLAY_SHARDED_KERNELS_H
#define HABITAT_REPLAY_SHARDED_KERNELS_H

#include "replay/buckets.h"

/* Sets the time of kernels that parts change [ns]: casts of weights and of their gradients, which
 * are gathered and summed in that format instead, to 0; what follows the gradients (clipping, the
 * optimiser) to that of a part, each at least `floor_ns`, but for matrix products and
 * decompositions. ns: shape (kernels), in place. False without memory. */
bool replay_part_times(const habitat_workload *w, const replay_gradients *g, uint32_t gpus,
                       double floor_ns, double *ns);

#endif
