/* What several GPUs add to an iteration: kernels that no recording of one of them has. */
#ifndef HABITAT_REPLAY_ADDED_H
#define HABITAT_REPLAY_ADDED_H

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

void replay_parallel_free(replay_parallel *p);

#endif
