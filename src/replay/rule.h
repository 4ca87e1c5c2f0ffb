/* How long the CPU's side takes without a profiler, told from a profiled recording alone. */
#ifndef HABITAT_REPLAY_RULE_H
#define HABITAT_REPLAY_RULE_H

#include "replay/graph.h"

enum { REPLAY_FEATURES = 3 };

/* The same numbers of one cast more, and of one call of CUDA inside an operation that is there; and
 * the usual time between two neighbouring begins and ends. */
typedef struct replay_more {
    double cast[REPLAY_FEATURES], call[REPLAY_FEATURES];
    double usual_ns;
} replay_more;

/* Per iteration: the usual time between two neighbouring begins and ends of operations and calls,
 * times their number [ns]; the number of calls; that of operations inside no other. All NaN where
 * the recording has no operations. more: may be NULL. HABITAT_E_MEMORY. */
habitat_status replay_features(const habitat_workload *w, double out[REPLAY_FEATURES],
                               replay_more *more, habitat_error *err);

/* Their weights, fitted on data/recordings; with them the sum is the CPU's side in ns. What is
 * answered is a share of the rule, with an interval: replay_point and others of
 * base/constants_replay.h. */
extern const double replay_rule_weights[REPLAY_FEATURES];

#endif
