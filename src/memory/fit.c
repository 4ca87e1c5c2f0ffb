/* Which GPUs an iteration fits on: usable memory less CUDA's context and a margin. */
#include "memory/memory.h"

#include <math.h>

#include "gpu/gpu.h"

/* Beyond PyTorch's allocator, torch 2.11 on H100 and H200: 0.67 to 0.82 GB, more the more kinds of
 * kernels are loaded (outside_allocator_bytes of data/recordings/measured_*.csv). */
static const double context_bytes = 0.82e9;
/* Free blocks that are too small for what is asked for. Near the limit of 80 GB the allocator gave
 * all but 1 to 6 % of what it held; a run needs its largest tensor in one piece. */
static const double gaps_share = 0.02;
/* What the prediction may be short of, as a share of the peak. */
static const double scaled_share = 0.01, shapes_share = 0.15;

static double margin_of(const habitat_memory_parts *parts) {
    double share = parts->basis == HABITAT_MEMORY_SHAPES   ? gaps_share + shapes_share
                   : parts->basis == HABITAT_MEMORY_SCALED ? gaps_share + scaled_share
                                                           : gaps_share;
    return share * parts->peak_bytes;
}

habitat_memory_fit habitat_memory_fit_on(const habitat_memory_parts *parts,
                                         const habitat_gpu *gpu) {
    habitat_memory_fit fit = {context_bytes, margin_of(parts), NAN, -1};
    double usable = gpu->memory_bytes;
    if (!(usable > 0) || !isfinite(usable) || !isfinite(parts->peak_bytes)) {
        fit.margin_bytes = isfinite(parts->peak_bytes) ? fit.margin_bytes : NAN;
        return fit;
    }
    fit.headroom_bytes = usable - parts->peak_bytes - fit.context_bytes - fit.margin_bytes;
    fit.fits = fit.headroom_bytes >= 0;
    return fit;
}

/* 1: fits, 0: does not, -1: unknown. */
static int samples_fit(const habitat_memory *m, habitat_memory_format format,
                       const habitat_gpu *gpu, uint64_t recorded_batch, double samples) {
    habitat_memory_parts parts;
    if (habitat_memory_predict(m, samples / (double)recorded_batch, format, &parts) != HABITAT_OK)
        return -1;
    return habitat_memory_fit_on(&parts, gpu).fits;
}

double habitat_memory_largest_batch(const habitat_memory *memory, habitat_memory_format format,
                                    const habitat_gpu *gpu, uint64_t recorded_batch) {
    static const double most = 1099511627776.0; /* 2^40 samples: nothing grows with the batch */
    if (!recorded_batch)
        return NAN;
    int one = samples_fit(memory, format, gpu, recorded_batch, 1);
    if (one <= 0)
        return one < 0 ? NAN : 0;
    double low = 1, high = 2;
    while (high < most && samples_fit(memory, format, gpu, recorded_batch, high) == 1) {
        low = high;
        high *= 2;
    }
    if (high >= most)
        return NAN;
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        *(samples_fit(memory, format, gpu, recorded_batch, middle) == 1 ? &low : &high) = middle;
    }
    return low;
}
