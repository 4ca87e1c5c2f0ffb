/* One fit of a class's trees to some of its rows, and the rows that it did not see. */
#include "lab/train_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/train_trees.h"

/* Shape of the trees per class: few and shallow where GPUs must be bridged. Settled by leaving
 * training GPUs out; docs/modelling.md#choices */
static const struct {
    uint32_t transfer_depth, transfer_count, seen_depth, seen_count;
    double leaf_rows; /* the least a leaf holds; 0 = 80 for transfer, 30 for seen */
} shapes[OPERATOR_CLASSES] = {
    [OPERATOR_GEMM] = {3, 100, 5, 250, 0},           [OPERATOR_BMM] = {3, 100, 5, 250, 0},
    [OPERATOR_CONV] = {4, 150, 6, 250, 0},           [OPERATOR_ELEMENTWISE] = {3, 60, 4, 120, 0},
    [OPERATOR_SOFTMAX] = {4, 120, 5, 200, 0},        [OPERATOR_NORM] = {4, 120, 5, 200, 0},
    [OPERATOR_GEMM_MATRIX] = {5, 180, 6, 250, 0},    [OPERATOR_GEMM_FP8] = {5, 180, 6, 250, 0},
    [OPERATOR_ATTENTION] = {4, 150, 6, 250, 0},      [OPERATOR_WARM_SOFTMAX] = {4, 100, 5, 200, 0},
    [OPERATOR_WARM_NORM] = {4, 100, 5, 200, 0},      [OPERATOR_BATCH_NORM] = {3, 60, 4, 100, 0},
    [OPERATOR_ATTENTION_PLAIN] = {3, 60, 4, 100, 0}, [OPERATOR_CONV_OTHER] = {4, 200, 6, 500, 4},
    [OPERATOR_CONV_MATRIX] = {4, 200, 6, 500, 4},    [OPERATOR_RNN] = {3, 150, 5, 300, 16},
    [OPERATOR_CONV_GROUPS] = {2, 40, 6, 800, 4},
};

bool train_kept(const samples *s, size_t i, train_keep which, size_t left_out) {
    switch (which) {
    case KEEP_OTHERS:
        return s->gpu[i] != left_out;
    case KEEP_OTHER_KINDS:
        return s->gpus[s->gpu[i]]->compute_capability != s->gpus[left_out]->compute_capability;
    case KEEP_OTHER_WAYS:
        return s->way[i] != left_out % OPERATOR_WAYS_MAX &&
               train_kept(s, i, KEEP_OTHER_KINDS, left_out / OPERATOR_WAYS_MAX);
    case KEEP_NO_TESTS:
        return s->gpu[i] != left_out || !s->test[i];
    case KEEP_TRAIN:
        return !s->test[i];
    case KEEP_SHORT:
        return !s->is_long[i];
    case KEEP_FOUR_FIFTHS:
        return samples_scramble(s->hash[i], 5) % 5 != 0;
    default:
        return true;
    }
}

