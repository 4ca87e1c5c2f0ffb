/* Boosted trees: inference. lab/train_trees.c grows them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/learned.h"

/* Each step down a tree waits for the one before it, those of different trees do not: so many go
 * down together. */
enum { TOGETHER = 8 };

/* Inputs as nodes ask for them: a node that splits nothing asks for one that is above no threshold,
 * and goes left like any other. */
typedef struct asked_inputs {
    float of[TREES_PASS + 1];
} asked_inputs;

/* The node below `at`: the right one where the input is above the node's threshold. */
static inline size_t below(const uint8_t *feature, const float *threshold, size_t at,
                           const asked_inputs *inputs) {
    return 2 * at + 1 + (inputs->of[feature[at]] > threshold[at]);
}

/* The leaf of tree number `tree` where the inputs end. */
static float leaf_of(const trees *t, size_t tree, const asked_inputs *inputs) {
    size_t nodes = ((size_t)1 << t->depth) - 1, at = 0;
    for (uint32_t level = 0; level < t->depth; level++)
        at = below(t->feature + tree * nodes, t->threshold + tree * nodes, at, inputs);
    return t->leaf[tree * (nodes + 1) + at - nodes];
}

/* The same of TOGETHER trees from `first` on. */
static void leaves_of(const trees *t, size_t first, const asked_inputs *inputs,
                      float out[TOGETHER]) {
    size_t nodes = ((size_t)1 << t->depth) - 1;
    const uint8_t *feature = t->feature + first * nodes;
    const float *threshold = t->threshold + first * nodes;
    size_t at[TOGETHER] = {0};
    for (uint32_t level = 0; level < t->depth; level++) {
#pragma GCC unroll 8
        for (size_t k = 0; k < TOGETHER; k++)
            at[k] = below(feature + k * nodes, threshold + k * nodes, at[k], inputs);
    }
    for (size_t k = 0; k < TOGETHER; k++)
        out[k] = t->leaf[(first + k) * (nodes + 1) + at[k] - nodes];
}

double trees_predict(const trees *t, const float *inputs) {
    double sum = t->bias; /* tree by tree, so that a sum does not hang on TOGETHER */
    size_t i = 0;
    asked_inputs asked;
    memcpy(asked.of, inputs, t->inputs * sizeof *inputs);
    asked.of[TREES_PASS] = -INFINITY;
    for (; i + TOGETHER <= t->count; i += TOGETHER) {
        float leaf[TOGETHER];
        leaves_of(t, i, &asked, leaf);
        for (size_t k = 0; k < TOGETHER; k++)
            sum += (double)leaf[k];
    }
    for (; i < t->count; i++)
        sum += (double)leaf_of(t, i, &asked);
    return sum;
}

void trees_free(trees *t) {
    free(t->feature);
    free(t->threshold);
    free(t->leaf);
    *t = (trees){0};
}
