/* The longest ways from each state of an iteration to each of the next one, all in one sweep. */
#ifndef HABITAT_REPLAY_STATE_SWEEP_H
#define HABITAT_REPLAY_STATE_SWEEP_H

#include "replay/graph.h"

typedef double replay_ways[REPLAY_ALL_STATES][REPLAY_ALL_STATES];

/* way[i][j]: from state i to state j of the next iteration [ns], to the bit what replay_sweep()
 * says that begins with state i alone; -INFINITY: there is none. False when out of memory. */
bool replay_find_ways(const replay_graph *graph, const replay_times *times, replay_ways way);

/* Once a graph has all its edges and states: where the sweep keeps each node's times. False when
 * out of memory. */
bool replay_set_slots(replay_graph *graph);

#endif
