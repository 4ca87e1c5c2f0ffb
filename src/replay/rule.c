/* How long the CPU's side takes without a profiler; see rule.h and docs/iteration.md#calibration.
 *
 * The profiler adds to every operation and call, and the hooks that name modules add between them.
 * A sum of what it saw is therefore no measure. The median time between neighbouring points does
 * not see the few that the host held up; the numbers of calls and of outermost operations, which
 * is how often the program asked for something, bring what the profiler does not stretch. */
#include "replay/rule.h"

#include <math.h>

#include "base/constants_scaling.h"
#include "replay/cpu_points.h"
#include "workload/workload.h"

const double replay_rule_weights[REPLAY_FEATURES] = {0.4019, 5948.0, 6785.0};

/* The host is as quick with them as with others: a cast is so many steps, shorter than the usual
 * one as they are inside each other, and the launch of a kernel; a call begins and ends. */
static replay_more more_at(double step) {
    return (replay_more){.cast = {step * fitted_cast_step_share * hardware_cast_points, 1.0,
                                  hardware_cast_outermost},
                         .call = {step * 2.0, 1.0, 0.0},
                         .usual_ns = step};
}

/* Launches that the CPU made although no call of them is recorded. */
static size_t unseen_launches(const habitat_workload *w) {
    size_t count = 0;
    for (size_t i = 0; i < w->kernel_count; i++) {
        const habitat_kernel *k = w->kernels[i].kernel;
        count += k->call == HABITAT_NONE && !k->in_graph;
    }
    return count;
}

habitat_status replay_features(const habitat_workload *w, double out[REPLAY_FEATURES],
                               replay_more *more, habitat_error *err) {
    replay_cpu_points m;
    double iterations = (double)w->info.iteration_count;
    habitat_status status = replay_cpu_points_of(w->trace, &m, err);
    if (status != HABITAT_OK)
        return status;
    double launches = (double)unseen_launches(w);
    double points = (double)m.point_count + 2.0 * launches; /* each begins and ends */
    out[0] = m.any_operation ? m.usual_ns * points / iterations : NAN;
    out[1] = m.any_operation ? ((double)m.call_count + launches) / iterations : NAN;
    out[2] = m.any_operation ? (double)m.outermost_count / iterations : NAN;
    if (more)
        *more = more_at(m.any_operation ? m.usual_ns : NAN);
    return HABITAT_OK;
}
