/* Boosted trees: inference. lab/train_trees.c grows them. */
#include <stdlib.h>

#include "models/learned.h"

double trees_predict(const trees *t, const float *inputs) {
    size_t nodes = ((size_t)1 << t->depth) - 1;
    double sum = t->bias;
    for (uint32_t i = 0; i < t->count; i++) {
        const uint8_t *feature = t->feature + i * nodes;
        const float *threshold = t->threshold + i * nodes;
        size_t at = 0;
        for (uint32_t level = 0; level < t->depth; level++) {
            bool right = feature[at] != TREES_PASS && inputs[feature[at]] > threshold[at];
            at = 2 * at + 1 + right;
        }
        sum += (double)t->leaf[i * (nodes + 1) + at - nodes];
    }
    return sum;
}

void trees_free(trees *t) {
    free(t->feature);
    free(t->threshold);
    free(t->leaf);
    *t = (trees){0};
}
