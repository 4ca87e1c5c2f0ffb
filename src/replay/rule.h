/* How long the CPU's side takes without a profiler, told from a profiled recording alone. */
#ifndef HABITAT_REPLAY_RULE_H
#define HABITAT_REPLAY_RULE_H

#include "replay/graph.h"

enum { REPLAY_FEATURES = 3 };

/* Per iteration: the usual time between two neighbouring begins and ends of operations and calls,
 * times their number [ns]; the number of calls; the time inside operations [ns]. All NaN where the
 * recording has no operations. HABITAT_E_MEMORY. */
habitat_status replay_features(const habitat_workload *w, double out[REPLAY_FEATURES],
                               habitat_error *err);

/* Their weights, fitted on data/recordings; with them the sum is the CPU's side in ns. */
extern const double replay_rule_weights[REPLAY_FEATURES];

/* 80 % of the CPU-bound steps of models that the weights were not fitted on lie within. */
extern const double replay_rule_factor;

/* What is answered, as a share of the rule. An iteration is as long as the longer of two sides: a
 * CPU's side that is too long errs for steps of both kinds, one that is too short only for one. */
extern const double replay_rule_point;

/* Where there are no operations: share of the recorded CPU time, and the factor that goes with it.
 */
extern const double replay_bare_share, replay_bare_factor;

#endif
