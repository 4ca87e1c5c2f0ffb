/* A recording of several devices that one program drives: DataParallel, a model in parts. All are
 * one workload, which is replayed as a whole; each is one, too, for its own times.
 * docs/iteration.md#several-devices-in-one-recording */
#include "workload/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/answer.h"
#include "base/error.h"
#include "predict/kernel_times.h"
#include "gpu/gpu.h"
#include "predict/estimate.h"

/* The devices of a recording, and how many of them are put together. */
typedef struct devices {
    uint32_t list[WORKLOAD_DEVICES_MAX]; /* shape (count) */
    size_t count, together;
} devices;

/* None are put together where a sum is asked, which is of one device. */
static habitat_status look(const habitat_request *r, devices *out, habitat_error *err) {
    habitat_status status = HABITAT_OK;
    out->together = 0;
    if (!r->no_predictions && r->assemble != HABITAT_ASSEMBLE_SUM)
        status = devices_driven_together(r->trace, out->list, &out->together, err);
    out->count = out->together ? out->together : devices_list(r->trace, out->list);
    return status;
}

static habitat_status check(const habitat_request *r, size_t together, habitat_error *err) {
    if (r->gpu_count || r->gpu_counts)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "the recording is of several GPUs already: it holds %zu devices; "
                            "record the step on one GPU",
                            together);
    if (r->batch_size_count || r->precision)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "the recording holds %zu devices: how another batch size or precision "
                            "is shared among them is not known; record the step on one GPU",
                            together);
    return devices_check(r->trace, together, err);
}

/* Each device alone. */
static habitat_status take_each(const habitat_request *r, const habitat_gpu *origin,
                                const devices *all, made_answer *out, habitat_error *err) {
    habitat_status status = HABITAT_OK;
    out->device_workloads = calloc(all->count + 1, sizeof(habitat_workload *));
    if (!out->device_workloads)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; status == HABITAT_OK && i < all->count; i++) {
        habitat_workload **w = &out->device_workloads[out->device_count];
        status = workload_create_device(r->trace, origin, all->list[i], w, err);
        out->device_count += status == HABITAT_OK;
        if (status == HABITAT_E_NO_GPU) /* nothing of it lies in an iteration */
            status = HABITAT_OK;
    }
    return status;
}

/* Kernels of all devices are those of the first, then of the second: `ns` is of all. Busy is what
 * each works in the iteration of all. */
static habitat_status set_busy(const made_answer *out, const double *ns, habitat_device_time *made,
                               habitat_error *err) {
    size_t first = 0;
    habitat_status status = HABITAT_OK;
    for (size_t d = 0; status == HABITAT_OK && d < out->device_count; d++) {
        const habitat_workload *w = out->device_workloads[d];
        double per_ms = (double)w->info.iteration_count * HABITAT_NS_PER_MS;
        made[d] = (habitat_device_time){.device = w->device};
        status = replay_busy_ms(out->own_replay, ns, first, first + w->kernel_count,
                                &made[d].busy_ms, err);
        for (size_t i = 0; i < w->kernel_count; i++)
            if (!habitat_is_copy(w->kernels[i].kernel))
                made[d].kernel_ms += ns[first + i] / per_ms;
        first += w->kernel_count;
    }
    return status;
}

static habitat_status tell_row(made_answer *out, const habitat_prediction *p,
                               habitat_answer_row *row, habitat_error *err) {
    habitat_device_time *made =
        habitat_arena_alloc(&out->arena, (out->device_count + 1) * sizeof *made);
    double *ns = calloc(p->trace_kernel_count + 1, sizeof *ns);
    habitat_status status =
        made && ns ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; status == HABITAT_OK && i < p->trace_kernel_count; i++)
        ns[i] = prediction_kernel_ms(p, i) * HABITAT_NS_PER_MS;
    if (status == HABITAT_OK)
        status = set_busy(out, ns, made, err);
    free(ns);
    if (status == HABITAT_OK) {
        row->devices = made;
        row->device_count = out->device_count;
    }
    return status;
}

/* Of the whole, busy is what the busiest device is. */
static void set_busiest(const habitat_answer_row *row, habitat_prediction *p) {
    p->busy_ms = 0.0;
    for (size_t d = 0; d < row->device_count; d++)
        p->busy_ms = fmax(p->busy_ms, row->devices[d].busy_ms);
    p->busy_ms = fmin(p->busy_ms, p->iteration_ms); /* to the last bit */
    p->idle_ms = p->iteration_ms - p->busy_ms;
    p->gpu_count = (uint32_t)row->device_count;
}

/* No program of several devices was measured on another GPU: whatever calibrates an interval is of
 * steps on one. */
static void set_interval(const habitat_gpu *origin, habitat_prediction *p) {
    const char *here = p->gpu->architecture, *there = origin->architecture;
    bool alike = here && there && strcmp(here, there) == 0;
    double width = 1.0 + estimate_default_width(alike, p->method);
    if (p->gpu == origin || p->interval_basis == HABITAT_INTERVAL_DEFAULT)
        return;
    p->interval_basis = HABITAT_INTERVAL_DEFAULT;
    p->low_ms = fmin(p->low_ms, p->iteration_ms / width);
    p->high_ms = fmax(p->high_ms, p->iteration_ms * width);
}

habitat_status devices_finish(made_answer *out, habitat_prediction *p, habitat_answer_row *row,
                              habitat_error *err) {
    if (!out->open.workload->all_devices)
        return HABITAT_OK;
    habitat_status status = tell_row(out, p, row, err);
    if (status == HABITAT_OK) {
        set_busiest(row, p);
        set_interval(out->open.workload->origin, p);
    }
    return status;
}

/* As recorded. */
static habitat_status tell(made_answer *out, habitat_error *err) {
    habitat_device_time *made =
        habitat_arena_alloc(&out->arena, (out->device_count + 1) * sizeof *made);
    if (!made)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t d = 0; d < out->device_count; d++) {
        const habitat_workload_info *info = &out->device_workloads[d]->info;
        made[d] =
            (habitat_device_time){out->device_workloads[d]->device, info->kernel_ms, info->busy_ms};
    }
    out->open.devices = made;
    out->open.device_count = out->device_count;
    return HABITAT_OK;
}

habitat_status devices_take(const habitat_request *r, const habitat_gpu *origin, made_answer *out,
                            habitat_error *err) {
    bool several = habitat_trace_get_info(r->trace)->device_count > 1;
    devices all;
    habitat_status status = look(r, &all, err);
    if (status == HABITAT_OK && all.together)
        status = check(r, all.together, err);
    if (status == HABITAT_OK && several)
        status = take_each(r, origin, &all, out, err);
    if (status == HABITAT_OK && several)
        status = tell(out, err);
    if (status == HABITAT_OK)
        status = all.together ? workload_create_all(r->trace, origin, &out->own_workload, err)
                              : habitat_workload_create(r->trace, origin, &out->own_workload, err);
    if (status == HABITAT_OK)
        out->open.workload = out->own_workload;
    return status;
}

void devices_free(made_answer *out) {
    for (size_t d = 0; d < out->device_count; d++)
        habitat_workload_free(out->device_workloads[d]);
    free(out->device_workloads);
}
