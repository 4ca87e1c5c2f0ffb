/* See parallel_memory.h. */
#include "replay/parallel_memory.h"

#include <math.h>

#include "base/constants_memory.h"
#include "base/constants_parallel.h"
#include "memory/moments.h"
#include "workload/workload.h"

/* An iteration that several GPUs share. */
typedef struct shared_step {
    const habitat_trace_info *info;
    const habitat_prediction *one; /* as it was */
    const replay_parted *told;
    double batch, bucket_bytes;
} shared_step;

/* What parts change of a peak. Of weights and states each GPU keeps its part, and of gradients,
 * which only a peak in the optimiser's step holds: one in the passes is before they are there,
 * beside copies of weights that autocast makes of whole ones. A peak in the optimiser's step hides
 * one in the passes, of tensors that no part makes less: with many GPUs that is the higher one. */
static double parts_change_bytes(const habitat_trace_memory *m, const replay_parted *told,
                                 double grown, const habitat_prediction *one) {
    double passes_bytes = memory_moments_peak(&m->passes, grown);     /* NaN: not noted */
    double cast_bytes = m->weights_in_parts ? 0.0 : told->cast_bytes; /* else they were not there */
    double weights = told->kept_bytes, gone = 1.0 - told->part;
    double state = isfinite(m->optimizer_bytes) ? m->optimizer_bytes : 2.0 * weights;
    double gradients = isfinite(m->gradients_bytes) ? m->gradients_bytes : weights;
    bool passes = one->memory_bytes > chosen_parts_passes_share * (weights + gradients + state);
    double least = told->gathered_bytes + told->part * (weights + state) - one->memory_bytes;
    double most = told->gathered_bytes - gone * (weights + state);
    double bytes = most - (passes ? cast_bytes : gone * gradients);
    if (passes_bytes > 0.0 && passes_bytes <= one->memory_bytes) {
        double below = one->memory_bytes - passes_bytes; /* the optimiser's step */
        bytes = most - cast_bytes - below;
        if (below > 0.0)
            bytes = fmax(bytes, most - gone * gradients);
    } else if (!passes && one->passes_bytes > 0.0) { /* known */
        bytes = fmax(bytes, fmin(least + one->passes_bytes, most));
    }
    return fmax(bytes, least); /* a recorded peak may be less than the weights noted */
}

/* What is more, or less, than of one GPU. grown: tensors that grow with the batch, over the
 * recorded. */
static double change_bytes(const shared_step *s, double grown, const habitat_prediction *one) {
    return s->told ? parts_change_bytes(&s->info->memory, s->told, grown, one) : s->bucket_bytes;
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
