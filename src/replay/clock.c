/* The CPU's side by the recorder's clock: docs/iteration.md#calibration.
 *
 * Where the GPU binds a step, how long it takes says only that the CPU was not slower. So the
 * recorder lets some iterations begin on an idle GPU, and reads the host's clock when the CPU is at
 * their end: then all is launched, and nothing that the CPU did not wait for is in the time. What
 * it did wait for (`.item()`, the scaler of fp16) is in the graph, too, so the graph is run from an
 * idle GPU until its end on the CPU comes when the clock says.
 *
 * Not told: a GPU's queue holds about 1,000 launches. Where more would be under way, launches wait
 * for room, and the clock is the GPU's. */
#include "replay/clock.h"

#include <math.h>
#include <stdlib.h>

#include "base/constants.h"
#include "base/error.h"
#include "workload/workload.h"

enum { HALVINGS = 40 };

/* When the CPU is at the end of the recorded iterations, the first of which finds an idle GPU. */
static double end_ns(const habitat_replay *r, double cpu_scale, double *value) {
    replay_times times = {.kernel_ns = r->recorded_ns,
                          .kernel_scale = 1.0,
                          .cpu_scale = cpu_scale,
                          .gap_scale = 1.0};
    replay_from_idle(&r->graph, &times, value);
    return value[r->graph.node_count - 1];
}

/* Kernels follow each other evenly: so many are still to be done when all are launched. */
static bool finds_room(const habitat_replay *r, double cpu_ms) {
    double launches = (double)r->graph.kernel_count / r->iterations;
    double done = fmin(1.0, cpu_ms / r->workload->info.iteration_ms);
    return launches * (1.0 - done) <= hardware_replay_queue_room;
}

/* NaN: no factor within reason. */
static double solve(const habitat_replay *r, double wanted_ns, double *value) {
    double low = 0.0, high = chosen_replay_cpu_factor_most;
    if (end_ns(r, low, value) >= wanted_ns || end_ns(r, high, value) < wanted_ns)
        return NAN;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        *(end_ns(r, middle, value) >= wanted_ns ? &high : &low) = middle;
    }
    return high;
}

/* How much of the time goes with the CPU's: 1 where it waits for nothing. */
static double share_of_cpu(const habitat_replay *r, double factor, double wanted_ns,
                           double *value) {
    static const double part = 0.1;
    return (wanted_ns - end_ns(r, (1.0 - part) * factor, value)) / (part * wanted_ns);
}

habitat_status replay_clock_factor(const habitat_replay *r, double *out, habitat_error *err) {
    double cpu_ms = habitat_trace_get_info(r->workload->trace)->cpu_ms;
    bool one = r->graph.kernel_count == r->workload->kernel_count; /* not several ranks */
    *out = NAN;
    if (!(cpu_ms > 0.0) || !one || r->graph.has_waits || !finds_room(r, cpu_ms))
        return HABITAT_OK;
    double *value = malloc((r->graph.node_count + 1) * sizeof *value);
    if (!value)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    double wanted_ns = cpu_ms * HABITAT_NS_PER_MS * r->iterations;
    double factor = solve(r, wanted_ns, value);
    if (share_of_cpu(r, factor, wanted_ns, value) >= chosen_replay_clock_share)
        *out = factor;
    free(value);
    return HABITAT_OK;
}
