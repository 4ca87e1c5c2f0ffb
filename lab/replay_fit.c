/* Fitting the rule for the CPU's side without a profiler: least absolute logarithms of ratios, as a
 * host that was held up is far off and must not pull; weights not negative. By least squares again
 * and again, each step weighed by how far off it was. Three weights: all their subsets are tried.
 */
#include "lab/replay_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/quantile.h"

/* Steps that the CPU bound beyond doubt. */
static bool counts(const replay_case *c, const char *without) {
    return c->basis == HABITAT_CPU_RECORDED && c->cpu_ms > 1.1 * c->busy_ms &&
           isfinite(c->features[0]) && (!without || strcmp(c->model, without) != 0);
}

/* Solve a (n x n) for x by elimination; false where it cannot be. */
static bool solve(size_t n, double a[REPLAY_FEATURES][REPLAY_FEATURES + 1], double *x) {
    for (size_t i = 0; i < n; i++) {
        size_t pivot = i;
        for (size_t r = i + 1; r < n; r++)
            if (fabs(a[r][i]) > fabs(a[pivot][i]))
                pivot = r;
        if (!(fabs(a[pivot][i]) > 0.0))
            return false;
        for (size_t k = 0; k <= n; k++) {
            double kept = a[i][k];
            a[i][k] = a[pivot][k];
            a[pivot][k] = kept;
        }
        for (size_t r = 0; r < n; r++) {
            double factor = r == i ? 0.0 : a[r][i] / a[i][i];
            for (size_t k = i; k <= n; k++)
                a[r][k] -= factor * a[i][k];
        }
    }
    for (size_t i = 0; i < n; i++)
        x[i] = a[i][n] / a[i][i];
    return true;
}

static double ratio_of(const replay_case *c, const double *weights) {
    double ns = 0.0;
    for (int f = 0; f < REPLAY_FEATURES; f++)
        ns += weights[f] * c->features[f];
    return ns / (c->cpu_ms * HABITAT_NS_PER_MS);
}

/* Of a case's square, so that the sum of squares is that of absolute logarithms near `before`. */
static double weight_of(const replay_case *c, const double *before) {
    static const double near_enough = 0.03;
    double ratio = before ? ratio_of(c, before) : 1.0;
    return before ? 1.0 / (fmax(fabs(log(ratio)), near_enough) * ratio) : 1.0;
}

/* With the features in `used` alone. */
static bool fit_some(const replay_set *set, const char *without, const double *before,
                     unsigned used, double *out) {
    size_t at[REPLAY_FEATURES] = {0}, n = 0;
    double a[REPLAY_FEATURES][REPLAY_FEATURES + 1] = {{0.0}}, x[REPLAY_FEATURES] = {0.0};
    for (size_t f = 0; f < REPLAY_FEATURES; f++)
        if (used >> f & 1)
            at[n++] = f;
    for (size_t i = 0; i < set->count; i++) {
        const replay_case *c = &set->cases[i];
        if (!counts(c, without))
            continue;
        double cpu_ns = c->cpu_ms * HABITAT_NS_PER_MS, weight = weight_of(c, before);
        for (size_t r = 0; r < n; r++) {
            double own = weight * c->features[at[r]] / cpu_ns;
            for (size_t k = 0; k < n; k++)
                a[r][k] += own * c->features[at[k]] / cpu_ns;
            a[r][n] += own;
        }
    }
    bool solved = solve(n, a, x);
    memset(out, 0, REPLAY_FEATURES * sizeof *out);
    for (size_t f = 0; solved && f < n; f++) {
        out[at[f]] = x[f];
        solved = x[f] >= 0.0;
    }
    return solved;
}

static double squares(const replay_set *set, const char *without, const double *before,
                      const double *weights) {
    double sum = 0.0;
    for (size_t i = 0; i < set->count; i++)
        if (counts(&set->cases[i], without))
            sum += weight_of(&set->cases[i], before) *
                   pow(ratio_of(&set->cases[i], weights) - 1.0, 2.0);
    return sum;
}

/* The best without a negative weight; false: there is none. */
static bool fit_round(const replay_set *set, const char *without, const double *before,
                      double *out) {
    double least = INFINITY;
    for (unsigned used = 1; used < 1u << REPLAY_FEATURES; used++) {
        double weights[REPLAY_FEATURES];
        if (!fit_some(set, without, before, used, weights))
            continue;
        double sum = squares(set, without, before, weights);
        if (sum < least)
            memcpy(out, weights, sizeof weights);
        least = fmin(least, sum);
    }
    return least < INFINITY;
}

static habitat_status median_ratio(const replay_set *set, const char *without,
                                   const double *weights, double *out, habitat_error *err) {
    double *ratios = malloc((set->count + 1) * sizeof *ratios);
    size_t n = 0;
    if (!ratios)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < set->count; i++)
        if (counts(&set->cases[i], without))
            ratios[n++] = ratio_of(&set->cases[i], weights);
    *out = 1.0;
    if (n) {
        habitat_sort_numbers(ratios, n);
        *out = habitat_quantile(ratios, n, 0.5);
    }
    free(ratios);
    return HABITAT_OK;
}

habitat_status replay_fit(const replay_set *set, const char *without, double out[REPLAY_FEATURES],
                          habitat_error *err) {
    enum { ROUNDS = 12 };
    double before[REPLAY_FEATURES], median = 1.0;
    memcpy(out, replay_rule_weights, sizeof replay_rule_weights);
    bool fine = fit_round(set, without, NULL, out);
    for (int i = 0; fine && i < ROUNDS; i++) {
        memcpy(before, out, sizeof before);
        fine = fit_round(set, without, before, out);
    }
    habitat_status status = median_ratio(set, without, out, &median, err);
    for (int f = 0; f < REPLAY_FEATURES; f++)
        out[f] /= median;
    return status;
}
