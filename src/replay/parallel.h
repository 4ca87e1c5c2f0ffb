/* An iteration whose gradients are shared with other GPUs: what DistributedDataParallel adds to it,
 * put into a longer graph. docs/iteration.md#several-gpus. */
#ifndef HABITAT_REPLAY_PARALLEL_H
#define HABITAT_REPLAY_PARALLEL_H

#include "replay/graph.h"

enum { REPLAY_ADDED_STREAM = REPLAY_STREAMS_MAX }; /* place of messages: NCCL's own stream */

typedef enum replay_added_kind {
    REPLAY_ADDED_FILL = 0,  /* a gradient is copied into its bucket */
    REPLAY_ADDED_SUM,       /* a bucket is summed over all GPUs */
    REPLAY_ADDED_RETURN,    /* a bucket's gradients are copied back */
    REPLAY_ADDED_GATHER,    /* buffers of batch norms are gathered, */
    REPLAY_ADDED_BROADCAST, /* sent from the first GPU, */
    REPLAY_ADDED_SCATTER,   /* and copied back */
    REPLAY_ADDED_COLLECT,   /* a layer's weights are gathered from their parts, */
    REPLAY_ADDED_UNPACK,    /* and copied to where the layer reads them */
    REPLAY_ADDED_PACK,      /* a layer's gradients are copied together, */
    REPLAY_ADDED_REDUCE,    /* summed, each GPU getting its part, */
    REPLAY_ADDED_KEEP,      /* and kept in the weights' format */
} replay_added_kind;

/* A kernel that the recording does not have. */
typedef struct replay_added {
    replay_added_kind kind;
    double bytes; /* copied or sent */
    uint32_t iteration;
} replay_added;

typedef struct replay_parallel {
    replay_graph graph;
    double *kernel_ns;   /* shape (graph.kernel_count): recorded kernels first */
    double *silent_ns;   /* the same, if messages took no time and slowed nothing */
    replay_added *added; /* shape (kernels that were not recorded) */
    double message_ns;   /* of all messages, of all iterations */
    double sent_bytes;   /* of all gradients, of all iterations */
} replay_parallel;

/* kernel_ns: shape (kernels of the workload), on `gpu`. count: GPUs, 2 or more. Free `out` in every
 * case. */
habitat_status replay_share(const habitat_replay *r, const double *kernel_ns,
                            const habitat_gpu *gpu, uint32_t count, replay_parallel *out,
                            habitat_error *err);
void replay_parallel_free(replay_parallel *p);

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