habitat_status train_fit(const samples *s, operator_class c, bool seen, train_keep which,
                         size_t left_out, uint64_t seed, trees *out, habitat_error *err) {
    float *x = malloc((s->n + 1) * s->d * sizeof *x), *y = malloc((s->n + 1) * sizeof *y);
    float *w = malloc((s->n + 1) * sizeof *w);
    habitat_status status = HABITAT_OK;
    size_t n = 0;
    if (!x || !y || !w)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; status == HABITAT_OK && i < s->n; i++)
        if (train_kept(s, i, which, left_out)) {
            memcpy(x + n * s->d, s->x + i * s->d, s->d * sizeof *x);
            y[n] = s->y[i];
            w[n++] = s->weight[i];
        }
    if (status == HABITAT_OK) {
        const operator_features *of = operator_facts_of(c)->features;
        bool use[OPERATOR_INPUTS_MAX];
        for (size_t j = 0; j < of->count; j++)
            use[j] = seen || !of->inputs[j].device;
        trees_options options = {.depth = seen ? shapes[c].seen_depth : shapes[c].transfer_depth,
                                 .count = seen ? shapes[c].seen_count : shapes[c].transfer_count,
                                 .learning_rate = .08,
                                 .row_share = .7,
                                 .input_share = .6,
                                 .leaf_rows = shapes[c].leaf_rows > 0 ? shapes[c].leaf_rows
                                              : seen                  ? 30
                                                                      : 80,
                                 .leaf_penalty = 5,
                                 .clip = .3,
                                 .seed = seed};
        status = n >= TRAIN_LEAST_ROWS
                     ? trees_train(x, y, w, n, s->d, use, &options, out, err)
                     : habitat_fail(err, HABITAT_E_ARG, "too few rows to train %s",
                                    operator_facts_of(c)->name);
    }
    free(x);
    free(y);
    free(w);
    return status;
}

/* ---- How far to correct
 * ---------------------------------------------------------------------------- */

const double train_shrinks[TRAIN_SHRINKS] = {0, .25, .5, .75, 1};

/* Of two GPUs, each is judged by a fit on the other alone, which says little of a fit on both: the
 * weight begins at one half, and one that departs from it must be better by `prior` times the
 * square of the step. docs/modelling.md#the-form */
double train_choose_shrink(const train_held_out *rows, size_t n, size_t gpu_count,
                           operator_class c) {
    double best = INFINITY, chosen = .5, prior = gpu_count < 3 ? .2 : 0;
    if (n == 0 &&
        operator_facts_of(c)->judged_by_kind) /* nothing says that trees hold for another kind */
        return 0;
    if (gpu_count < 2)
        return chosen;
    for (size_t k = 0; k < TRAIN_SHRINKS; k++) {
        double step = train_shrinks[k] - .5, sum = prior * step * step * (double)gpu_count;
        for (size_t i = 0; i < n; i++)
            sum += rows[i].weight *
                   fabs(exp(train_shrinks[k] * rows[i].correction - rows[i].residual) - 1);
        if (sum < best) {
            best = sum;
            chosen = train_shrinks[k];
        }
    }
    return chosen;
}

/* The first GPU of its compute capability stands for all of them. */
static uint8_t kind_of(const samples *s, size_t g) {
    uint8_t kind = 0;
    while (s->gpus[kind]->compute_capability != s->gpus[g]->compute_capability)
        kind++;
    return kind;
}

/* Test rows of a GPU stand for it where it has any; `by_shape`: the fifth that KEEP_FOUR_FIFTHS
 * left out. Without trees: what the analytic time alone does. */
size_t train_add_held_out(const samples *s, const trees *t, size_t g, bool seen, bool by_shape,
                          train_held_out *rows) {
    size_t tests = 0, n = 0;
    for (size_t i = 0; !by_shape && i < s->n; i++)
        tests += s->gpu[i] == g && s->test[i];
    for (size_t i = 0; i < s->n; i++) {
        if (s->gpu[i] != g || (tests >= 50 && !s->test[i]) ||
            (seen && tests < 50 && train_kept(s, i, KEEP_FOUR_FIFTHS, 0)))
            continue;
        const float *x = s->x + i * s->d, *x_estimated = s->x_estimated + i * s->d;
        rows[n++] = (train_held_out){
            .residual = (double)s->y[i],
            .residual_estimated = (double)s->y_estimated[i],
            .correction = t ? trees_predict(t, x) : 0,
            .correction_estimated = t ? trees_predict(t, x_estimated) : 0,
            .x = x,
            .x_estimated = x_estimated,
            .gpu = (uint8_t)g,
            .kind = kind_of(s, g),
            .way = s->way[i],
        };
    }
    for (size_t i = 0; i < n; i++)
        rows[i].weight = 1 / (double)n;
    return n;
}
