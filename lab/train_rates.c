/* Sustained rates of a GPU as if it had not been measured, by a rule fitted on other GPUs. */
#include <math.h>
#include <string.h>

#include "gpu/gpu.h"
#include "lab/train_rates.h"

static const double low_power_w = 150;

static bool graphics_memory(const habitat_gpu *gpu) {
    return gpu->memory_type && strncmp(gpu->memory_type, "GDDR", 4) == 0;
}

/* F = min(u P, e W): u the mean share of the peak that the others sustain where power does not bind
 * (share above 0.7, else all). The second bound is for low-power cards alone: they are held far
 * below what their silicon could draw; e is the most work a joule buys among others of a like
 * process. */
static double estimate_rate(const habitat_gpu *gpu, const habitat_gpu *const *others, size_t count,
                            double peak, const double *peaks, const double *rates) {
    double all = 0, unbound = 0, per_joule = 0;
    size_t all_count = 0, unbound_count = 0;
    for (size_t i = 0; i < count; i++) {
        double share = rates[i] / peaks[i];
        if (!isfinite(share) || others[i] == gpu)
            continue;
        all += share;
        all_count++;
        if (share > 0.7) {
            unbound += share;
            unbound_count++;
        }
        double process = others[i]->process_nm / gpu->process_nm;
        if (process > 0.7 && process < 1.5)
            per_joule = fmax(per_joule, rates[i] / others[i]->tdp_w);
    }
    if (all_count == 0)
        return NAN;
    double share = unbound_count ? unbound / (double)unbound_count : all / (double)all_count;
    double rate = share * peak;
    bool capped = gpu->tdp_w < low_power_w;
    return capped && per_joule > 0 ? fmin(rate, per_joule * gpu->tdp_w) : rate;
}

static double estimate_share(const habitat_gpu *gpu, const habitat_gpu *const *others,
                             size_t count) {
    double like = 0, all = 0;
    size_t like_count = 0, all_count = 0;
    for (size_t i = 0; i < count; i++) {
        double share =
            others[i]->sustained_bandwidth_bytes_per_s / others[i]->memory_bandwidth_bytes_per_s;
        if (!isfinite(share) || others[i] == gpu)
            continue;
        all += share;
        all_count++;
        if (graphics_memory(others[i]) == graphics_memory(gpu)) {
            like += share;
            like_count++;
        }
    }
    if (like_count)
        return like / (double)like_count;
    return all_count ? all / (double)all_count : NAN;
}

void train_estimate_rates(const habitat_gpu *gpu, const habitat_gpu *const *others, size_t count,
                          habitat_gpu *out) {
    enum { OTHERS_MAX = 64 };
    double peaks[OTHERS_MAX] = {0}, rates[OTHERS_MAX] = {0};
    count = count < OTHERS_MAX ? count : OTHERS_MAX;
    *out = *gpu;
    for (int d = 0; d < HABITAT_DTYPE_COUNT; d++) {
        for (size_t i = 0; i < count; i++) {
            peaks[i] = others[i]->peak.matrix_flop_per_s[d];
            rates[i] = others[i]->sustained.matrix_flop_per_s[d];
        }
        double rate =
            estimate_rate(gpu, others, count, gpu->peak.matrix_flop_per_s[d], peaks, rates);
        if (isfinite(rate)) {
            out->sustained.matrix_flop_per_s[d] = rate;
            out->sustained_matrix_estimated[d] = true;
        }
        for (size_t i = 0; i < count; i++) {
            peaks[i] = others[i]->peak.plain_flop_per_s[d];
            rates[i] = others[i]->sustained.plain_flop_per_s[d];
        }
        rate = estimate_rate(gpu, others, count, gpu->peak.plain_flop_per_s[d], peaks, rates);
        if (isfinite(rate)) {
            out->sustained.plain_flop_per_s[d] = rate;
            out->sustained_plain_estimated[d] = true;
        }
    }
    double share = estimate_share(gpu, others, count);
    if (isfinite(share)) {
        out->sustained_bandwidth_bytes_per_s = share * gpu->memory_bandwidth_bytes_per_s;
        out->sustained_bandwidth_estimated = true;
    }
}
