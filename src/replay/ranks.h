/* The recorded ranks of one training step, replayed together: a message begins when the last rank
 * comes to it. docs/iteration.md#recorded-ranks. */
#ifndef HABITAT_REPLAY_RANKS_H
#define HABITAT_REPLAY_RANKS_H

#include "replay/graph.h"

typedef struct replay_ranks {
    size_t count;
    const habitat_workload *const *workloads; /* shape (count), borrowed */
    replay_graph *alone;                      /* shape (count): each rank's own */
    size_t *first_kernel; /* shape (count + 1): where a rank's kernels begin among all */
    habitat_replay joint; /* of all: graph, times and what it was calibrated with; its workload is
                             that of the first rank */
} replay_ranks;

/* workloads: shape (count), in the order of the ranks, each of workload_create_rank(); borrowed,
 * and the array too. HABITAT_E_UNSUPPORTED (messages in another order on some rank; no CPU side);
 * HABITAT_E_MEMORY. Free in every case. */
habitat_status replay_ranks_create(const habitat_workload *const *workloads, size_t count,
                                   const habitat_replay_options *options, replay_ranks *out,
                                   habitat_error *err);
void replay_ranks_free(replay_ranks *ranks);

/* Put the iteration of all ranks into the prediction of the first. predictions: shape (count), on
 * one GPU, each rank's own. gpu_count: GPUs; 0: as many as were recorded. Other numbers send other
 * messages, and wait as the recorded ranks do. HABITAT_E_UNSUPPORTED: messages that another number
 * of GPUs would share otherwise, or that do not say what they send; HABITAT_E_NO_SPEC: no link of
 * the GPU is known; HABITAT_E_MEMORY. */
habitat_status replay_ranks_apply(const replay_ranks *ranks, habitat_prediction *const *predictions,
                                  uint32_t gpu_count, habitat_error *err);

#endif
