/* Training of boosted trees: gradient boosting with histograms.
 *
 * Inputs are cut into at most 64 bins at quantiles, each level of a tree sums gradients per node,
 * input and bin, and takes the cut with the largest gain. Trees are complete; a node without a
 * useful cut sends everything left. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/random.h"
#include "lab/train_trees.h"

/* ---- Bins
 * --------------------------------------------------------------------------------------- */

enum { BINS = 64 };

typedef struct binning {
    uint32_t bins[OPERATOR_INPUTS_MAX];     /* per input, at least 1 */
    float edges[OPERATOR_INPUTS_MAX][BINS]; /* upper edge of bin i; the last is unused */
    uint8_t *index;                         /* shape (d, n): column-major */
} binning;

static int compare_floats(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Edges between distinct values, at quantiles where there are many. */
static void cut(const float *sorted, size_t n, float *edges, uint32_t *bins) {
    uint32_t count = 0;
    float last = sorted[0];
    for (uint32_t i = 1; i < BINS; i++) {
        float at = sorted[(size_t)((double)n * i / BINS)];
        if (at > last) {
            edges[count++] = last + (at - last) / 2;
            last = at;
        }
    }
    if (sorted[n - 1] > last && count < BINS - 1)
        edges[count++] = last + (sorted[n - 1] - last) / 2;
    *bins = count + 1;
}

static bool bin_all(const float *inputs, size_t n, size_t d, binning *b) {
    b->index = malloc(n * d);
    float *column = malloc(n * sizeof *column);
    bool done = b->index && column;
    for (size_t j = 0; done && j < d; j++) {
        for (size_t i = 0; i < n; i++)
            column[i] = inputs[i * d + j];
        qsort(column, n, sizeof *column, compare_floats);
        cut(column, n, b->edges[j], &b->bins[j]);
        for (size_t i = 0; i < n; i++) {
            uint32_t at = 0;
            while (at + 1 < b->bins[j] && inputs[i * d + j] > b->edges[j][at])
                at++;
            b->index[j * n + i] = (uint8_t)at;
        }
    }
    free(column);
    return done;
}

/* ---- Growing one tree
 * ---------------------------------------------------------------------------- */

typedef struct sums {
    double gradient, weight;
} sums;

typedef struct grower {
    const trees_options *options;
    size_t n, d;
    binning bins;
    const float *weights;
    float *gradient;  /* shape (n): weighted, of the loss by the prediction, negative */
    uint16_t *node;   /* shape (n): position in the tree; rows out of the sample keep theirs too */
    uint32_t *sample; /* shape (sample_count): rows of this tree's sample, ascending */
    size_t sample_count;
    sums *histogram; /* shape (2^(depth-1), BINS) */
} grower;

static double score(sums s, double penalty) {
    return s.weight > 0 ? s.gradient * s.gradient / (s.weight + penalty) : 0;
}

typedef struct best_cut {
    double gain;
    uint32_t bin;
    uint8_t input;
} best_cut;

/* Best cut on input j of every node of this level. */
static void search_input(grower *g, size_t j, size_t first, size_t nodes, best_cut *best) {
    size_t bins = g->bins.bins[j];
    memset(g->histogram, 0, nodes * BINS * sizeof *g->histogram);
    const uint8_t *index = g->bins.index + j * g->n;
    for (size_t r = 0; r < g->sample_count; r++) {
        size_t i = g->sample[r];
        sums *cell = &g->histogram[(g->node[i] - first) * BINS + index[i]];
        cell->gradient += (double)g->gradient[i];
        cell->weight += (double)g->weights[i];
    }
    double penalty = g->options->leaf_penalty, least = g->options->leaf_rows;
    for (size_t k = 0; k < nodes; k++) {
        const sums *cells = g->histogram + k * BINS;
        sums all = {0, 0}, left = {0, 0};
        for (size_t b = 0; b < bins; b++) {
            all.gradient += cells[b].gradient;
            all.weight += cells[b].weight;
        }
        for (size_t b = 0; b + 1 < bins; b++) {
            left.gradient += cells[b].gradient;
            left.weight += cells[b].weight;
            sums right = {all.gradient - left.gradient, all.weight - left.weight};
            if (left.weight < least || right.weight < least)
                continue;
            double gain = score(left, penalty) + score(right, penalty) - score(all, penalty);
            if (gain > best[k].gain + 1e-12)
                best[k] = (best_cut){gain, (uint32_t)b, (uint8_t)j};
        }
    }
}

static void grow_level(grower *g, uint32_t level, const bool *use, uint8_t *feature,
                       float *threshold) {
    size_t nodes = (size_t)1 << level, first = nodes - 1;
    best_cut best[1 << (TREES_DEPTH_MAX - 1)];
    for (size_t k = 0; k < nodes; k++)
        best[k] = (best_cut){0, 0, TREES_PASS};
    for (size_t j = 0; j < g->d; j++)
        if (use[j] && g->bins.bins[j] > 1)
            search_input(g, j, first, nodes, best);
    for (size_t k = 0; k < nodes; k++) {
        feature[first + k] = best[k].input;
        threshold[first + k] =
            best[k].input == TREES_PASS ? 0.0F : g->bins.edges[best[k].input][best[k].bin];
    }
    for (size_t i = 0; i < g->n; i++) {
        const best_cut *c = &best[g->node[i] - first];
        bool right = c->input != TREES_PASS && g->bins.index[c->input * g->n + i] > c->bin;
        g->node[i] = (uint16_t)(2 * g->node[i] + 1 + right);
    }
}

static void fill_leaves(grower *g, float *leaf, float *prediction) {
    size_t leaves = (size_t)1 << g->options->depth;
    sums total[1 << TREES_DEPTH_MAX];
    memset(total, 0, leaves * sizeof *total);
    for (size_t r = 0; r < g->sample_count; r++) {
        size_t i = g->sample[r];
        sums *cell = &total[g->node[i] - (leaves - 1)];
        cell->gradient += (double)g->gradient[i];
        cell->weight += (double)g->weights[i];
    }
    for (size_t k = 0; k < leaves; k++)
        leaf[k] = total[k].weight > 0 ? (float)(g->options->learning_rate * total[k].gradient /
                                                (total[k].weight + g->options->leaf_penalty))
                                      : 0.0F;
    for (size_t i = 0; i < g->n; i++)
        prediction[i] += leaf[g->node[i] - (leaves - 1)];
}

/* A random share of the inputs in use, at least one. */
static void choose_inputs(random_state *random, const bool *use, size_t d, double share,
                          bool *chosen) {
    bool any = false;
    for (size_t j = 0; j < d; j++) {
        chosen[j] = use[j] && random_uniform(random) < share;
        any = any || chosen[j];
    }
    if (!any)
        memcpy(chosen, use, d * sizeof *chosen);
}

static void grow(grower *g, random_state *random, const float *y, const bool *use,
                 float *prediction, trees *out, uint32_t number) {
    size_t nodes = ((size_t)1 << g->options->depth) - 1;
    bool chosen[OPERATOR_INPUTS_MAX];
    choose_inputs(random, use, g->d, g->options->input_share, chosen);
    double clip = g->options->clip;
    g->sample_count = 0;
    for (size_t i = 0; i < g->n; i++) {
        double residual = (double)(y[i] - prediction[i]);
        double slope = residual / sqrt(1 + residual * residual / (clip * clip));
        g->gradient[i] = (float)((double)g->weights[i] * slope);
        if (random_uniform(random) < g->options->row_share)
            g->sample[g->sample_count++] = (uint32_t)i;
        g->node[i] = 0;
    }
    for (uint32_t level = 0; level < g->options->depth; level++)
        grow_level(g, level, chosen, out->feature + number * nodes,
                   out->threshold + number * nodes);
    fill_leaves(g, out->leaf + number * (nodes + 1), prediction);
}

static float weighted_median(const float *y, size_t n, float *scratch) {
    memcpy(scratch, y, n * sizeof *y);
    qsort(scratch, n, sizeof *scratch, compare_floats);
    return scratch[n / 2];
}

habitat_status trees_train(const float *inputs, const float *y, const float *weights, size_t n,
                           size_t d, const bool *use, const trees_options *options, trees *out,
                           habitat_error *err) {
    if (n == 0 || d == 0 || d > OPERATOR_INPUTS_MAX || options->depth == 0 ||
        options->depth > TREES_DEPTH_MAX || options->count > TREES_COUNT_MAX)
        return habitat_fail(err, HABITAT_E_ARG, "nothing to train trees on");
    size_t nodes = ((size_t)1 << options->depth) - 1, count = options->count;
    grower *g = calloc(1, sizeof *g);
    trees made = {.depth = options->depth, .count = options->count, .inputs = (uint32_t)d};
    made.feature = malloc(nodes * count + 1);
    made.threshold = malloc((nodes * count + 1) * sizeof *made.threshold);
    made.leaf = malloc(((nodes + 1) * count + 1) * sizeof *made.leaf);
    float *prediction = malloc(n * sizeof *prediction);
    bool done = g && made.feature && made.threshold && made.leaf && prediction;
    if (done) {
        *g = (grower){.options = options, .n = n, .d = d, .weights = weights};
        g->gradient = malloc(n * sizeof *g->gradient);
        g->node = malloc(n * sizeof *g->node);
        g->sample = malloc(n * sizeof *g->sample);
        g->histogram = malloc(((nodes + 1) / 2) * BINS * sizeof *g->histogram);
        done =
            g->gradient && g->node && g->sample && g->histogram && bin_all(inputs, n, d, &g->bins);
    }
    if (done) {
        random_state random = random_seeded(options->seed);
        made.bias = weighted_median(y, n, prediction);
        for (size_t i = 0; i < n; i++)
            prediction[i] = made.bias;
        for (uint32_t i = 0; i < options->count; i++)
            grow(g, &random, y, use, prediction, &made, i);
        *out = made;
    } else {
        trees_free(&made);
    }
    if (g) {
        free(g->gradient);
        free(g->node);
        free(g->sample);
        free(g->histogram);
        free(g->bins.index);
    }
    free(g);
    free(prediction);
    return done ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}
