/* A gradient is done when autograd's AccumulateGrad takes it: behind all kernels that were launched
 * before. How large they are, trace/gradients.h says in the order in which the model has its
 * parameters: the backward pass reaches them from the last to the first. */
#include "replay/buckets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_parallel.h"
#include "base/error.h"
#include "replay/launched.h"
#include "replay/stack.h"
#include "trace/gradients.h"
#include "workload/workload.h"

uint32_t replay_fill_buckets(size_t count, const double *bytes, uint32_t *bucket) {
    double limit = hardware_bucket_first_bytes, held = 0.0;
    uint32_t at = 0;
    for (size_t i = 0; i < count; i++) {
        bucket[i] = at;
        held += bytes[i];
        if (held >= limit) {
            at++;
            held = 0.0;
            limit = hardware_bucket_bytes;
        }
    }
    return held > 0.0 || !at ? at + 1 : at;
}

void replay_gradients_free(replay_gradients *g) {
    free(g->all);
    free(g->steps);
    free(g->launched);
}

/* ---- what the recording shows ---- */

typedef struct moment {
    uint64_t at_ns;
    uint32_t index, iteration;
} moment;

static int by_time(const void *x, const void *y) {
    const moment *a = x, *b = y;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static size_t find_done(const habitat_workload *w, moment *out) {
    size_t count = 0, found = 0;
    const habitat_operation *all = habitat_trace_operations(w->trace, &count);
    for (uint32_t i = 0; i < count; i++)
        if (trace_adds_gradient(all, i) && replay_holds_iteration(w, all[i].iteration))
            out[found++] = (moment){all[i].start_ns + all[i].duration_ns, i, all[i].iteration};
    qsort(out, found, sizeof *out, by_time);
    return found;
}

/* The stream that most of the time is spent on, where one has half of it: autograd puts gradients
 * into its order, whatever ran beside. */
static uint32_t main_stream(const habitat_workload_kernel *all, size_t count) {
    uint32_t stream = 0;
    double lead_ns = 0.0;
    for (size_t i = 0; i < count; i++) {
        double ns = (double)all[i].kernel->duration_ns;
        bool same = lead_ns > 0.0 && all[i].kernel->form->stream == stream;
        if (!same && ns > lead_ns)
            stream = all[i].kernel->form->stream;
        lead_ns = same ? lead_ns + ns : fabs(lead_ns - ns);
    }
    return stream;
}

static size_t find_launches(const habitat_workload *w, moment *out) {
    size_t count = 0, found = 0;
    const habitat_workload_kernel *all = habitat_workload_kernels(w, &count);
    uint32_t stream = main_stream(all, count);
    for (uint32_t i = 0; i < count; i++)
        if (replay_is_launched(w, i) && all[i].kernel->form->stream == stream)
            out[found++] = (moment){replay_launched_ns(w, i), i, replay_iteration_of(w, i)};
    qsort(out, found, sizeof *out, by_time);
    return found;
}

static size_t count_norms(const habitat_workload *w, uint32_t iteration) {
    size_t count = 0, found = 0;
    const habitat_operation *all = habitat_trace_operations(w->trace, &count);
    for (size_t i = 0; i < count; i++)
        found +=
            all[i].iteration == iteration && strcmp(all[i].form->name, "aten::batch_norm") == 0;
    return found;
}

/* ---- one iteration ---- */

/* Gradient i of `count` gets the parameters of its share, from the last one back: one each, where
 * there are as many. */
static void set_bytes(const trace_gradients *g, const uint32_t *layers, size_t count,
                      replay_gradient *out) {
    for (size_t i = 0; i < count; i++) {
        size_t from = i * g->count / count, to = (i + 1) * g->count / count;
        out[i].bytes = out[i].elements = 0.0;
        out[i].layer = from < g->count ? layers[g->count - 1 - from] : 0;
        for (size_t p = from; p < to; p++) {
            const habitat_parameter *of = &g->all[g->count - 1 - p];
            out[i].elements += (double)of->elements;
            out[i].bytes += (double)of->elements * (double)habitat_dtype_bytes(of->dtype);
        }
    }
}

/* Shape (g->count); NULL when out of memory. */
static uint32_t *mark_layers(const trace_gradients *g) {
    uint64_t *sizes = malloc((g->count + 1) * sizeof *sizes);
    uint32_t *layers = malloc((g->count + 1) * sizeof *layers);
    for (size_t i = 0; sizes && i < g->count; i++)
        sizes[i] = g->all[i].elements;
    if (sizes && layers)
        replay_mark_layers(g->count, sizes, layers);
    bool fine = sizes && layers;
    free(sizes);
    if (!fine)
        free(layers);
    return fine ? layers : NULL;
}

static bool set_buckets(replay_gradient *all, replay_backward *step) {
    double *bytes = calloc(step->count + 1, sizeof *bytes);
    uint32_t *bucket = calloc(step->count + 1, sizeof *bucket);
    bool fine = bytes && bucket;
    for (size_t i = 0; fine && i < step->count; i++)
        bytes[i] = all[i].bytes;
    if (fine)
        step->bucket_count = replay_fill_buckets(step->count, bytes, bucket);
    for (size_t i = 0; fine && i < step->count; i++)
        all[i].bucket = bucket[i];
    free(bytes);
    free(bucket);
    return fine;
}

/* The kernels beside which gradients, copies back and the buffers stand. False where a gradient has
 * no kernel before it. */
static bool set_kernels(const moment *launches, size_t launch_count, const moment *done,
                        replay_gradient *all, replay_backward *step) {
    size_t k = 0;
    for (size_t i = 0; i < step->count; i++) {
        while (k < launch_count && launches[k].at_ns <= done[i].at_ns)
            k++;
        if (!k || launches[k - 1].iteration != done[i].iteration)
            return false;
        all[i].kernel = launches[k - 1].index;
        all[i].operation = done[i].index;
    }
    step->next = k < launch_count ? launches[k].index : HABITAT_NONE;
    step->begin = HABITAT_NONE;
    for (size_t i = 0; i < k && step->begin == HABITAT_NONE; i++)
        if (launches[i].iteration == done[0].iteration)
            step->begin = launches[i].index;
    return true;
}

/* More gradients than parameters: several backward passes, of which all but the last are inside
 * no_sync(), as a user of gradient accumulation writes it. */
static habitat_status add_step(const habitat_workload *w, const trace_gradients *sizes,
                               const moment *launches, size_t launch_count, const moment *done,
                               size_t count, replay_gradients *out, habitat_error *err) {
    size_t skipped = count > sizes->count ? count - sizes->count : 0;
    replay_backward *step = &out->steps[out->step_count];
    replay_gradient *all = &out->all[out->count];
    *step = (replay_backward){
        .first = out->count, .count = count - skipped, .norms = count_norms(w, done->iteration)};
    uint32_t *layers = mark_layers(sizes);
    if (layers)
        set_bytes(sizes, layers, step->count, all);
    free(layers);
    if (!layers || !set_buckets(all, step))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (!set_kernels(launches, launch_count, done + skipped, all, step))
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "the launches of the backward pass are not recorded: when gradients "
                            "are done is not known; record with CPU activities");
    out->count += step->count;
    out->step_count++;
    return HABITAT_OK;
}

