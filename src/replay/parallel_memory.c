/* See parallel_memory.h. */
#include "replay/parallel_memory.h"

#include <math.h>

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

/* What is more, or less, and what is kept free for it. grown: of the tensors that grow with the
 * batch, over the recorded. */
static double change_bytes(const shared_step *s, double grown, const habitat_prediction *one,
                           double *margin) {
    double bytes =
        s->told ? parts_change_bytes(&s->info->memory, s->told, grown, one) : s->bucket_bytes;
    *margin = s->told ? chosen_parts_memory_doubt * (one->memory_bytes + bytes) : 0.0;
    return bytes;
}

static habitat_memory_fit fit_at(const void *context, const habitat_gpu *gpu, double samples) {
    const shared_step *s = context;
    habitat_memory_parts parts;
    habitat_prediction one = *s->one;
    double margin = 0.0;
    memory_counted(s->info, samples / s->batch, &parts);
    habitat_memory_fit fit = habitat_memory_fit_on(&parts, gpu);
    one.memory_bytes = parts.peak_bytes;
    fit.headroom_bytes -= change_bytes(s, samples / s->batch, &one, &margin) + margin;
    fit.margin_bytes += margin;
    fit.fits = memory_fits(fit.headroom_bytes, fit.margin_bytes);
    return fit;
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
    double margin = 0.0, bytes = change_bytes(&s, grown, &before, &margin);
    bool known = s.batch > 0.0 && s.info->memory.passes.count;
    one->memory_bytes += bytes;
    one->margin_bytes += margin;
    one->headroom_bytes -= bytes + margin;
    one->fits = memory_fits(one->headroom_bytes, one->margin_bytes); /* NaN: -1, as before */
    one->largest_batch = known ? memory_largest(fit_at, &s, one->gpu) : NAN;
    if (told)
        one->layer_count = (uint32_t)told->layers;
}
