/* The heuristics a user would try first: ratio of peak flop/s, of bandwidth, of roofline times. */
#include "one_kernel.h"

#include "formula/formula.h"
#include "gpu/gpu.h"
#include "formula/rates.h"

static bool bad_arguments(const one_kernel *kernel, const habitat_gpu *origin,
                          const habitat_gpu *dest, const double *out_ns) {
    return !kernel || !origin || !dest || !out_ns || !(kernel->time_ns >= 0.0) ||
           !isfinite(kernel->time_ns);
}

habitat_status habitat_flops_time(const one_kernel *kernel, const habitat_gpu *origin,
                                  const habitat_gpu *dest, double *out_ns) {
    if (bad_arguments(kernel, origin, dest, out_ns))
        return HABITAT_E_ARG;
    double ratio =
        habitat_arithmetic_rate(origin, kernel->dtype, kernel->matrix_unit, false, NULL, NULL) /
        habitat_arithmetic_rate(dest, kernel->dtype, kernel->matrix_unit, false, NULL, NULL);
    if (!formula_usable(ratio))
        return HABITAT_E_NO_SPEC;
    *out_ns = kernel->time_ns * ratio;
    return HABITAT_OK;
}

habitat_status habitat_bandwidth_time(const one_kernel *kernel, const habitat_gpu *origin,
                                      const habitat_gpu *dest, double *out_ns) {
    if (bad_arguments(kernel, origin, dest, out_ns))
        return HABITAT_E_ARG;
    double ratio = origin->memory_bandwidth_bytes_per_s / dest->memory_bandwidth_bytes_per_s;
    if (!formula_usable(ratio))
        return HABITAT_E_NO_SPEC;
    *out_ns = kernel->time_ns * ratio;
    return HABITAT_OK;
}

static formula_rates rates_of(const one_kernel *kernel, const habitat_gpu *gpu, bool sustained) {
    return (formula_rates){
        .flop_per_s =
            habitat_arithmetic_rate(gpu, kernel->dtype, kernel->matrix_unit, sustained, NULL, NULL),
        .bytes_per_s = habitat_memory_rate(gpu, sustained),
    };
}

habitat_status habitat_roofline_time(const one_kernel *kernel, const habitat_gpu *origin,
                                     const habitat_gpu *dest, bool sustained, double *out_ns) {
    if (bad_arguments(kernel, origin, dest, out_ns))
        return HABITAT_E_ARG;
    double ratio =
        formula_roofline_ratio(kernel->flop, kernel->bytes, rates_of(kernel, origin, sustained),
                               rates_of(kernel, dest, sustained));
    if (isnan(ratio))
        return HABITAT_E_NO_SPEC;
    *out_ns = kernel->time_ns * ratio;
    return HABITAT_OK;
}
