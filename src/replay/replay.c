/* A replay: its graph, and running it with other kernel times. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "replay/untimed.h"
#include "workload/workload.h"

static bool is_fine(double option) {
    return option >= 0.0 && option <= 1e9; /* NaN is not */
}

bool replay_knows_origin(const habitat_replay *r) {
    const habitat_replay_options *o = &r->options;
    return r->workload->info.iteration_recorded && !o->withhold && !(o->cpu_ms > 0.0) &&
           (!r->graph.has_cpu ||
            ((!(o->cpu_scale > 0.0) || o->cpu_scale == 1.0) && !(o->cpu_scale_doubt > 1.0)));
}

static habitat_status make(habitat_replay *r, habitat_error *err) {
    size_t count = 0;
    if (workload_is_untimed(r->workload))
        return replay_make_untimed(r, err);
    const habitat_workload_kernel *kernels = habitat_workload_kernels(r->workload, &count);
    r->recorded_ns = malloc((count + 1) * sizeof *r->recorded_ns);
    if (!r->recorded_ns)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++)
        r->recorded_ns[i] = kernels[i].facts.time_ns;
    r->iterations = (double)habitat_workload_get_info(r->workload)->iteration_count;
    habitat_status status = replay_build(r->workload, &r->graph, &r->info, err);
    if (status == HABITAT_OK)
        status = replay_calibrate(r, err);
    if (status == HABITAT_OK)
        status = replay_iteration_ms(r, NULL, 1.0, 1.0, &r->info.iteration_ms, err);
    if (status == HABITAT_OK && replay_knows_origin(r))
        r->info.iteration_ms = r->workload->info.iteration_ms; /* to the bit */
    free(r->recorded_ns);
    free(r->others_ns);
    r->recorded_ns = r->others_ns = NULL;
    return status;
}

double replay_kernel_recorded_ns(const habitat_replay *r, size_t kernel) {
    return r->recorded_ns ? r->recorded_ns[kernel] : r->workload->kernels[kernel].facts.time_ns;
}

habitat_status habitat_replay_create(const habitat_workload *workload,
                                     const habitat_replay_options *options, habitat_replay **out,
                                     habitat_error *err) {
    if (!workload || !workload->trace || workload_is_scaled(workload) || !out)
        return habitat_fail(err, HABITAT_E_ARG,
                            "a replay needs a recorded iteration; --assemble sum needs none");
    if (options && (!is_fine(options->cpu_scale) || !is_fine(options->cpu_ms)))
        return habitat_fail(err, HABITAT_E_ARG,
                            "times of the CPU must be positive numbers up to 1e9");
    double doubt = options ? options->cpu_scale_doubt : 0.0;
    if (doubt != 0.0 && !(doubt >= 1.0 && doubt <= 1e6))
        return habitat_fail(err, HABITAT_E_ARG, "cpu_scale_doubt is a factor from 1 on");
    habitat_replay *made = calloc(1, sizeof *made);
    if (!made)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    made->workload = workload;
    if (options)
        made->options = *options;
    habitat_status status = make(made, err);
    if (status == HABITAT_OK)
        *out = made;
    else
        habitat_replay_free(made);
    return status;
}

void habitat_replay_free(habitat_replay *r) {
    if (!r)
        return;
    replay_graph_free(&r->graph);
    free(r->recorded_ns);
    free(r->others_ns);
    free(r);
}

const habitat_replay_info *habitat_replay_get_info(const habitat_replay *r) {
    return &r->info;
}

/* ---- running ---- */

replay_times replay_times_of(const habitat_replay *r, const double *kernel_ns) {
    return (replay_times){.kernel_ns = kernel_ns ? kernel_ns : r->recorded_ns,
                          .kernel_scale = r->info.kernel_scale,
                          .cpu_scale = r->cpu_factor,
                          .gap_scale = r->info.gap_scale,
                          .own = r->workload->kernels,
                          .waits_gone = r->waits_gone,
                          .data_more = r->data_more};
}

/* Where the scaler's wait makes the iteration longer, its way decides. */
static habitat_status with_scaler(const habitat_replay *r, const replay_times *t, double *ns,
                                  replay_path *path, habitat_error *err) {
    double waiting_ns = 0.0;
    replay_path waiting;
    habitat_status status = replay_scaler_ns(r, t, &waiting_ns, &waiting, err);
    if (status == HABITAT_OK && waiting_ns > *ns) {
        *ns = waiting_ns;
        *path = waiting;
    }
    return status;
}

habitat_status replay_iteration_ms(const habitat_replay *r, const double *kernel_ns,
                                   double kernel_scale, double cpu_scale, double *out_ms,
                                   habitat_error *err) {
    replay_times t = replay_times_of(r, kernel_ns);
    replay_path path;
    double ns = 0.0;
    t.kernel_scale *= kernel_scale;
    t.cpu_scale *= cpu_scale;
    habitat_status status = replay_period(&r->graph, &t, &ns, err);
    if (status == HABITAT_OK && r->scaler_waits)
        status = with_scaler(r, &t, &ns, &path, err);
    if (status == HABITAT_OK)
        *out_ms = fmax(ns / r->iterations / HABITAT_NS_PER_MS, r->held_ms * cpu_scale);
    return status;
}

