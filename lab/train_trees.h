/* Gradient boosting of regression trees. */
#ifndef HABITAT_LAB_TRAIN_TREES_H
#define HABITAT_LAB_TRAIN_TREES_H

#include "lab/lab.h"
#include "models/learned.h"

typedef struct trees_options {
    uint32_t depth, count;
    double learning_rate, row_share, input_share, leaf_rows, leaf_penalty;
    double clip; /* pseudo-Huber: residuals beyond this count linearly */
    uint64_t seed;
} trees_options;

/* Fit targets y by gradient boosting on quantile bins.
 * inputs: shape (n, d), row-major. weights: shape (n), > 0. use: shape (d), false = leave out.
 * Deterministic: sums run in row order. HABITAT_E_ARG, HABITAT_E_MEMORY. */
habitat_status trees_train(const float *inputs, const float *y, const float *weights, size_t n,
                           size_t d, const bool *use, const trees_options *options, trees *out,
                           habitat_error *err);

#endif
