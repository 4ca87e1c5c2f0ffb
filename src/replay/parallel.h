/* An iteration whose gradients are shared with other GPUs: what DistributedDataParallel adds to it,
 * put into a longer graph. docs/iteration.md#several-gpus. */
#ifndef HABITAT_REPLAY_PARALLEL_H
#define HABITAT_REPLAY_PARALLEL_H

#include "replay/graph.h"

typedef struct replay_parallel {
    replay_graph graph;
    double *kernel_ns; /* shape (graph.kernel_count): recorded kernels first */
    double *silent_ns; /* the same, if messages took no time and slowed nothing */
    double message_ns; /* of all messages, of all iterations */
    double sent_bytes; /* of all gradients, of all iterations */
} replay_parallel;

/* kernel_ns: shape (kernels of the workload), on `gpu`. count: GPUs, 2 or more. Free `out` in every
 * case. */
habitat_status replay_share(const habitat_replay *r, const double *kernel_ns,
                            const habitat_gpu *gpu, uint32_t count, replay_parallel *out,
                            habitat_error *err);
void replay_parallel_free(replay_parallel *p);

#endif