habitat_status replay_gpu_ms(const habitat_replay *r, const double *kernel_ns, double kernel_scale,
                             double *out_ms, habitat_error *err) {
    replay_times t = replay_times_of(r, kernel_ns);
    double ns = 0.0;
    t.kernel_scale *= kernel_scale;
    t.cpu_scale = 0.0;
    t.waits_gone = 1.0;
    habitat_status status = replay_period(&r->graph, &t, &ns, err);
    if (status == HABITAT_OK)
        *out_ms = ns / r->iterations / HABITAT_NS_PER_MS;
    return status;
}

habitat_status replay_busy_ms(const habitat_replay *r, const double *kernel_ns, size_t from,
                              size_t to, double *out_ms, habitat_error *err) {
    replay_times t = replay_times_of(r, kernel_ns);
    double period_ns = 0.0, carry[REPLAY_ALL_STATES], ns = 0.0;
    size_t critical = 0;
    habitat_status status = replay_steady(&r->graph, &t, &period_ns, &critical, carry, err);
    if (status == HABITAT_OK)
        status = replay_busy(&r->graph, &t, period_ns, carry, from, to, &ns, err);
    if (status == HABITAT_OK)
        *out_ms = ns / r->iterations / HABITAT_NS_PER_MS;
    return status;
}

/* The way that decides is described by its shares: it need not be one iteration long. */
static void set_path(const replay_path *path, habitat_replay_result *out) {
    double sum = path->cpu_ns + path->kernel_ns + path->gap_ns;
    double per = sum > 0.0 ? out->iteration_ms / sum : 0.0;
    out->path_cpu_ms = path->cpu_ns * per;
    out->path_kernel_ms = path->kernel_ns * per;
    out->path_gap_ms = path->gap_ns * per;
}

static void set_bound(const habitat_replay *r, habitat_replay_result *out) {
    out->cpu_ms = r->info.cpu_ms;
    out->margin = NAN;
    out->bound_by = HABITAT_BY_UNKNOWN;
    if (isnan(out->cpu_ms) || !(out->gpu_ms > 0.0) || !(out->cpu_ms > 0.0))
        return;
    bool cpu = out->cpu_ms > out->gpu_ms;
    out->bound_by = cpu ? HABITAT_BY_CPU : HABITAT_BY_GPU;
    out->margin = (cpu ? out->cpu_ms / out->gpu_ms : out->gpu_ms / out->cpu_ms) - 1.0;
}

static habitat_status check_times(const habitat_replay *r, const double *kernel_ns,
                                  habitat_error *err) {
    if (!kernel_ns && workload_is_untimed(r->workload))
        return habitat_fail(err, HABITAT_E_ARG, "recorded without a GPU: no kernel has a time");
    for (size_t i = 0; kernel_ns && i < r->graph.kernel_count; i++)
        if (!(kernel_ns[i] >= 0.0 && kernel_ns[i] <= 1e18))
            return habitat_fail(err, HABITAT_E_ARG, "the time of kernel %zu is no time", i);
    return HABITAT_OK;
}

habitat_status habitat_replay_run(const habitat_replay *r, const double *kernel_ns,
                                  habitat_replay_result *out, habitat_error *err) {
    if (!r || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no replay given, or no place for its result");
    habitat_status status = check_times(r, kernel_ns, err);
    habitat_replay_result made = {0};
    replay_times t = replay_times_of(r, kernel_ns);
    replay_path path = {0};
    double ns = 0.0, busy_ns = 0.0, carry[REPLAY_ALL_STATES];
    size_t critical = 0, count = r->graph.kernel_count;
    if (status == HABITAT_OK)
        status = replay_steady(&r->graph, &t, &ns, &critical, carry, err);
    if (status == HABITAT_OK)
        status = replay_follow(&r->graph, &t, critical, &path, err);
    if (status == HABITAT_OK)
        status = replay_busy(&r->graph, &t, ns, carry, 0, count, &busy_ns, err);
    if (status == HABITAT_OK)
        status = replay_gpu_ms(r, kernel_ns, 1.0, &made.gpu_ms, err);
    if (status == HABITAT_OK && r->scaler_waits)
        status = with_scaler(r, &t, &ns, &path, err);
    if (status != HABITAT_OK)
        return status;
    made.iteration_ms = ns / r->iterations / HABITAT_NS_PER_MS;
    made.busy_ms = busy_ns / r->iterations / HABITAT_NS_PER_MS;
    set_path(&path, &made);
    made.path_gap_ms += fmax(0.0, r->held_ms - made.iteration_ms);
    made.iteration_ms = fmax(made.iteration_ms, r->held_ms);
    made.idle_ms = made.iteration_ms - made.busy_ms;
    set_bound(r, &made);
    *out = made;
    return HABITAT_OK;
}
