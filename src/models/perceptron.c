/* Perceptrons: inference, a block of rows at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/learned.h"

size_t perceptron_parameter_count(const perceptron *net) {
    size_t count = 0, in = net->inputs;
    for (uint32_t i = 0; i < net->layers; i++, in = net->width)
        count += (in + 1) * net->width;
    return count + in + 1;
}

static size_t widest(const perceptron *net) {
    return net->width > net->inputs ? net->width : net->inputs;
}

size_t perceptron_scratch(const perceptron *net) {
    return 2 * widest(net) * PERCEPTRON_ROWS;
}

/* out[j][row] = bias[j] + sum over i of in[i][row] w[i][j]. A weight is loaded once for all rows of
 * the block; the inner loops have a constant length, so that compilers turn them into vectors. Two
 * outputs at a time keep their sums in registers. */
static void apply_layer(const float *restrict in, size_t in_count, const float *restrict w,
                        size_t out_count, float *restrict out) {
    const float *bias = w + in_count * out_count;
    for (size_t j = 0; j < out_count; j += 2) {
        size_t other = j + 1 < out_count ? j + 1 : j;
        float a[PERCEPTRON_ROWS], b[PERCEPTRON_ROWS];
        for (int r = 0; r < PERCEPTRON_ROWS; r++) {
            a[r] = bias[j];
            b[r] = bias[other];
        }
        for (size_t i = 0; i < in_count; i++) {
            const float *x = in + i * PERCEPTRON_ROWS;
            float wa = w[i * out_count + j], wb = w[i * out_count + other];
            for (int r = 0; r < PERCEPTRON_ROWS; r++) {
                a[r] += wa * x[r];
                b[r] += wb * x[r];
            }
        }
        memcpy(out + j * PERCEPTRON_ROWS, a, sizeof a);
        memcpy(out + other * PERCEPTRON_ROWS, b, sizeof b);
    }
}

void perceptron_activate(perceptron_activation activation, float *values, size_t count) {
    if (activation == PERCEPTRON_RELU)
        for (size_t i = 0; i < count; i++)
            values[i] = values[i] > 0.0F ? values[i] : 0.0F;
    else
        for (size_t i = 0; i < count; i++)
            values[i] = tanhf(values[i]);
}

static void predict_block(const perceptron *net, const float *inputs, size_t n, double *out,
                          float *scratch) {
    float *in = scratch, *next = scratch + widest(net) * PERCEPTRON_ROWS;
    for (size_t i = 0; i < net->inputs; i++)
        for (size_t r = 0; r < PERCEPTRON_ROWS; r++) {
            float z = r < n ? (inputs[r * net->inputs + i] - net->mean[i]) * net->scale[i] : 0.0F;
            in[i * PERCEPTRON_ROWS + r] = fminf(fmaxf(z, -net->clip), net->clip);
        }
    const float *w = net->parameters;
    size_t in_count = net->inputs;
    for (uint32_t layer = 0; layer <= net->layers; layer++) {
        size_t out_count = layer == net->layers ? 1 : net->width;
        apply_layer(in, in_count, w, out_count, next);
        if (layer < net->layers)
            perceptron_activate(net->activation, next, out_count * PERCEPTRON_ROWS);
        w += (in_count + 1) * out_count;
        float *swap = in;
        in = next;
        next = swap;
        in_count = out_count;
    }
    for (size_t r = 0; r < n; r++)
        out[r] = (double)in[r];
}

void perceptron_predict_rows(const perceptron *net, const float *inputs, size_t n, double *out,
                             float *scratch) {
    for (size_t at = 0; at < n; at += PERCEPTRON_ROWS) {
        size_t count = n - at < PERCEPTRON_ROWS ? n - at : PERCEPTRON_ROWS;
        predict_block(net, inputs + at * net->inputs, count, out + at, scratch);
    }
}

void perceptron_free(perceptron *net) {
    free(net->mean);
    free(net->scale);
    free(net->parameters);
    *net = (perceptron){0};
}
