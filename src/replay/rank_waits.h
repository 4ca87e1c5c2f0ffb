/* Waiting for other ranks that the recorded iteration has no room for. */
#ifndef HABITAT_REPLAY_RANK_WAITS_H
#define HABITAT_REPLAY_RANK_WAITS_H

#include "replay/graph.h"

/* Takes off the graph what collectives waited beside no other work: as much of it as must be for
 * the replay to take no longer than `wanted_ns` (all iterations) with these times, or all where
 * that is not enough. With `all`, all of it where the replay is longer by more than
 * chosen_replay_others_most. r->others_gone: that share, 0 where there is room. May be asked again.
 * HABITAT_E_MEMORY. */
habitat_status replay_wait_less(habitat_replay *r, const replay_times *times, double wanted_ns,
                                bool all, habitat_error *err);

#endif
