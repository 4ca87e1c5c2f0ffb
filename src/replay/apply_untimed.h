/* The iteration of a recording without a GPU in a prediction. */
#ifndef HABITAT_REPLAY_APPLY_UNTIMED_H
#define HABITAT_REPLAY_APPLY_UNTIMED_H

#include "replay/graph.h"

/* Puts the iteration of one GPU into a prediction that is a sum yet: the longer of both sides, and
 * more where its CPU waits for the GPU. HABITAT_E_MEMORY. */
habitat_status replay_apply_untimed(const habitat_replay *r, habitat_prediction *p,
                                    habitat_error *err);

#endif
