/* The iteration of recorded ranks in a prediction. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "predict/kernel_times.h"
#include "gpu/gpu.h"
#include "predict/widen.h"
#include "replay/iteration_times.h"
#include "replay/ranks.h"
#include "workload/bound.h"
#include "workload/collective.h"
#include "workload/workload.h"

typedef struct applying {
    const replay_ranks *ranks;
    habitat_prediction *const *predictions;
    uint32_t gpus;
    double *ns;     /* shape (kernels of all ranks) */
    double *silent; /* the same, with messages that take no time */
    double message_ns;
} applying;

/* ---- times of kernels ---- */

/* What the message takes among another number of GPUs, as a factor. */
static habitat_status message_factor(const applying *a, const habitat_kernel *k, double *out,
                                     habitat_error *err) {
    const habitat_gpu *gpu = a->predictions[0]->gpu;
    uint32_t recorded = (uint32_t)a->ranks->count;
    *out = 1.0;
    if (a->gpus == recorded)
        return HABITAT_OK;
    if (!k->form->bytes)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "the recording does not say how much a collective sends; leave out "
                            "--gpus");
    if (!(collective_link_bytes_per_s(gpu) > 0.0))
        return habitat_fail(err, HABITAT_E_NO_SPEC,
                            "neither its NVLink nor its PCIe bandwidth is known; add one to its "
                            "file");
    bool gathers = k->form->collective == HABITAT_COLLECTIVE_ALL_GATHER;
    double bytes = (double)k->form->bytes; /* gathered: of all, to which each adds as much */
    double bytes_there = gathers ? bytes * a->gpus / recorded : bytes;
    *out = collective_time_ns(gpu, k->form->collective, bytes_there, a->gpus) /
           collective_time_ns(gpu, k->form->collective, bytes, recorded);
    return HABITAT_OK;
}

/* Another number of ranks that share gradients alone changes nothing but their messages. */
static habitat_status check_share(const applying *a, habitat_error *err) {
    ranks_share share = RANKS_SHARE_GRADIENTS;
    if (a->gpus == a->ranks->count)
        return HABITAT_OK;
    for (size_t r = 0; r < a->ranks->count; r++) {
        ranks_share one = a->ranks->workloads[r]->share;
        share = one > share ? one : share;
    }
    if (share == RANKS_SHARE_GRADIENTS)
        return HABITAT_OK;
    return habitat_fail(
        err, HABITAT_E_UNSUPPORTED, "%s; leave out --gpus",
        share == RANKS_SHARE_BATCH
            ? "the ranks work on one batch together (they sum or pass on large tensors in the "
              "forward pass), and another number of GPUs would divide its work otherwise"
            : "the ranks have weights, states or tables in parts (they gather, scatter or exchange "
              "large tensors), and another number of GPUs would have parts of another size");
}

static habitat_status set_times(applying *a, habitat_error *err) {
    habitat_status status = HABITAT_OK;
    for (size_t r = 0; r < a->ranks->count; r++)
        for (size_t i = 0; status == HABITAT_OK && i < a->ranks->alone[r].kernel_count; i++) {
            const habitat_kernel *k = a->ranks->workloads[r]->kernels[i].kernel;
            size_t at = a->ranks->first_kernel[r] + i;
            double factor = 1.0;
            bool message = k->form->kind == HABITAT_KERNEL_COLLECTIVE;
            if (message)
                status = message_factor(a, k, &factor, err);
            a->ns[at] = prediction_kernel_ms(a->predictions[r], i) * HABITAT_NS_PER_MS * factor;
            /* next to none, so that its pauses stay: one of no time is run no more */
            a->silent[at] = message ? DBL_MIN : a->ns[at];
            if (message && r == 0)
                a->message_ns += a->ns[at];
        }
    return status;
}

/* Are these the kernels as they were measured? */
static bool is_measured(const applying *a) {
    const habitat_replay *joint = &a->ranks->joint;
    if (a->gpus != a->ranks->count)
        return false;
    for (size_t i = 0; i < joint->graph.kernel_count; i++)
        if (fabs(a->ns[i] - replay_kernel_recorded_ns(joint, i)) >
            1e-6 * replay_kernel_recorded_ns(joint, i))
            return false;
    return true;
}

/* ---- times of iterations ---- */

/* A rank whose messages wait for nobody and take no time. */
static habitat_status alone_ms(const applying *a, size_t r, double *out_ms, habitat_error *err) {
    const habitat_replay *joint = &a->ranks->joint;
    replay_times t = replay_times_of(joint, a->silent + a->ranks->first_kernel[r]);
    double ns = 0.0;
    habitat_status status = replay_period(&a->ranks->alone[r], &t, &ns, err);
    *out_ms = ns / joint->iterations / HABITAT_NS_PER_MS;
    return status;
}

typedef struct lengths {
    replay_iteration_times of;
    double busy_ms; /* of the first rank */
} lengths;

