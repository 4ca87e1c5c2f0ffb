/* An iteration whose gradients are shared with other GPUs: what DistributedDataParallel adds to it,
 * put into a longer graph. docs/iteration.md#several-gpus. */
#ifndef HABITAT_REPLAY_PARALLEL_H
#define HABITAT_REPLAY_PARALLEL_H

#include "replay/added.h"

/* kernel_ns: shape (kernels of the workload), on `gpu`. count: GPUs, 2 or more. Free `out` in every
 * case. */
habitat_status replay_share(const habitat_replay *r, const double *kernel_ns,
                            const habitat_gpu *gpu, uint32_t count, replay_parallel *out,
                            habitat_error *err);

#endif