static habitat_status refuse(const habitat_workload *w, size_t done, const trace_gradients *sizes,
                             habitat_error *err) {
    if (w->collective_count)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "the recording is of several GPUs already: it holds collectives; "
                            "record the step on one GPU");
    if (!done && workload_is_untimed(w))
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "the recording shows no gradients: its step trains nothing, or an "
                            "older Habitat recorded it; record its script again");
    if (!done)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "the recording shows no gradients (AccumulateGrad): only a training "
                            "step of PyTorch, with CPU activities, can be shared among GPUs");
    if (!sizes->count)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "the recording does not say how large its gradients are: its "
                            "AccumulateGrad operations have no shapes; record it with "
                            "record_shapes=True, or with `habitat record`");
    return HABITAT_OK;
}

habitat_status replay_find_gradients(const habitat_workload *w, replay_gradients *out,
                                     habitat_error *err) {
    size_t ops = 0;
    habitat_trace_operations(w->trace, &ops);
    moment *done = malloc((ops + 1) * sizeof *done);
    moment *launches = malloc((w->kernel_count + 1) * sizeof *launches);
    trace_gradients sizes = {0};
    *out = (replay_gradients){0};
    habitat_status status =
        done && launches ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    size_t count = status == HABITAT_OK ? find_done(w, done) : 0;
    if (status == HABITAT_OK)
        status = trace_gradients_of(w->trace, &sizes, err);
    if (status == HABITAT_OK)
        status = refuse(w, count, &sizes, err);
    if (status == HABITAT_OK) {
        out->launched_count = find_launches(w, launches);
        out->all = calloc(count + 1, sizeof *out->all);
        out->steps = calloc(count + 1, sizeof *out->steps);
        out->launched = malloc((out->launched_count + 1) * sizeof *out->launched);
        if (!out->all || !out->steps || !out->launched)
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    for (size_t i = 0; status == HABITAT_OK && i < out->launched_count; i++)
        out->launched[i] = launches[i].index;
    for (size_t i = 0, to = 0; status == HABITAT_OK && i < count; i = to) {
        for (to = i; to < count && done[to].iteration == done[i].iteration; to++)
            continue;
        status = add_step(w, &sizes, launches, out->launched_count, &done[i], to - i, out, err);
    }
    trace_gradients_free(&sizes);
    free(done);
    free(launches);
    return status;
}
