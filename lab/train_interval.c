/* Intervals of operator models, from rows held out of their fits: docs/modelling.md#protocol.
 *
 * Rows of one GPU err together (its bias) and each by itself. The spread of single rows is known
 * from thousands, the spread of biases from a handful of GPUs: a new GPU's bias is drawn from a
 * t distribution. Both add in squares. */
#include <math.h>
#include <stdlib.h>

#include "lab/train_interval.h"

enum { GPUS_MAX = 256 };

static const float no_evidence = .7F; /* a factor of two either way */
static const double least = .04;      /* runs of one program differ by as much */

typedef struct spread {
    double value, weight;
} spread;

static int compare_spreads(const void *a, const void *b) {
    double x = ((const spread *)a)->value, y = ((const spread *)b)->value;
    return (x > y) - (x < y);
}

/* Value below which this share of the weight lies; sorts. Unlike habitat_quantile() it weighs, and
 * gives one of the values: a row, not a point between two. */
static double weighted_quantile(spread *values, size_t n, double share) {
    double total = 0, sum = 0;
    qsort(values, n, sizeof *values, compare_spreads);
    for (size_t i = 0; i < n; i++)
        total += values[i].weight;
    for (size_t i = 0; i < n; i++) {
        sum += values[i].weight;
        if (sum >= share * total)
            return values[i].value;
    }
    return values[n - 1].value;
}

static double error_of(const train_held_out *row, double shrink, bool estimated) {
    return estimated ? row->residual_estimated - shrink * row->correction_estimated
                     : row->residual - shrink * row->correction;
}

/* Nine tenths of Student's t distribution with df degrees of freedom lie below. */
static double t_90(size_t df) {
    static const double table[] = {3.078, 1.886, 1.638, 1.533, 1.476, 1.440, 1.415, 1.397, 1.383};
    enum { LISTED = sizeof table / sizeof *table };
    return df == 0 ? table[0] : df <= LISTED ? table[df - 1] : 1.2816 + .92 / (double)df;
}

/* Median error of each GPU; how many GPUs have rows. */
static size_t biases_of(const train_held_out *rows, size_t n, double shrink, bool estimated,
                        spread *scratch, double biases[GPUS_MAX]) {
    size_t gpus = 0;
    for (unsigned g = 0; g < GPUS_MAX; g++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (rows[i].gpu == g)
                scratch[count++] = (spread){error_of(&rows[i], shrink, estimated), 1};
        biases[g] = count ? weighted_quantile(scratch, count, .5) : NAN;
        gpus += count > 0;
    }
    return gpus;
}

/* Mean and standard deviation of the biases of `gpus` GPUs. */
static void moments(const double biases[GPUS_MAX], size_t gpus, double *mean, double *deviation) {
    double sum = 0, squares = 0;
    for (unsigned g = 0; g < GPUS_MAX; g++)
        sum += isnan(biases[g]) ? 0 : biases[g];
    *mean = sum / (double)gpus;
    for (unsigned g = 0; g < GPUS_MAX; g++)
        squares += isnan(biases[g]) ? 0 : (biases[g] - *mean) * (biases[g] - *mean);
    *deviation = gpus > 1 ? sqrt(squares / (double)(gpus - 1)) : 0;
}

bool train_interval(const train_held_out *rows, size_t n, double shrink, double miss, float *low,
                    float *high) {
    spread *scratch = malloc((n ? n : 1) * sizeof *scratch);
    *low = -no_evidence;
    *high = no_evidence;
    if (!scratch || n == 0) {
        free(scratch);
        return scratch != NULL;
    }
    bool estimated = miss > 0;
    double biases[GPUS_MAX], mean, deviation, on_own_rates;
    size_t gpus = biases_of(rows, n, shrink, false, scratch, biases);
    moments(biases, gpus, &mean, &on_own_rates);
    deviation = on_own_rates;
    if (estimated) {
        gpus = biases_of(rows, n, shrink, true, scratch, biases);
        moments(biases, gpus, &mean, &deviation);
        deviation = fmax(deviation, hypot(on_own_rates, miss));
    }
    double common =
        gpus > 1 ? t_90(gpus - 1) * sqrt(1 + 1 / (double)gpus) * deviation : 1.2816 * deviation;
    for (size_t i = 0; i < n; i++)
        scratch[i] =
            (spread){error_of(&rows[i], shrink, estimated) - biases[rows[i].gpu], rows[i].weight};
    *low = (float)fmin(mean - hypot(weighted_quantile(scratch, n, .1), common), -least);
    *high = (float)fmax(mean + hypot(weighted_quantile(scratch, n, .9), common), least);
    free(scratch);
    return true;
}

bool train_seen_interval(const train_held_out *rows, size_t n, float *low, float *high) {
    spread *scratch = malloc((n ? n : 1) * sizeof *scratch);
    *low = -no_evidence;
    *high = no_evidence;
    for (size_t i = 0; scratch && i < n; i++)
        scratch[i] = (spread){error_of(&rows[i], 1, false), rows[i].weight};
    if (scratch && n) {
        *low = (float)fmin(weighted_quantile(scratch, n, .1), -least);
        *high = (float)fmax(weighted_quantile(scratch, n, .9), least);
    }
    free(scratch);
    return scratch != NULL;
}
