/* Whether a GPU has at least as much of everything as another one. */
#ifndef HABITAT_TESTS_DOMINATES_H
#define HABITAT_TESTS_DOMINATES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "gpu/gpu.h"

/* What a user compares two GPUs by. Unknown or missing counts as nothing. */
static inline size_t dominance_facts(const habitat_gpu *gpu, double *out) {
    size_t n = 0;
    const double single[] = {gpu->sm_count, gpu->boost_clock_hz, gpu->l2_bytes,
                             gpu->memory_bandwidth_bytes_per_s,
                             gpu->sustained_bandwidth_bytes_per_s};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        out[n++] = single[i];
    const habitat_rates *rates[] = {&gpu->peak, &gpu->sustained};
    for (int r = 0; r < 2; r++)
        for (int d = 0; d < HABITAT_DTYPE_COUNT; d++) {
            out[n++] = rates[r]->matrix_flop_per_s[d];
            out[n++] = rates[r]->plain_flop_per_s[d];
        }
    return n;
}

enum { DOMINANCE_FACTS_MAX = 5 + 4 * HABITAT_DTYPE_COUNT };

/* Whether a has at least b's of everything. */
static inline bool dominates(const habitat_gpu *a, const habitat_gpu *b) {
    double x[DOMINANCE_FACTS_MAX], y[DOMINANCE_FACTS_MAX];
    size_t n = dominance_facts(a, x);
    dominance_facts(b, y);
    for (size_t i = 0; i < n; i++)
        if ((isfinite(y[i]) ? y[i] : 0.0) > (isfinite(x[i]) ? x[i] : 0.0))
            return false;
    return a != b;
}

/* Whether what a exchanges messages over is as fast as b's. */
static inline bool has_links_of(const habitat_gpu *a, const habitat_gpu *b) {
    return !(b->nvlink_bytes_per_s > a->nvlink_bytes_per_s) &&
           !(isfinite(b->nvlink_bytes_per_s) && !isfinite(a->nvlink_bytes_per_s)) &&
           !(b->pcie_bytes_per_s > a->pcie_bytes_per_s) &&
           !(isfinite(b->pcie_bytes_per_s) && !isfinite(a->pcie_bytes_per_s));
}

#endif
