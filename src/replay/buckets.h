/* The gradients of a recorded iteration, and how data parallelism would send them. */
#ifndef HABITAT_REPLAY_BUCKETS_H
#define HABITAT_REPLAY_BUCKETS_H

#include "replay/graph.h"

/* One gradient, when the backward pass is done with it. */
typedef struct replay_gradient {
    uint32_t kernel; /* of the workload: launched last before, on the main stream */
    uint32_t bucket; /* of its iteration */
    double bytes, elements;
    uint32_t operation; /* autograd's, which adds it to its parameter */
    uint32_t layer;     /* of its parameter, from 1 on; 0: of none (layers.h) */
} replay_gradient;

/* The gradients of one iteration, in the order in which they are done. */
typedef struct replay_backward {
    size_t first, count;   /* of the gradients */
    uint32_t bucket_count; /* >= 1 */
    uint32_t next;         /* kernel: launched next on the main stream; or NONE */
    uint32_t begin;        /* kernel: launched first in the iteration, there */
    size_t norms;          /* batch norms of the forward pass: each has three buffers */
} replay_backward;

typedef struct replay_gradients {
    replay_gradient *all;
    size_t count;
    replay_backward *steps;
    size_t step_count;
    uint32_t *launched; /* shape (launched_count): kernels of the main stream, as launched */
    size_t launched_count;
} replay_gradients;

/* HABITAT_E_UNSUPPORTED (and why) where the recording does not show them; HABITAT_E_MEMORY. Free
 * in every case. */
habitat_status replay_find_gradients(const habitat_workload *w, replay_gradients *out,
                                     habitat_error *err);
void replay_gradients_free(replay_gradients *g);

/* Puts gradients into buckets as PyTorch's DistributedDataParallel does: a bucket is full with the
 * gradient that brings it to its size. bytes, bucket: shape (count). Returns the number of buckets.
 */
uint32_t replay_fill_buckets(size_t count, const double *bytes, uint32_t *bucket);

#endif
