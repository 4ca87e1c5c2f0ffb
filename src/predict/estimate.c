/* From a predicted time to an estimate: default interval, what binds it. */
#include "predict/estimate.h"

#include <math.h>

#include "base/constants.h"
#include "gpu/gpu.h"
#include "predict/method.h"

/* Between GPUs of one architecture, and of two: of methods that say nothing else. */
static const double usual_width[2] = {0.15, 0.25};

double estimate_default_width(bool alike, habitat_method method) {
    const double *width = method_of(method)->width;
    return (width ? width : usual_width)[alike ? 0 : 1];
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

void estimate_set(const scaling *s, const habitat_workload_kernel *kernel, scaled time,
                  habitat_estimate *out) {
    double width = estimate_default_width(s->alike, time.method);
    if (!s->origin->compute_capability || !s->dest->compute_capability)
        width = fmax(width, chosen_unchecked_vendor_width);
    out->origin_ms = kernel->facts.time_ns / HABITAT_NS_PER_MS;
    out->ms = time.ns / HABITAT_NS_PER_MS;
    out->low_ms = out->ms / (1.0 + width);
    out->high_ms = out->ms * (1.0 + width);
    out->interval_basis = HABITAT_INTERVAL_DEFAULT;
    out->method = time.method;
    out->bound = estimate_bound(s->dest, kernel->facts.flop, kernel->facts.bytes,
                                scaling_rates(&s->sustained_dest, &kernel->facts), out->ms);
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
