/* See apply_untimed.h. */
#include "replay/apply_untimed.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "predict/untimed.h"
#include "replay/untimed.h"

static bool waits(const habitat_replay *r) {
    for (size_t i = 0; i < r->graph.node_count; i++)
        if (r->graph.nodes[i].kind == REPLAY_WAKE)
            return true;
    return false;
}

/* Each end is at least the one that does not know of waits. */
static habitat_status wait_for_gpu(const habitat_replay *r, const double *ns, double low,
                                   double high, habitat_prediction *p, habitat_error *err) {
    habitat_replay_result result = {0};
    double low_ms = 0.0, high_ms = 0.0;
    habitat_status status = habitat_replay_run(r, ns, &result, err);
    if (status == HABITAT_OK)
        status = replay_iteration_ms(r, ns, low, r->info.cpu_low, &low_ms, err);
    if (status == HABITAT_OK)
        status = replay_iteration_ms(r, ns, high, r->info.cpu_high, &high_ms, err);
    if (status != HABITAT_OK)
        return status;
    double before_ms = p->iteration_ms;
    p->iteration_ms = fmax(p->iteration_ms, result.iteration_ms);
    p->low_ms = fmax(p->low_ms, low_ms);
    p->high_ms = fmax(p->high_ms, high_ms);
    p->idle_ms = p->iteration_ms - p->busy_ms;
    p->samples_per_s *= before_ms / p->iteration_ms;
    p->path_cpu_ms = result.path_cpu_ms;
    p->path_kernel_ms = result.path_kernel_ms;
    p->path_gap_ms = fmax(0.0, p->iteration_ms - p->path_cpu_ms - p->path_kernel_ms);
    return HABITAT_OK;
}

habitat_status replay_apply_untimed(const habitat_replay *r, habitat_prediction *p,
                                    habitat_error *err) {
    double low = p->busy_ms > 0.0 ? p->low_ms / p->busy_ms : 1.0;
    double high = p->busy_ms > 0.0 ? p->high_ms / p->busy_ms : 1.0;
    habitat_replay beside = replay_beside(r, p);
    untimed_assemble(r->workload, beside.info.cpu_ms, r->info.cpu_high, p);
    if (!waits(r))
        return HABITAT_OK;
    double *ns = calloc(p->trace_kernel_count + 1, sizeof *ns);
    if (!ns)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    replay_set_times(r, p, ns);
    habitat_status status = wait_for_gpu(&beside, ns, low, high, p, err);
    free(ns);
    return status;
}
