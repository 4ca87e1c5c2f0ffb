/* See parallel_memory.h. */
#include "replay/parallel_memory.h"

#include <math.h>

#include "base/constants_memory.h"
#include "base/constants_parallel.h"
#include "memory/counted_peak.h"
#include "workload/workload.h"

/* An iteration that several GPUs share. */
typedef struct shared_step {
    const habitat_trace_info *info;
    const habitat_prediction *one; /* as it was */
    const replay_parted *told;
    double batch, bucket_bytes;
} shared_step;

/* Weights of a model, states and gradients, as they are noted or usually are [byte]. */
typedef struct kept {
    double weights, states, gradients;
} kept;

static kept kept_of(const habitat_trace_memory *m, const replay_parted *told) {
    double weights = told->kept_bytes;
    return (kept){weights, isfinite(m->optimizer_bytes) ? m->optimizer_bytes : 2.0 * weights,
                  isfinite(m->gradients_bytes) ? m->gradients_bytes : weights};
}

/* What parts change of a recorded peak. Of weights and states each GPU keeps its part, and of
 * gradients, which only a peak in the optimiser's step holds: one in the passes is before they are
 * there, beside copies of weights that autocast makes of whole ones. A peak in the optimiser's step
 * hides one in the passes, of tensors that no part makes less: with many GPUs that is the higher
 * one. */
static double parts_change_bytes(const habitat_trace_memory *m, const replay_parted *told,
                                 const habitat_prediction *one) {
    kept k = kept_of(m, told);
    double gone = 1.0 - told->part;
    bool passes =
        one->memory_bytes > chosen_parts_passes_share * (k.weights + k.gradients + k.states);
    double least = told->gathered_bytes + told->part * (k.weights + k.states) - one->memory_bytes;
    double most = told->gathered_bytes - gone * (k.weights + k.states);
    double bytes = most - (passes ? told->cast_bytes : gone * k.gradients);
    if (!passes && one->passes_bytes > 0.0) /* known */
        bytes = fmax(bytes, fmin(least + one->passes_bytes, most));
    return fmax(bytes, least); /* a recorded peak may be less than the weights noted */
}

/* A counted moment of the passes. Beyond weights and states there are copies that autocast made,
 * and which go one by one as gradients come: `done` is how much of the backward pass is over. In
 * parts there are no such copies. */
static double passes_bytes(const habitat_trace_memory *m, const replay_parted *told,
                           const habitat_memory_moment *at, double grown) {
    kept k = kept_of(m, told);
    double casts = m->weights_in_parts ? 0.0 : fmin(told->cast_bytes, k.gradients);
    double beyond = fmax(0.0, at->kept_bytes - k.weights - k.states);
    double done = k.gradients > casts ? (beyond - casts) / (k.gradients - casts) : 0.0;
    double others = fmax(0.0, beyond - fmax(casts, k.gradients)); /* buffers, workspaces */
    done = fmin(fmax(done, 0.0), 1.0);
    return told->part * (k.weights + k.states + k.gradients * done) + others +
           at->grown_bytes * grown + told->gathered_bytes;
}

/* The most of all moments in parts. In its step an optimiser works on a part of everything. */
static double counted_bytes(const habitat_trace_memory *m, const replay_parted *told,
                            double grown) {
    double most = 0.0;
    for (size_t i = 0; i < m->passes.count; i++)
        most = fmax(most, passes_bytes(m, told, &m->passes.all[i], grown));
    for (size_t i = 0; i < m->steps.count; i++)
        most = fmax(most,
                    told->part * m->steps.all[i].kept_bytes + grown * m->steps.all[i].grown_bytes);
    return most;
}

/* What is more, or less, than of one GPU. grown: tensors that grow with the batch, over the
 * recorded. */
static double change_bytes(const shared_step *s, double grown, const habitat_prediction *one) {
    const habitat_trace_memory *m = &s->info->memory;
    if (!s->told)
        return s->bucket_bytes;
    return m->passes.count ? counted_bytes(m, s->told, grown) - one->memory_bytes
                           : parts_change_bytes(m, s->told, one);
}

static double doubt_bytes(const shared_step *s, double peak_bytes) {
    return s->told ? chosen_parts_memory_doubt * peak_bytes : 0.0;
}

/* Of a recording without a GPU, whose tensors were counted. peak_bytes: receives what each needs.
 */
static habitat_memory_fit fit_counted(const shared_step *s, const habitat_gpu *gpu, double grown,
                                      double *peak_bytes) {
    habitat_memory_parts parts;
    habitat_prediction one = *s->one;
    memory_counted(s->info, grown, &parts);
    one.memory_bytes = parts.peak_bytes;
    parts.peak_bytes += change_bytes(s, grown, &one);
    parts.parameters_bytes *= s->told ? s->told->part : 1.0;
    parts.optimizer_bytes *= s->told ? s->told->part : 1.0;
    habitat_memory_fit fit = habitat_memory_fit_on(&parts, gpu);
    double doubt = doubt_bytes(s, parts.peak_bytes);
    fit.headroom_bytes -= doubt;
    fit.margin_bytes += doubt;
    fit.fits = memory_fits(fit.headroom_bytes, fit.margin_bytes);
    *peak_bytes = parts.peak_bytes;
    return fit;
}

static habitat_memory_fit fit_at(const void *context, const habitat_gpu *gpu, double samples) {
    const shared_step *s = context;
    double peak_bytes = NAN;
    return fit_counted(s, gpu, samples / s->batch, &peak_bytes);
}

/* What is kept free of one GPU is a share of its peak, too: that of gaps between tensors. */
static void set_recorded(const shared_step *s, double grown, habitat_prediction *one) {
    double bytes = change_bytes(s, grown, s->one);
    double margin =
        doubt_bytes(s, one->memory_bytes + bytes) + (s->told ? fitted_gaps_share * bytes : 0.0);
    one->memory_bytes += bytes;
    one->margin_bytes += margin;
    one->headroom_bytes -= bytes + margin;
    one->fits = memory_fits(one->headroom_bytes, one->margin_bytes); /* NaN: -1, as before */
    one->largest_batch = NAN; /* what of a peak in the passes grows is known of one GPU alone */
}

static void set_counted(const shared_step *s, double grown, habitat_prediction *one) {
    habitat_memory_fit fit = fit_counted(s, one->gpu, grown, &one->memory_bytes);
    bool known = s->batch > 0.0 && s->info->memory.passes.count;
    one->margin_bytes = fit.margin_bytes;
    one->headroom_bytes = fit.headroom_bytes;
    one->fits = fit.fits;
    one->largest_batch = known ? memory_largest(fit_at, s, one->gpu) : NAN;
}

void parallel_set_memory(const habitat_replay *r, double bucket_bytes, const replay_parted *told,
                         habitat_prediction *one) {
    const habitat_prediction before = *one;
    shared_step s = {.info = habitat_trace_get_info(r->workload->trace),
                     .one = &before,
                     .told = told,
                     .batch = (double)r->workload->batch_size,
                     .bucket_bytes = bucket_bytes};
    double grown = s.batch > 0.0 && one->batch_size ? (double)one->batch_size / s.batch : 1.0;
    if (workload_is_untimed(r->workload))
        set_counted(&s, grown, one);
    else
        set_recorded(&s, grown, one);
    if (told)
        one->layer_count = (uint32_t)told->layers;
}
