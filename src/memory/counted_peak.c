/* See counted_peak.h. Of a batch of another size another moment may be the one that takes most, so
 * all of those are noted of which one is. */
#include "memory/counted_peak.h"

#include <math.h>

double memory_counted_peak(const habitat_memory_moments *moments, double factor) {
    double most = NAN;
    for (size_t i = 0; i < moments->count; i++)
        most = fmax(most, moments->all[i].kept_bytes + moments->all[i].grown_bytes * factor);
    return most;
}

void memory_counted(const habitat_trace_info *info, double factor, habitat_memory_parts *out) {
    const habitat_trace_memory *m = &info->memory;
    double peak = factor == 1.0 ? info->peak_memory_bytes
                                : fmax(memory_counted_peak(&m->passes, factor),
                                       memory_counted_peak(&m->steps, factor));
    bool counted = peak > 0.0;
    *out =
        (habitat_memory_parts){.basis = counted ? HABITAT_MEMORY_TENSORS : HABITAT_MEMORY_UNKNOWN,
                               .peak_bytes = counted ? peak : (double)NAN,
                               .parameters_bytes = m->parameters_bytes,
                               .optimizer_bytes = m->optimizer_bytes,
                               .algorithms_bytes = NAN,
                               .largest_bytes = NAN};
}

typedef struct counted_step {
    const habitat_trace_info *info;
    double batch;
} counted_step;

static habitat_memory_fit fit_at(const void *context, const habitat_gpu *gpu, double samples) {
    const counted_step *step = context;
    habitat_memory_parts parts;
    memory_counted(step->info, samples / step->batch, &parts);
    return habitat_memory_fit_on(&parts, gpu);
}

double memory_counted_largest_batch(const habitat_trace_info *info, const habitat_gpu *gpu,
                                    uint64_t recorded_batch) {
    counted_step step = {info, (double)recorded_batch};
    return recorded_batch && info->memory.passes.count ? memory_largest(fit_at, &step, gpu) : NAN;
}
