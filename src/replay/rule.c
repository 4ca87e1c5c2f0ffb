/* How long the CPU's side takes without a profiler; see rule.h and docs/iteration.md#cpu-rule.
 *
 * The profiler adds to every operation and call, and the hooks that name modules add between them.
 * A sum of what it saw is therefore no measure. The median time between neighbouring points does
 * not see the few that the host held up; the number of calls brings what the profiler does not
 * stretch; the time inside operations leaves the hooks out. */
#include "replay/rule.h"

#include <math.h>

#include "replay/moments.h"
#include "workload/workload.h"

const double replay_rule_weights[REPLAY_FEATURES] = {0.4025, 6673.0, 0.2541};

habitat_status replay_features(const habitat_workload *w, double out[REPLAY_FEATURES],
                               habitat_error *err) {
    replay_moments m;
    double iterations = (double)w->info.iteration_count;
    habitat_status status = replay_moments_of(w->trace, &m, err);
    if (status != HABITAT_OK)
        return status;
    out[0] = m.any_operation ? m.usual_ns * (double)m.point_count / iterations : NAN;
    out[1] = m.any_operation ? (double)m.call_count / iterations : NAN;
    out[2] = m.any_operation ? m.inside_ns / iterations : NAN;
    return HABITAT_OK;
}
