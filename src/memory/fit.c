/* Which GPUs an iteration fits on: usable memory less CUDA's context and a margin. */
#include "memory/model.h"

#include <math.h>

#include "base/constants_memory.h"
#include "gpu/gpu.h"

/* Free blocks are of no use to a tensor that is larger than each of them. */
static double margin_of(const habitat_memory_parts *parts, const memory_margin *margin) {
    double share = parts->basis == HABITAT_MEMORY_SHAPES    ? margin->shapes
                   : parts->basis == HABITAT_MEMORY_SCALED  ? margin->scaled
                   : parts->basis == HABITAT_MEMORY_TENSORS ? margin->tensors
                                                            : 0;
    double largest = parts->largest_bytes > 0 ? parts->largest_bytes : 0;
    double algorithms = parts->algorithms_bytes > 0 ? parts->algorithms_bytes : 0;
    return (margin->gaps + share) * parts->peak_bytes + margin->largest * largest + algorithms;
}

int memory_fits(double headroom_bytes, double margin_bytes) {
    double without_margin = headroom_bytes + margin_bytes;
    return headroom_bytes >= 0 ? 1 : without_margin < 0 ? 0 : -1;
}

/* What is there all the time, whatever the peak: weights and what the optimiser keeps of them. */
static double kept_bytes(const habitat_memory_parts *parts) {
    double weights = parts->parameters_bytes, state = parts->optimizer_bytes;
    return (weights > 0 ? weights : 0) + (state > 0 ? state : 0);
}

habitat_memory_fit memory_fit_with(const habitat_memory_parts *parts, const habitat_gpu *gpu,
                                   const memory_margin *margin) {
    habitat_memory_fit fit = {hardware_context_bytes, ceil(margin_of(parts, margin)), NAN, -1};
    double usable = floor(gpu->memory_bytes); /* bytes are whole */
    if (!(usable > 0) || !isfinite(usable) || !isfinite(parts->peak_bytes)) {
        fit.margin_bytes = isfinite(parts->peak_bytes) ? fit.margin_bytes : NAN;
        if (usable > 0 && kept_bytes(parts) + fit.context_bytes > usable)
            fit.fits = 0;
        return fit;
    }
    fit.headroom_bytes = usable - parts->peak_bytes - fit.context_bytes - fit.margin_bytes;
    fit.fits = memory_fits(fit.headroom_bytes, fit.margin_bytes);
    return fit;
}

habitat_memory_fit habitat_memory_fit_on(const habitat_memory_parts *parts,
                                         const habitat_gpu *gpu) {
    static const memory_margin margin = {fitted_gaps_share, chosen_scaled_margin_share,
                                         chosen_shapes_margin_share, chosen_largest_margin_share,
                                         chosen_tensors_margin_share};
    return memory_fit_with(parts, gpu, &margin);
}

/* A step that was recorded on a GPU. */
typedef struct recorded_step {
    const habitat_memory *memory;
    habitat_memory_format format;
    double batch;
} recorded_step;

/* Whether `samples` fit; all is unknown where their memory is. */
static habitat_memory_fit fit_at(const void *context, const habitat_gpu *gpu, double samples) {
    const recorded_step *step = context;
    habitat_memory_parts parts;
    if (habitat_memory_predict(step->memory, samples / step->batch, step->format, &parts) !=
        HABITAT_OK)
        return (habitat_memory_fit){NAN, NAN, NAN, -1};
    return habitat_memory_fit_on(&parts, gpu);
}

/* Samples between `low`, which leave `left` bytes free, and `high`, which lack some: memory grows
 * nearly in a line with the batch, so most is known where that line has nothing left. Every other
 * time the middle is taken: a bend costs no more than halving does. */
static double between(double low, double left, double high, double lacking, bool halve) {
    double share = halve || !isfinite(lacking) ? 0.5 : left / (left - lacking);
    return fmin(fmax(floor(low + (high - low) * share), low + 1), high - 1);
}

double memory_largest(memory_fit_at fit_at_batch, const void *context, const habitat_gpu *gpu) {
    static const double most = 0x1p40; /* samples: nothing grows with the batch */
    habitat_memory_fit fit = fit_at_batch(context, gpu, 1);
    if (fit.fits != 1)
        return fit.fits < 0 ? NAN : 0;
    double low = 1, left = fit.headroom_bytes, high = 2, lacking = 0;
    while (fit.fits == 1) {
        if (high >= most)
            return NAN;
        fit = fit_at_batch(context, gpu, high);
        lacking = fit.headroom_bytes;
        if (fit.fits == 1) {
            low = high;
            left = fit.headroom_bytes;
            high *= 2;
        }
    }
    for (bool halve = false; high - low > 1; halve = !halve) {
        double at = between(low, left, high, lacking, halve);
        fit = fit_at_batch(context, gpu, at);
        if (fit.fits == 1) {
            low = at;
            left = fit.headroom_bytes;
        } else {
            high = at;
            lacking = fit.headroom_bytes;
        }
    }
    return low;
}

double habitat_memory_largest_batch(const habitat_memory *memory, habitat_memory_format format,
                                    const habitat_gpu *gpu, uint64_t recorded_batch) {
    recorded_step step = {memory, format, (double)recorded_batch};
    return recorded_batch ? memory_largest(fit_at, &step, gpu) : NAN;
}
