/* See iteration_times.h. */
#include "replay/iteration_times.h"

#include <math.h>

#include "predict/kernel_times.h"

void replay_set_times(const habitat_replay *r, const habitat_prediction *p, double *ns) {
    double recorded = 0.0, added = 0.0;
    for (size_t i = 0; i < p->trace_kernel_count; i++) {
        ns[i] = prediction_kernel_ms(p, i) * HABITAT_NS_PER_MS;
        *(i < r->graph.kernel_count ? &recorded : &added) += ns[i];
    }
    for (size_t i = 0; added > 0.0 && recorded > 0.0 && i < r->graph.kernel_count; i++)
        ns[i] *= 1.0 + added / recorded;
}

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

habitat_status replay_quick_ms(const habitat_replay *r, const double *kernel_ns, double low,
                               double *out_ms, habitat_error *err) {
    habitat_replay quick = *r;
    if (r->passing_wait)
        quick.waits_gone = 1.0;
    return replay_iteration_ms(&quick, kernel_ns, low, r->info.cpu_low, out_ms, err);
}

habitat_interval_basis replay_basis(const habitat_replay *r, bool measured,
                                    habitat_interval_basis kernels) {
    return r->held_ms > 0.0             ? HABITAT_INTERVAL_HELD
           : r->first_use               ? HABITAT_INTERVAL_FIRST_USE
           : r->passing_wait || r->thin ? HABITAT_INTERVAL_PASSING_WAIT
           : measured                   ? HABITAT_INTERVAL_CPU_SIDE
                                        : kernels;
}

habitat_status replay_measure(const habitat_replay *r, const double *kernel_ns,
                              const double *silent_ns, double low, double high,
                              replay_iteration_times *out, habitat_error *err) {
    habitat_status status = replay_iteration_ms(r, kernel_ns, 1.0, 1.0, &out->ms, err);
    if (status == HABITAT_OK)
        status = replay_quick_ms(r, kernel_ns, low, &out->low_ms, err);
    if (status == HABITAT_OK)
        status = replay_iteration_ms(r, kernel_ns, high, r->info.cpu_high, &out->high_ms, err);
    if (status == HABITAT_OK)
        status = replay_iteration_ms(r, silent_ns, 1.0, 1.0, &out->silent_ms, err);
    if (status == HABITAT_OK)
        status = replay_gpu_ms(r, kernel_ns, 1.0, &out->gpu_ms, err);
    if (status == HABITAT_OK)
        status = replay_gpu_ms(r, kernel_ns, high, &out->slow_gpu_ms, err);
    return status == HABITAT_OK ? cpu_side(r, kernel_ns, &out->cpu_ms, err) : status;
}