static habitat_status measure(const applying *a, lengths *out, habitat_error *err) {
    const habitat_replay *joint = &a->ranks->joint;
    const habitat_prediction *p = a->predictions[0];
    double low = p->busy_ms > 0.0 ? p->low_ms / p->busy_ms : 1.0;
    double high = p->busy_ms > 0.0 ? p->high_ms / p->busy_ms : 1.0;
    habitat_replay there = *joint;
    replay_doubt_run(joint, p, &there.info);
    habitat_status status = replay_measure(&there, a->ns, a->silent, low, high, &out->of, err);
    return status == HABITAT_OK
               ? replay_busy_ms(joint, a->ns, 0, a->ranks->first_kernel[1], &out->busy_ms, err)
               : status;
}

static habitat_status set_waiting(const applying *a, double silent_ms, habitat_prediction *p,
                                  habitat_error *err) {
    size_t count = a->ranks->count;
    habitat_status status = HABITAT_OK;
    p->rank_waiting_ms = calloc(count, sizeof *p->rank_waiting_ms);
    if (!p->rank_waiting_ms)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    p->rank_count = count;
    p->waiting_ms = 0.0;
    for (size_t r = 0; status == HABITAT_OK && r < count; r++) {
        double ms = 0.0;
        status = alone_ms(a, r, &ms, err);
        p->rank_waiting_ms[r] = fmax(0.0, silent_ms - ms);
        p->waiting_ms += p->rank_waiting_ms[r] / (double)count;
    }
    return status;
}

static void set(const applying *a, const lengths *all, habitat_prediction *p) {
    const habitat_replay *joint = &a->ranks->joint;
    const replay_iteration_times *of = &all->of;
    bool measured = is_measured(a);
    bool recorded = measured && replay_knows_origin(joint) && !replay_is_elsewhere(joint, p);
    const habitat_workload *w = joint->workload;
    double low = p->low_ms / p->busy_ms, high = p->high_ms / p->busy_ms; /* of the kernels alone */
    double batch = (double)p->batch_size * (w->one_batch ? 1.0 : (double)a->gpus);
    bool binds = of->cpu_ms > 0.0 && of->gpu_ms > 0.0;
    p->assembled = HABITAT_ASSEMBLE_REPLAY;
    p->iteration_ms = recorded ? w->info.iteration_ms : of->ms;
    p->busy_ms = replay_busy_known(p, measured, all->busy_ms);
    p->low_ms = recorded ? w->info.iteration_ms * w->low_share : fmin(of->low_ms, of->ms);
    p->high_ms = recorded ? w->info.iteration_ms * w->high_share : fmax(of->high_ms, of->ms);
    p->interval_basis = !recorded                 ? replay_basis(joint, measured, p->interval_basis)
                        : habitat_spread_known(w) ? HABITAT_INTERVAL_RECORDED
                                                  : HABITAT_INTERVAL_FLOOR;
    if (!recorded)
        habitat_interval_by_cpu(low, high, p);
    p->origin_iteration_ms = joint->info.iteration_ms;
    p->idle_ms = p->iteration_ms - p->busy_ms;
    p->cpu_ms = of->cpu_ms;
    p->gpu_ms = of->gpu_ms;
    p->bound_by = !binds                    ? HABITAT_BY_UNKNOWN
                  : of->cpu_ms > of->gpu_ms ? HABITAT_BY_CPU
                                            : HABITAT_BY_GPU;
    p->cpu_basis = joint->info.cpu_basis;
    p->samples_per_s =
        batch > 0.0 && p->iteration_ms > 0.0 && binds ? batch / p->iteration_ms * 1e3 : (double)NAN;
    p->gpu_count = a->gpus;
    p->communication_ms = a->message_ns / joint->iterations / HABITAT_NS_PER_MS;
    p->exposed_ms = fmax(0.0, of->ms - of->silent_ms);
}

habitat_status replay_ranks_apply(const replay_ranks *ranks, habitat_prediction *const *predictions,
                                  uint32_t gpu_count, habitat_error *err) {
    size_t kernels = ranks->joint.graph.kernel_count;
    applying a = {.ranks = ranks,
                  .predictions = predictions,
                  .gpus = gpu_count ? gpu_count : (uint32_t)ranks->count,
                  .ns = calloc(kernels + 1, sizeof *a.ns),
                  .silent = calloc(kernels + 1, sizeof *a.silent)};
    lengths all = {0};
    habitat_prediction *p = predictions[0];
    habitat_status status = check_share(&a, err);
    if (status == HABITAT_OK)
        status = a.ns && a.silent ? set_times(&a, err)
                                  : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK)
        status = measure(&a, &all, err);
    if (status == HABITAT_OK)
        status = set_waiting(&a, all.of.silent_ms, p, err);
    if (status == HABITAT_OK) {
        set(&a, &all, p);
        habitat_interval_widen(p);
    }
    free(a.ns);
    free(a.silent);
    return status;
}
