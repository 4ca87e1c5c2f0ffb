/* From a predicted time to an estimate: default interval, what binds it. */
#include "predict/estimate.h"

#include <math.h>

#include <habitat/text.h>

#include "base/constants_intervals.h"
#include "base/constants_kernels.h"
#include "gpu/gpu.h"
#include "predict/fallback.h"
#include "predict/method.h"

double estimate_default_width(bool alike, habitat_method method) {
    const method_plug *plug = method_of(method);
    if (plug->width)
        return plug->width(alike);
    return alike ? chosen_default_width_alike : chosen_default_width_across;
}

void estimate_width_words(char *text, size_t size) {
    habitat_format(text, size,
                   "%.0f %% within an architecture, %.0f %% across, %.0f %% for the fallback and "
                   "for GPUs that are not NVIDIA's",
                   100.0 * chosen_default_width_alike, 100.0 * chosen_default_width_across,
                   100.0 * chosen_rough_width);
}

habitat_bound estimate_bound(const habitat_gpu *gpu, double flop, double bytes, formula_rates rates,
                             double ms) {
    double launch_ns = gpu->launch_floor_ns > 0.0 ? gpu->launch_floor_ns : chosen_launch_ns;
    if (ms * HABITAT_NS_PER_MS < launch_ns)
        return HABITAT_BOUND_LAUNCH;
    bool arithmetic = formula_known(flop), memory = formula_known(bytes);
    if (arithmetic && flop == 0.0)
        return HABITAT_BOUND_MEMORY;
    if (!arithmetic || !memory || !formula_usable(rates.flop_per_s))
        return HABITAT_BOUND_UNKNOWN;
    return flop / rates.flop_per_s > bytes / rates.bytes_per_s ? HABITAT_BOUND_COMPUTE
                                                               : HABITAT_BOUND_MEMORY;
}

/* Of what a connection sends, no rate of the GPU is the bound. */
static habitat_bound bound_of(const scaling *s, const habitat_workload_kernel *kernel, double ms) {
    habitat_bound bound = estimate_bound(s->dest, kernel->facts.flop, kernel->facts.bytes,
                                         scaling_rates(&s->sustained_dest, &kernel->facts), ms);
    bool leaves = fallback_leaves_gpu(kernel->kernel);
    return leaves && bound != HABITAT_BOUND_LAUNCH ? HABITAT_BOUND_UNKNOWN : bound;
}

void estimate_set_times(const scaling *s, const habitat_workload_kernel *kernel, scaled time,
                        habitat_estimate *out) {
    double width = estimate_default_width(s->alike, time.method);
    if (!s->origin->compute_capability || !s->dest->compute_capability)
        width = fmax(width, chosen_rough_width);
    out->origin_ms = kernel->facts.time_ns / HABITAT_NS_PER_MS;
    out->ms = time.ns / HABITAT_NS_PER_MS;
    out->low_ms = out->ms / (1.0 + width);
    out->high_ms = out->ms * (1.0 + width);
    out->interval_basis = HABITAT_INTERVAL_DEFAULT;
    out->method = time.method;
}

void estimate_set_bound(const scaling *s, const habitat_workload_kernel *kernel,
                        habitat_estimate *out) {
    out->bound = bound_of(s, kernel, out->ms);
}

const char *habitat_bound_name(habitat_bound bound) {
    static const char *const names[] = {
        [HABITAT_BOUND_UNKNOWN] = "unknown",
        [HABITAT_BOUND_COMPUTE] = "compute",
        [HABITAT_BOUND_MEMORY] = "memory",
        [HABITAT_BOUND_LAUNCH] = "launch",
    };
    return (unsigned)bound < sizeof names / sizeof *names ? names[bound] : "unknown";
}
