/* An iteration whose weights, gradients and states are in parts, one a GPU: what fully_shard adds
 * to it, put into a longer graph. docs/iteration.md#weights-in-parts. */
#ifndef HABITAT_REPLAY_SHARDED_H
#define HABITAT_REPLAY_SHARDED_H

#include "replay/added.h"

/* What parts do to the memory of each GPU [byte]. */
typedef struct replay_parted {
    size_t layers;         /* gathered one by one, without what is around them */
    double part;           /* of everything that is kept: 1 / GPUs */
    double kept_bytes;     /* weights, in their own format, whole */
    double cast_bytes;     /* 16-bit copies of them that autocast made: not of gathered ones */
    double gathered_bytes; /* whole at once */
} replay_parted;

/* The same as replay_share() with weights, gradients and states in parts: sharded.c. */
habitat_status replay_part(const habitat_replay *r, const double *kernel_ns, const habitat_gpu *gpu,
                           uint32_t count, replay_parallel *out, replay_parted *told,
                           habitat_error *err);

#endif
