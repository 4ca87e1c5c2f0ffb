/* Widths that depend on the operation (docs/modelling.md#protocol, docs/decisions/0320).
 *
 * Some answers of a class are surer than others: many waves of large tiles against a product that
 * one tile holds. Trees learn the logarithm of |error - bias of its GPU| from rows of GPUs that
 * were left out; their power, 0 to 1, is chosen as the weight of the trees that correct is: each
 * kind of GPU is left out once more, and the interval made from the others is scored on its rows.
 */
#include "lab/train_spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_operators.h"
#include "base/error.h"
#include "lab/train_trees.h"

/* An error of less counts as that much: chance makes any error nearly 0. */
static const double least_deviation = .01;
/* What a miss costs, against width: 2 / (1 - 0.80), the interval score. */
static const double miss_costs = 10;
static const double powers[] = {0, .25, .5, .75, 1};
enum { POWERS = sizeof powers / sizeof *powers, KINDS_MAX = 256, LEAST_SPREAD_ROWS = 200 };

/* Rows of all kinds but one, or of it alone. */
static size_t pick(const train_held_out *rows, size_t n, uint8_t kind, bool others,
                   train_held_out *out) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if ((rows[i].kind != kind) == others)
            out[count++] = rows[i];
    return count;
}

/* What the trees are fitted to. */
typedef struct fit_space {
    float *x, *y, *weight;
    double *deviation;
} fit_space;

static bool fill(const train_held_out *rows, size_t n, size_t d, double shrink, fit_space *to) {
    double sum = 0;
    if (!train_deviations(rows, n, shrink, to->deviation))
        return false;
    for (size_t i = 0; i < n; i++)
        sum += rows[i].weight;
    for (size_t i = 0; i < n; i++) {
        memcpy(to->x + i * d, rows[i].x, d * sizeof *to->x);
        to->y[i] = (float)log(fmax(to->deviation[i], least_deviation));
        to->weight[i] = (float)(rows[i].weight * (double)n / sum);
    }
    return true;
}

static habitat_status fit(const train_held_out *rows, size_t n, const operator_features *features,
                          double shrink, uint64_t seed, trees *out, habitat_error *err) {
    size_t d = features->count;
    bool use[OPERATOR_INPUTS_MAX];
    for (size_t j = 0; j < d; j++)
        use[j] = !features->inputs[j].device;
    fit_space of = {malloc((n + 1) * d * sizeof *of.x), malloc((n + 1) * sizeof *of.y),
                    malloc((n + 1) * sizeof *of.weight), malloc((n + 1) * sizeof *of.deviation)};
    trees_options options = {.depth = 2,
                             .count = 40,
                             .learning_rate = .1,
                             .row_share = .7,
                             .input_share = .6,
                             .leaf_rows = .05 * (double)n,
                             .leaf_penalty = 5,
                             .clip = .5,
                             .seed = seed};
    habitat_status status = HABITAT_OK;
    if (!of.x || !of.y || !of.weight || !of.deviation || !fill(rows, n, d, shrink, &of))
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    else
        status = trees_train(of.x, of.y, of.weight, n, d, use, &options, out, err);
    free(of.x);
    free(of.y);
    free(of.weight);
    free(of.deviation);
    return status;
}

static void spread_rows(train_held_out *rows, size_t n, const trees *t, double power) {
    for (size_t i = 0; i < n; i++) {
        rows[i].spread = power > 0 ? power * trees_predict(t, rows[i].x) : 0;
        rows[i].spread_estimated = power > 0 ? power * trees_predict(t, rows[i].x_estimated) : 0;
    }
}

/* Mean interval score of rows by a width that others gave: width, and what lies outside of it. */
static double score_of(const train_held_out *rows, size_t n, double shrink, train_width width) {
    double sum = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        double half =
            fmax(chosen_least_width_long, hypot(width.rows * exp(rows[i].spread), width.bias));
        double off = fabs(train_error_of(&rows[i], shrink, false));
        sum += rows[i].weight * (2 * half + miss_costs * fmax(0, off - half));
        total += rows[i].weight;
    }
    return sum / total;
}

/* Adds the logarithm of the score of one kind, left out, for each power. */
static habitat_status judge_kind(const train_held_out *rows, size_t n, uint8_t kind,
                                 const operator_features *features, double shrink, uint64_t seed,
                                 double scores[POWERS], habitat_error *err) {
    train_held_out *others = malloc((n + 1) * sizeof *others);
    train_held_out *own = malloc((n + 1) * sizeof *own);
    trees t = {0};
    habitat_status status = HABITAT_OK;
    if (!others || !own)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    size_t count = own && others ? pick(rows, n, kind, true, others) : 0;
    size_t judged = own && others ? pick(rows, n, kind, false, own) : 0;
    if (status == HABITAT_OK)
        status = fit(others, count, features, shrink, seed, &t, err);
    for (size_t k = 0; status == HABITAT_OK && k < POWERS; k++) {
        train_width width;
        spread_rows(others, count, &t, powers[k]);
        spread_rows(own, judged, &t, powers[k]);
        if (!train_width_of(others, count, shrink, 0, &width))
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        else
            scores[k] += log(score_of(own, judged, shrink, width));
    }
    trees_free(&t);
    free(others);
    free(own);
    return status;
}

/* The power with the best mean logarithm of scores; 0 with fewer than two kinds. */
static habitat_status choose_power(const train_held_out *rows, size_t n,
                                   const operator_features *features, double shrink, uint64_t seed,
                                   double *out, habitat_error *err) {
    size_t counts[KINDS_MAX] = {0}, kinds = 0;
    double scores[POWERS] = {0};
    *out = 0;
    for (size_t i = 0; i < n; i++)
        kinds += counts[rows[i].kind]++ == 0;
    for (unsigned kind = 0; kinds > 1 && kind < KINDS_MAX; kind++) {
        habitat_status status = counts[kind] == 0 ? HABITAT_OK
                                                  : judge_kind(rows, n, (uint8_t)kind, features,
                                                               shrink, seed, scores, err);
        if (status != HABITAT_OK)
            return status;
    }
    size_t best = 0;
    for (size_t k = 1; k < POWERS; k++)
        if (scores[k] < scores[best])
            best = k;
    *out = powers[best];
    return HABITAT_OK;
}

habitat_status train_spread(train_held_out *rows, size_t n, const operator_features *features,
                            double shrink, double miss, uint64_t seed, learned_spread *out,
                            habitat_error *err) {
    double power = 0;
    train_width own, estimated;
    *out = (learned_spread){0};
    if (n < LEAST_SPREAD_ROWS)
        return HABITAT_OK;
    habitat_status status = choose_power(rows, n, features, shrink, seed, &power, err);
    if (status != HABITAT_OK || power == 0)
        return status;
    status = fit(rows, n, features, shrink, seed, &out->trees, err);
    if (status != HABITAT_OK)
        return status;
    spread_rows(rows, n, &out->trees, power);
    if (!train_width_of(rows, n, shrink, 0, &own) ||
        !train_width_of(rows, n, shrink, miss, &estimated))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    out->power = (float)power;
    out->rows = (float)own.rows;
    out->bias = (float)own.bias;
    out->rows_estimated = (float)estimated.rows;
    out->bias_estimated = (float)estimated.bias;
    return HABITAT_OK;
}
