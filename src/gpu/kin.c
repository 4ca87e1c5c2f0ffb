/* Rates that parts of one chip share: docs/gpus.md, "Parts of one chip". A part that nobody
 * measured takes the share of the peak from those that somebody did, before the rule for estimates:
 * of the same chip, SMs and boost clock, at nearly the same power. Where clock or power are a
 * little further apart the share goes over into the rule: a user's file may have one MHz more. */
#include "gpu/entry.h"
#include "base/constants_gpus.h"
#include "base/same_text.h"

#include <math.h>
#include <string.h>

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

static double apart(double a, double b) {
    return fabs(a / b - 1);
}

/* From 1 (alike) to 0. */
static double fade(double distance, double same, double other) {
    double left = (other - distance) / (other - same);
    return fmin(1, fmax(0, left));
}

double gpu_kinship(const habitat_gpu *a, const habitat_gpu *b) {
    if (!same_known_text(a->chip, b->chip) || strcmp(a->name, b->name) == 0 ||
        a->sm_count != b->sm_count)
        return 0;
    return fade(apart(a->boost_clock_hz, b->boost_clock_hz), chosen_kin_clock,
                chosen_kin_clock_end) *
           fade(apart(a->tdp_w, b->tdp_w), chosen_kin_power, chosen_kin_power_end);
}

/* Shares of the peak that parts were measured at, each with its kinship. */
typedef struct shares {
    double sums[HABITAT_DTYPE_COUNT], weights[HABITAT_DTYPE_COUNT];
    double nearest; /* the kinship of the nearest */
} shares;

static void add_shares(const habitat_gpu *part, bool matrix, double kinship, shares *of) {
    habitat_gpu copy = *part;
    unit u = unit_of(&copy, matrix);
    for (size_t d = 0; d < HABITAT_DTYPE_COUNT; d++)
        if (measured(&u, d) && u.peak[d] > 0) {
            of->sums[d] += kinship * u.rates[d] / u.peak[d];
            of->weights[d] += kinship;
            of->nearest = fmax(of->nearest, kinship);
        }
}

/* Rates by the shares, as far as the nearest part is kin, else as they are. */
static void blend(const unit *u, const double *ruled, double nearest) {
    for (size_t d = 0; d < HABITAT_DTYPE_COUNT; d++) {
        if (isfinite(u->rates[d]) && isfinite(ruled[d]))
            u->rates[d] = nearest * u->rates[d] + (1 - nearest) * ruled[d];
        else if (isfinite(ruled[d]) && nearest < 1)
            u->rates[d] = ruled[d];
        u->estimated[d] = !isnan(u->rates[d]);
    }
}

static void take(const habitat_gpu_table *table, bool matrix, habitat_gpu *gpu) {
    unit u = unit_of(gpu, matrix);
    shares of = {0};
    double ruled[HABITAT_DTYPE_COUNT];
    size_t formats = 0;
    for (size_t i = 0; !any_measured(&u) && i < table->count; i++) {
        double kinship = gpu_kinship(gpu, &table->entries[i]->gpu);
        if (kinship > 0)
            add_shares(&table->entries[i]->gpu, matrix, kinship, &of);
    }
    for (size_t d = 0; d < HABITAT_DTYPE_COUNT; d++)
        formats += of.weights[d] > 0 && u.peak[d] > 0;
    if (formats == 0)
        return;
    memcpy(ruled, u.rates, sizeof ruled);
    for (size_t d = 0; d < HABITAT_DTYPE_COUNT; d++) {
        u.rates[d] = of.weights[d] > 0 ? of.sums[d] / of.weights[d] * u.peak[d] : NAN;
        u.estimated[d] = false;
    }
    gpu_estimate_sustained(gpu); /* formats that they were not measured in */
    blend(&u, ruled, of.nearest);
}

void gpu_rates_of_kin(const habitat_gpu_table *table, habitat_gpu *gpu) {
    take(table, true, gpu);
    take(table, false, gpu);
}
