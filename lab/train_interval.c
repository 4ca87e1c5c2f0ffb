/* Intervals of operator models, from rows held out of their fits: docs/modelling.md#protocol.
 *
 * Rows of one GPU err together (its bias) and each by itself. The spread of single rows is known
 * from thousands, the spread of biases from a handful of GPUs: a new GPU's bias is drawn from a
 * t distribution, whose degrees of freedom are the kinds of GPU that stand behind it. Both add in
 * squares. Answers are right on average over GPUs or are not given: biases count from 0. */
#include <math.h>
#include <stdlib.h>

#include "base/constants_operators.h"
#include "lab/train_interval.h"

enum { GPUS_MAX = 256, WAYS_MAX = 256 };

static const float no_evidence = .7F; /* a factor of two either way */

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

double train_error_of(const train_held_out *row, double shrink, bool estimated) {
    return estimated ? row->residual_estimated - shrink * row->correction_estimated
                     : row->residual - shrink * row->correction;
}

/* Nine tenths of Student's t distribution with df degrees of freedom lie below; without any, no
 * bound is known. */
static double t_90(size_t df) {
    static const double table[] = {3.078, 1.886, 1.638, 1.533, 1.476, 1.440, 1.415, 1.397, 1.383};
    enum { LISTED = sizeof table / sizeof *table };
    if (df == 0)
        return INFINITY;
    return df <= LISTED ? table[df - 1] : 1.2816 + .92 / (double)df;
}

/* GPUs that stand behind an interval: the median error of each, NaN without rows, and its kind. */
typedef struct biases {
    double value[GPUS_MAX];
    uint8_t kind[GPUS_MAX];
} biases;

static void find_biases(const train_held_out *rows, size_t n, double shrink, bool estimated,
                        spread *scratch, biases *out) {
    for (unsigned g = 0; g < GPUS_MAX; g++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (rows[i].gpu == g) {
                out->kind[g] = rows[i].kind;
                scratch[count++] = (spread){train_error_of(&rows[i], shrink, estimated), 1};
            }
        out->value[g] = count ? weighted_quantile(scratch, count, .5) : NAN;
    }
}

/* Root mean square of the biases, each kind counting alike; NaN without any. @param kinds receives
 * their number. */
static double spread_of_biases(const biases *of, size_t *kinds) {
    double sums[GPUS_MAX] = {0}, counts[GPUS_MAX] = {0}, squares = 0;
    for (unsigned g = 0; g < GPUS_MAX; g++)
        if (!isnan(of->value[g])) {
            sums[of->kind[g]] += of->value[g] * of->value[g];
            counts[of->kind[g]]++;
        }
    *kinds = 0;
    for (unsigned k = 0; k < GPUS_MAX; k++)
        if (counts[k] > 0) {
            squares += sums[k] / counts[k];
            ++*kinds;
        }
    return *kinds > 0 ? sqrt(squares / (double)*kinds) : NAN;
}

static double spread_of(const train_held_out *row, bool estimated) {
    return estimated ? row->spread_estimated : row->spread;
}

/* What rows of a GPU have in common: each one's bias, and what a new GPU's may be; NaN without
 * rows. */
static double common_of(const train_held_out *rows, size_t n, double shrink, double miss,
                        spread *scratch, biases *of) {
    size_t kinds = 0;
    find_biases(rows, n, shrink, false, scratch, of);
    double bias = spread_of_biases(of, &kinds);
    if (miss > 0) {
        double on_own_rates = bias;
        find_biases(rows, n, shrink, true, scratch, of);
        bias = fmax(spread_of_biases(of, &kinds), hypot(on_own_rates, miss));
    }
    return kinds > 0 ? t_90(kinds) * bias : NAN;
}

static train_width width_of(const train_held_out *rows, size_t n, double shrink, double miss,
                            spread *scratch) {
    bool estimated = miss > 0;
    biases of;
    double common = common_of(rows, n, shrink, miss, scratch, &of);
    if (isnan(common))
        return (train_width){NAN, NAN};
    for (size_t i = 0; i < n; i++)
        scratch[i] =
            (spread){fabs(train_error_of(&rows[i], shrink, estimated) - of.value[rows[i].gpu]) /
                         exp(spread_of(&rows[i], estimated)),
                     rows[i].weight};
    return (train_width){weighted_quantile(scratch, n, .8), common};
}

