/* Iterations that were recorded without a GPU. */
#ifndef HABITAT_REPLAY_UNTIMED_H
#define HABITAT_REPLAY_UNTIMED_H

#include "replay/graph.h"

/* Graph and facts of a replay whose workload nobody timed: where an operation begins stands right
 * before its kernel. HABITAT_E_RANGE, HABITAT_E_MEMORY. */
habitat_status replay_make_untimed(habitat_replay *r, habitat_error *err);

/* The replay beside the GPU of a prediction: of one without a GPU that says how often some
 * operations call CUDA; another one is as it is. Borrows what `r` holds; not to be freed. */
habitat_replay replay_beside(const habitat_replay *r, const habitat_prediction *p);

#endif
