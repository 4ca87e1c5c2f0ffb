/* Putting what several GPUs add into the graph of one: what data parallelism with whole weights
 * (parallel.c) and with weights in parts (sharded.c) have in common. */
#ifndef HABITAT_REPLAY_SHARING_H
#define HABITAT_REPLAY_SHARING_H

#include "replay/added.h"
#include "replay/buckets.h"
#include "replay/splice.h"

typedef struct sharing {
    const habitat_replay *r;
    const double *kernel_ns; /* of one GPU's kernels */
    const habitat_gpu *gpu;
    uint32_t count;
    splice s;
    replay_gradients g;
    uint32_t *kernel_node; /* shape (kernels): or HABITAT_NONE */
    uint32_t *launch_node; /* shape (kernels): where the CPU launches each, or HABITAT_NONE */
    double *before_ns;     /* shape (kernels): of the kernels launched before, their times */
    double *slowed_ns;     /* shape (new nodes): part of a node's time that is others' slow-down */
    size_t slowed_count;
    size_t *added_to; /* shape (steps of the gradients): new nodes with those of that step */
    double message_ns, sent_bytes;
} sharing;

/* With the gradients found: the places of kernels and their launches. False when out of memory. */
bool sharing_begin(sharing *x);
void sharing_free(sharing *x);

/* Bytes read and written once on the GPU. */
double sharing_copy_ns(const sharing *x, double bytes);

/* The CPU works so many usual steps and more_ns longer behind the launch of kernel `k`, and the new
 * node waits for that launch. Each returns false, or HABITAT_NONE, when out of memory. */
bool sharing_launch(sharing *x, uint32_t k, uint32_t node, double steps, double more_ns);

/* A message of such a kind on NCCL's stream, and what copies it there and away [ns]. */
uint32_t sharing_message(sharing *x, uint32_t at, bool before, habitat_collective kind,
                         replay_added what, double copies_ns);

/* A copy on the stream of `kernel`, before it or behind it. */
uint32_t sharing_copy(sharing *x, uint32_t kernel, bool before, replay_added copy, double ns);

/* So much of the last new node is the slow-down of others. */
bool sharing_note_slowed(sharing *x, double ns);

/* What kernels lose that run `shared_ns` beside messages. */
double sharing_slowed_ns(const sharing *x, double shared_ns);

/* The longer graph. kernel_ns: shape (kernels), of the recorded ones. HABITAT_E_MEMORY. */
habitat_status sharing_finish(const sharing *x, const double *kernel_ns, replay_parallel *out,
                              habitat_error *err);

/* Whether a link between GPUs is known; HABITAT_E_NO_SPEC. */
habitat_status sharing_check_link(const habitat_gpu *gpu, habitat_error *err);

#endif