/* The median error of one GPU's rows of one way beside the GPU's own, which is taken off theirs in
 * `left`; NaN without such rows. */
static double way_bias(const train_held_out *rows, size_t n, double bias, unsigned gpu,
                       unsigned way, spread *scratch, spread *left) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (rows[i].gpu == gpu && rows[i].way == way)
            scratch[count++] = (spread){left[i].value - bias, 1};
    double own = count ? weighted_quantile(scratch, count, .5) : NAN;
    for (size_t i = 0; i < n; i++)
        if (rows[i].gpu == gpu && rows[i].way == way)
            left[i].value = fabs(left[i].value - bias - own);
    return own;
}

/* Root mean square of the ways' biases, times Student's t: each way counts alike, and each GPU in
 * it. left: the rows' errors, then how far they are from what their GPU and way have in common. */
static double common_of_ways(const train_held_out *rows, size_t n, const biases *of,
                             spread *scratch, spread *left) {
    double squares = 0;
    size_t ways = 0;
    for (unsigned way = 0; way < WAYS_MAX; way++) {
        double sum = 0, count = 0;
        for (unsigned g = 0; g < GPUS_MAX; g++) {
            double own =
                isnan(of->value[g]) ? NAN : way_bias(rows, n, of->value[g], g, way, scratch, left);
            if (!isnan(own)) {
                sum += own * own;
                count++;
            }
        }
        if (count > 0) {
            squares += sum / count;
            ways++;
        }
    }
    return t_90(ways) * sqrt(squares / (double)ways);
}

bool train_way_interval(const train_held_out *rows, size_t n, double shrink, double miss,
                        float *half) {
    spread *scratch = malloc((n ? n : 1) * sizeof *scratch),
           *left = malloc((n ? n : 1) * sizeof *left);
    bool done = scratch && left;
    *half = no_evidence;
    if (done && n > 0) {
        biases of;
        double common = common_of(rows, n, shrink, miss, scratch, &of);
        for (size_t i = 0; i < n; i++)
            left[i] = (spread){train_error_of(&rows[i], shrink, miss > 0), rows[i].weight};
        double of_ways = common_of_ways(rows, n, &of, scratch, left);
        double own = weighted_quantile(left, n, .8);
        *half = (float)fmax(chosen_least_width, hypot(hypot(own, of_ways), common));
    }
    free(scratch);
    free(left);
    return done;
}

bool train_width_of(const train_held_out *rows, size_t n, double shrink, double miss,
                    train_width *out) {
    spread *scratch = malloc((n ? n : 1) * sizeof *scratch);
    *out = (train_width){NAN, NAN};
    if (scratch && n > 0)
        *out = width_of(rows, n, shrink, miss, scratch);
    free(scratch);
    return scratch != NULL;
}

bool train_deviations(const train_held_out *rows, size_t n, double shrink, double *out) {
    spread *scratch = malloc((n ? n : 1) * sizeof *scratch);
    biases of;
    if (!scratch)
        return false;
    find_biases(rows, n, shrink, false, scratch, &of);
    for (size_t i = 0; i < n; i++)
        out[i] = fabs(train_error_of(&rows[i], shrink, false) - of.value[rows[i].gpu]);
    free(scratch);
    return true;
}

bool train_interval(const train_held_out *rows, size_t n, double shrink, double miss, float *low,
                    float *high) {
    train_width width;
    bool done = train_width_of(rows, n, shrink, miss, &width);
    double half = isnan(width.bias) ? (double)no_evidence
                                    : fmax(chosen_least_width, hypot(width.rows, width.bias));
    *low = (float)-half;
    *high = (float)half;
    return done;
}

bool train_seen_interval(const train_held_out *rows, size_t n, float *low, float *high) {
    spread *scratch = malloc((n ? n : 1) * sizeof *scratch);
    *low = -no_evidence;
    *high = no_evidence;
    for (size_t i = 0; scratch && i < n; i++)
        scratch[i] = (spread){train_error_of(&rows[i], 1, false), rows[i].weight};
    if (scratch && n) {
        *low = (float)fmin(weighted_quantile(scratch, n, .1), -chosen_least_width);
        *high = (float)fmax(weighted_quantile(scratch, n, .9), chosen_least_width);
    }
    free(scratch);
    return scratch != NULL;
}
