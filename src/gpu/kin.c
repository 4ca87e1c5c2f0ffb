/* Rates that parts of one chip share: docs/gpus.md, "Parts of one chip". A part that nobody
 * measured takes the share of the peak from those that somebody did, before the rule for estimates:
 * of the same chip, SMs and boost clock, at nearly the same power. */
#include "gpu/entry.h"

#include <math.h>
#include <string.h>

static const double same_power = 0.05; /* boards of one chip are sold 5 to 10 W apart */

typedef struct unit {
    const double *peak;
    double *rates;
    bool *estimated;
} unit;

static unit unit_of(habitat_gpu *gpu, bool matrix) {
    return matrix ? (unit){gpu->peak.matrix_flop_per_s, gpu->sustained.matrix_flop_per_s,
                           gpu->sustained_matrix_estimated}
                  : (unit){gpu->peak.plain_flop_per_s, gpu->sustained.plain_flop_per_s,
                           gpu->sustained_plain_estimated};
}

static bool measured(const unit *u, size_t d) {
    return !isnan(u->rates[d]) && !u->estimated[d];
}

static bool any_measured(const unit *u) {
    bool any = false;
    for (size_t d = 0; d < HABITAT_DTYPE_COUNT; d++)
        any |= measured(u, d);
    return any;
}

static bool same_text(const char *a, const char *b) {
    return a && b && strcmp(a, b) == 0;
}

bool gpu_is_kin(const habitat_gpu *a, const habitat_gpu *b) {
    return same_text(a->chip, b->chip) && strcmp(a->name, b->name) != 0 &&
           a->sm_count == b->sm_count && fabs(a->boost_clock_hz / b->boost_clock_hz - 1) < 1e-9 &&
           fabs(a->tdp_w / b->tdp_w - 1) <= same_power;
}

/* Adds the shares of the peak that one part was measured at. */
static void add_shares(const habitat_gpu *part, bool matrix, double *sums, size_t *counts) {
    habitat_gpu copy = *part;
    unit u = unit_of(&copy, matrix);
    for (size_t d = 0; d < HABITAT_DTYPE_COUNT; d++)
        if (measured(&u, d) && u.peak[d] > 0) {
            sums[d] += u.rates[d] / u.peak[d];
            counts[d]++;
        }
}

static void take(const habitat_gpu_table *table, bool matrix, habitat_gpu *gpu) {
    unit u = unit_of(gpu, matrix);
    double sums[HABITAT_DTYPE_COUNT] = {0};
    size_t counts[HABITAT_DTYPE_COUNT] = {0}, formats = 0;
    for (size_t i = 0; !any_measured(&u) && i < table->count; i++)
        if (gpu_is_kin(gpu, &table->entries[i]->gpu))
            add_shares(&table->entries[i]->gpu, matrix, sums, counts);
    for (size_t d = 0; d < HABITAT_DTYPE_COUNT; d++)
        formats += counts[d] > 0 && u.peak[d] > 0;
    if (formats == 0)
        return;
    for (size_t d = 0; d < HABITAT_DTYPE_COUNT; d++) {
        u.rates[d] = counts[d] ? sums[d] / (double)counts[d] * u.peak[d] : NAN;
        u.estimated[d] = false;
    }
    gpu_estimate_sustained(gpu); /* formats that they were not measured in */
    for (size_t d = 0; d < HABITAT_DTYPE_COUNT; d++)
        u.estimated[d] = !isnan(u.rates[d]);
}

void gpu_rates_of_kin(const habitat_gpu_table *table, habitat_gpu *gpu) {
    take(table, true, gpu);
    take(table, false, gpu);
}
