/* The iteration of several GPUs in a prediction. */
#include <math.h>
#include <stdlib.h>

#include "base/constants_intervals.h"
#include "base/constants_parallel.h"
#include "base/error.h"
#include "replay/iteration_times.h"
#include "replay/parallel.h"
#include "replay/parallel_memory.h"
#include "replay/sharded.h"
#include "replay/untimed.h"
#include "workload/collective.h"
#include "workload/workload.h"

enum { GPUS_MOST = 65536 };

/* What messages add may be longer than predicted by `doubt` of it. */
static double slow_end(const habitat_prediction *one, const replay_iteration_times *of,
                       double more_ms, double doubt) {
    return fmax(one->high_ms, of->high_ms) + doubt * fmax(0.0, more_ms);
}

/* The same with a CPU that takes no time. A slower one hides more of the messages, and less of them
 * can be longer: but what a CPU takes makes no iteration shorter, and so no end of its interval. */
static double slow_end_of_gpus(const habitat_prediction *one, const replay_iteration_times *of,
                               double doubt) {
    return of->slow_gpu_ms + doubt * fmax(0.0, of->gpu_ms - one->gpu_ms);
}

/* `one` is the iteration of one GPU: what was measured of it stays, and the rest comes on top. */
static void set(const habitat_replay *r, const replay_parallel *p, const replay_iteration_times *of,
                uint32_t count, habitat_prediction *one) {
    double more_ms = of->ms - one->iteration_ms;
    if (!one->sharded)
        more_ms = fmax(0.0, more_ms);
    bool binds = one->bound_by != HABITAT_BY_UNKNOWN && of->cpu_ms > 0.0 && of->gpu_ms > 0.0;
    if (!one->sharded)
        one->idle_ms += fmax(0.0, of->silent_ms - one->iteration_ms);
    one->exposed_ms = fmax(0.0, of->ms - of->silent_ms);
    one->samples_per_s *= (double)count * one->iteration_ms / (one->iteration_ms + more_ms);
    double low = fmin(of->low_ms, one->iteration_ms + more_ms);
    one->low_ms = one->sharded ? low : fmax(one->low_ms, low);
    double doubt =
        collective_is_quick(one->gpu, count) ? fitted_quick_parallel_doubt : chosen_parallel_doubt;
    one->high_ms = fmax(slow_end(one, of, more_ms, doubt), slow_end_of_gpus(one, of, doubt));
    one->iteration_ms += more_ms;
    if (one->sharded) {
        one->low_ms = fmin(one->low_ms, one->iteration_ms / (1.0 + chosen_parts_doubt));
        one->high_ms = fmax(one->high_ms, one->iteration_ms * (1.0 + chosen_parts_doubt));
    }
    one->low_ms = fmin(one->low_ms, one->iteration_ms / (1.0 + fitted_iteration_least_width));
    one->high_ms = fmax(one->high_ms, one->iteration_ms * (1.0 + fitted_iteration_least_width));
    one->path_cpu_ms = one->path_kernel_ms = one->path_gap_ms = NAN; /* of one GPU */
    one->gpu_ms = of->gpu_ms;
    one->cpu_ms = of->cpu_ms;
    if (binds)
        one->bound_by = of->cpu_ms > of->gpu_ms ? HABITAT_BY_CPU : HABITAT_BY_GPU;
    one->gpu_count = count;
    one->communication_ms = p->message_ns / r->iterations / HABITAT_NS_PER_MS;
}

/* The optimiser works on a part alone: the GPU is busy for less than with the whole step. */
static habitat_status set_part_busy(const habitat_replay *shared, const double *silent_ns,
                                    size_t own, double silent_ms, habitat_prediction *one,
                                    habitat_error *err) {
    double busy_ms = 0.0;
    habitat_status status = replay_busy_ms(shared, silent_ns, 0, own, &busy_ms, err);
    if (status == HABITAT_OK) {
        one->busy_ms = fmin(busy_ms, silent_ms);
        one->idle_ms = silent_ms - one->busy_ms;
    }
    return status;
}

static habitat_status share(const habitat_replay *r, uint32_t count, double low, double high,
                            habitat_prediction *p, habitat_error *err) {
    replay_parallel made = {0};
    replay_parted told = {0};
    replay_iteration_times of = {0};
    double *ns = malloc((p->trace_kernel_count + 1) * sizeof *ns);
    if (!ns)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    replay_set_times(r, p, ns);
    habitat_status status = p->sharded ? replay_part(r, ns, p->gpu, count, &made, &told, err)
                                       : replay_share(r, ns, p->gpu, count, &made, err);
    habitat_replay shared = *r;
    shared.graph = made.graph; /* borrowed */
    if (status == HABITAT_OK)
        status = replay_measure(&shared, made.kernel_ns, made.silent_ns, low, high, &of, err);
    if (status == HABITAT_OK && p->sharded)
        status =
            set_part_busy(&shared, made.silent_ns, r->graph.kernel_count, of.silent_ms, p, err);
    if (status == HABITAT_OK) {
        set(r, &made, &of, count, p);
        parallel_set_memory(r, made.sent_bytes / r->iterations, p->sharded ? &told : NULL, p);
    }
    replay_parallel_free(&made);
    free(ns);
    return status;
}

static habitat_status apply(const habitat_replay *r, uint32_t gpu_count, bool sharded,
                            habitat_prediction *p, habitat_error *err) {
    if (!gpu_count || gpu_count > GPUS_MOST)
        return habitat_fail(err, HABITAT_E_ARG, "from 1 to %d GPUs can share an iteration",
                            GPUS_MOST);
    if (!p)
        return habitat_fail(err, HABITAT_E_ARG, "there is no prediction to apply it to");
    double low = p->busy_ms > 0.0 ? p->low_ms / p->busy_ms : 1.0;
    double high = p->busy_ms > 0.0 ? p->high_ms / p->busy_ms : 1.0;
    habitat_prediction made = *p; /* its kernels are borrowed */
    habitat_status status = habitat_replay_apply(r, &made, err);
    if (status == HABITAT_OK && gpu_count > 1) {
        habitat_replay with = workload_is_untimed(r->workload) ? replay_beside(r, &made)
                                                               : replay_with_casts(r, &made);
        with.scaler_waits = made.scaler_waits;
        made.sharded = sharded;
        status = share(&with, gpu_count, low, high, &made, err);
    }
    if (status == HABITAT_OK)
        *p = made;
    return status;
}

habitat_status habitat_replay_apply_parallel(const habitat_replay *r, uint32_t gpu_count,
                                             habitat_prediction *p, habitat_error *err) {
    return apply(r, gpu_count, false, p, err);
}

habitat_status habitat_replay_apply_sharded(const habitat_replay *r, uint32_t gpu_count,
                                            habitat_prediction *p, habitat_error *err) {
    return apply(r, gpu_count, true, p, err);
}
