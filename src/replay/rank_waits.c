/* See rank_waits.h. A profiler holds up one rank more than another, so a rank that was recorded
 * alone shows waiting that the step without the profiler hardly has. Its kernels did not run
 * quicker then, and its CPU was not quicker: it waited less. Where that is much, nothing says that
 * it waited at all, if the CPU and pauses may take the recorded time as well. */
#include "replay/rank_waits.h"

#include <math.h>
#include <stdlib.h>

#include "base/constants_replay.h"
#include "base/bisect.h"
#include "base/error.h"
#include "workload/workload.h"

enum { HALVINGS = 24 };

/* Of a collective's time, what it waited beside other work, which is in no replay, is hidden. */
static habitat_status note_exposed(habitat_replay *r, habitat_error *err) {
    size_t count = r->workload->kernel_count;
    if (r->others_ns)
        return HABITAT_OK;
    r->others_ns = malloc((count + 1) * sizeof *r->others_ns);
    if (!r->others_ns)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++)
        r->others_ns[i] =
            fmax(0.0, (double)r->workload->kernels[i].waiting_ns - r->graph.hidden_ns[i]);
    return HABITAT_OK;
}

/* Leaves out a share of it. */
static void leave_out(habitat_replay *r, double share) {
    for (size_t i = 0; i < r->workload->kernel_count; i++)
        r->graph.hidden_ns[i] += (share - r->others_gone) * r->others_ns[i];
    r->others_gone = share;
}

static habitat_status too_long(habitat_replay *r, const replay_times *times, double wanted_ns,
                               bool *out, habitat_error *err) {
    double ns = 0.0;
    habitat_status status = replay_period(&r->graph, times, &ns, err);
    *out = ns > wanted_ns;
    return status;
}

habitat_status replay_wait_less(habitat_replay *r, const replay_times *times, double wanted_ns,
                                bool all, habitat_error *err) {
    bisection b = {0.0, 1.0, HALVINGS}; /* too long, and not, or all that there is */
    double middle;
    bool longer = false, much = false;
    if (!r->graph.hidden_ns)
        return HABITAT_OK;
    habitat_status status = note_exposed(r, err);
    if (status != HABITAT_OK)
        return status;
    leave_out(r, 0.0);
    status = too_long(r, times, wanted_ns, &longer, err);
    if (status != HABITAT_OK || !longer)
        return status;
    if (all)
        status = too_long(r, times, wanted_ns * chosen_replay_others_most, &much, err);
    while (status == HABITAT_OK && !much && bisect_next(&b, &middle)) {
        leave_out(r, middle);
        status = too_long(r, times, wanted_ns, &longer, err);
        bisect_take(&b, middle, longer);
    }
    leave_out(r, b.high);
    return status;
}
