/* See lengths.h. */
#include "replay/lengths.h"

#include <math.h>

/* An endless fast GPU; nothing is known without a CPU side. */
static habitat_status cpu_side(const habitat_replay *r, const double *kernel_ns, double *out_ms,
                               habitat_error *err) {
    replay_times t = replay_times_of(r, kernel_ns);
    double ns = 0.0;
    t.without_gpu = true;
    *out_ms = NAN;
    if (isnan(r->info.cpu_ms))
        return HABITAT_OK;
    habitat_status status = replay_period(&r->graph, &t, &ns, err);
    *out_ms = ns / r->iterations / HABITAT_NS_PER_MS;
    return status;
}

habitat_status replay_measure(const habitat_replay *r, const double *kernel_ns,
                              const double *silent_ns, double low, double high, replay_lengths *out,
                              habitat_error *err) {
    habitat_status status = replay_iteration_ms(r, kernel_ns, 1.0, 1.0, &out->ms, err);
    if (status == HABITAT_OK)
        status = replay_iteration_ms(r, kernel_ns, low, r->info.cpu_low, &out->low_ms, err);
    if (status == HABITAT_OK)
        status = replay_iteration_ms(r, kernel_ns, high, r->info.cpu_high, &out->high_ms, err);
    if (status == HABITAT_OK)
        status = replay_iteration_ms(r, silent_ns, 1.0, 1.0, &out->silent_ms, err);
    if (status == HABITAT_OK)
        status = replay_gpu_ms(r, kernel_ns, &out->gpu_ms, err);
    return status == HABITAT_OK ? cpu_side(r, kernel_ns, &out->cpu_ms, err) : status;
}
