/* The CPU's side by the recorder's clock. */
#ifndef HABITAT_REPLAY_CLOCK_H
#define HABITAT_REPLAY_CLOCK_H

#include "replay/graph.h"

/* The factor on the recorded CPU times with which an iteration that begins on an idle GPU is at its
 * end when the recording says that the CPU was: habitat_trace_info::cpu_ms. NaN: none is noted, or
 * it says little of the CPU. HABITAT_E_MEMORY. */
habitat_status replay_clock_factor(const habitat_replay *r, double *out, habitat_error *err);

#endif
