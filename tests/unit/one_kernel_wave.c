/* Wave scaling: the exponent g and equations 1 and 2 for one kernel. What a wave is comes from the
 * exact occupancy of both GPUs; a block that fits on neither or only one of them has no wave. */
#include "one_kernel.h"

#include "formula/formula.h"
#include "gpu/gpu.h"
#include "formula/rates.h"

habitat_status habitat_wave_exponent(const one_kernel *kernel, const habitat_gpu *dest,
                                     double *out) {
    if (!kernel || !dest || !out)
        return HABITAT_E_ARG;
    bool known = formula_known(kernel->flop) && formula_known(kernel->bytes) &&
                 (kernel->flop > 0.0 || kernel->bytes > 0.0);
    if (!known) {
        *out = 1.0;
        return HABITAT_OK;
    }
    double rate =
        habitat_arithmetic_rate(dest, kernel->dtype, kernel->matrix_unit, false, NULL, NULL);
    double bandwidth = dest->memory_bandwidth_bytes_per_s;
    if (!formula_usable(rate) || !formula_usable(bandwidth))
        return HABITAT_E_NO_SPEC;
    *out = formula_exponent(kernel->flop / kernel->bytes, rate / bandwidth);
    return HABITAT_OK;
}

static habitat_status check_kernel(const one_kernel *kernel, double g) {
    if (!(kernel->time_ns >= 0.0) || !isfinite(kernel->time_ns) || !(g >= 0.0 && g <= 1.0))
        return HABITAT_E_ARG;
    return kernel->blocks && kernel->launch.threads_per_block ? HABITAT_OK : HABITAT_E_UNSUPPORTED;
}

static habitat_status wave_size(const habitat_gpu *gpu, const habitat_launch *launch,
                                uint64_t *out) {
    uint32_t blocks_per_sm = 0;
    habitat_status status = habitat_occupancy_blocks(gpu, launch, &blocks_per_sm, NULL);
    if (status != HABITAT_OK)
        return status;
    if (!gpu->sm_count || !blocks_per_sm)
        return HABITAT_E_NO_SPEC;
    *out = (uint64_t)blocks_per_sm * gpu->sm_count;
    return HABITAT_OK;
}

/* What both equations need of a pair of GPUs for one kernel. */
typedef struct wave_pair {
    uint64_t origin, dest; /* wave sizes [blocks] */
    double bandwidth_ratio, clock_ratio;
} wave_pair;

static habitat_status pair_up(const one_kernel *kernel, const habitat_gpu *origin,
                              const habitat_gpu *dest, double g, wave_pair *out) {
    habitat_status status = check_kernel(kernel, g);
    if (status == HABITAT_OK)
        status = wave_size(origin, &kernel->launch, &out->origin);
    if (status == HABITAT_OK)
        status = wave_size(dest, &kernel->launch, &out->dest);
    if (status != HABITAT_OK)
        return status;
    out->bandwidth_ratio =
        origin->memory_bandwidth_bytes_per_s / dest->memory_bandwidth_bytes_per_s;
    out->clock_ratio = origin->boost_clock_hz / dest->boost_clock_hz;
    if (!formula_usable(out->bandwidth_ratio) || !formula_usable(out->clock_ratio))
        return HABITAT_E_NO_SPEC;
    return HABITAT_OK;
}

habitat_status habitat_wave_time(const one_kernel *kernel, const habitat_gpu *origin,
                                 const habitat_gpu *dest, double g, double *out_ns) {
    if (!kernel || !origin || !dest || !out_ns)
        return HABITAT_E_ARG;
    wave_pair pair;
    habitat_status status = pair_up(kernel, origin, dest, g, &pair);
    if (status == HABITAT_OK)
        *out_ns = kernel->time_ns * formula_wave(kernel->blocks, pair.origin, pair.dest,
                                                 pair.bandwidth_ratio, pair.clock_ratio, g);
    return status;
}

habitat_status habitat_wave_large_time(const one_kernel *kernel, const habitat_gpu *origin,
                                       const habitat_gpu *dest, double g, double *out_ns) {
    if (!kernel || !origin || !dest || !out_ns)
        return HABITAT_E_ARG;
    wave_pair pair;
    habitat_status status = pair_up(kernel, origin, dest, g, &pair);
    if (status == HABITAT_OK)
        *out_ns = kernel->time_ns * formula_wave_large(pair.origin, pair.dest, pair.bandwidth_ratio,
                                                       pair.clock_ratio, g);
    return status;
}
