/* Perceptrons: inference, a block of rows at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/learned.h"

size_t network_parameter_count(const network *net) {
    size_t count = 0, in = net->inputs;
    for (uint32_t i = 0; i < net->layers; i++, in = net->width)
        count += (in + 1) * net->width;
    return count + in + 1;
}

static size_t widest(const network *net) {
    return net->width > net->inputs ? net->width : net->inputs;
}

size_t network_scratch(const network *net) {
    return 2 * widest(net) * NETWORK_ROWS;
}

/* out[j][row] = bias[j] + sum over i of in[i][row] w[i][j]. A weight is loaded once for all rows of
 * the block; the inner loops have a constant length, so that compilers turn them into vectors. Two
 * outputs at a time keep their sums in registers. */
static void apply_layer(const float *restrict in, size_t in_count, const float *restrict w,
                        size_t out_count, float *restrict out) {
    const float *bias = w + in_count * out_count;
    for (size_t j = 0; j < out_count; j += 2) {
        size_t other = j + 1 < out_count ? j + 1 : j;
        float a[NETWORK_ROWS], b[NETWORK_ROWS];
        for (int r = 0; r < NETWORK_ROWS; r++) {
            a[r] = bias[j];
            b[r] = bias[other];
        }
        for (size_t i = 0; i < in_count; i++) {
            const float *x = in + i * NETWORK_ROWS;
            float wa = w[i * out_count + j], wb = w[i * out_count + other];
            for (int r = 0; r < NETWORK_ROWS; r++) {
                a[r] += wa * x[r];
                b[r] += wb * x[r];
            }
        }
        memcpy(out + j * NETWORK_ROWS, a, sizeof a);
        memcpy(out + other * NETWORK_ROWS, b, sizeof b);
    }
}

static void activate(network_activation activation, float *values, size_t count) {
    if (activation == NETWORK_RELU)
        for (size_t i = 0; i < count; i++)
            values[i] = values[i] > 0.0F ? values[i] : 0.0F;
    else
        for (size_t i = 0; i < count; i++)
            values[i] = tanhf(values[i]);
}

static void predict_block(const network *net, const float *inputs, size_t n, double *out,
                          float *scratch) {
    float *in = scratch, *next = scratch + widest(net) * NETWORK_ROWS;
    for (size_t i = 0; i < net->inputs; i++)
        for (size_t r = 0; r < NETWORK_ROWS; r++) {
            float z = r < n ? (inputs[r * net->inputs + i] - net->mean[i]) * net->scale[i] : 0.0F;
            in[i * NETWORK_ROWS + r] = fminf(fmaxf(z, -net->clip), net->clip);
        }
    const float *w = net->parameters;
    size_t in_count = net->inputs;
    for (uint32_t layer = 0; layer <= net->layers; layer++) {
        size_t out_count = layer == net->layers ? 1 : net->width;
        apply_layer(in, in_count, w, out_count, next);
        if (layer < net->layers)
            activate(net->activation, next, out_count * NETWORK_ROWS);
        w += (in_count + 1) * out_count;
        float *swap = in;
        in = next;
        next = swap;
        in_count = out_count;
    }
    for (size_t r = 0; r < n; r++)
        out[r] = (double)in[r];
}

void network_predict_rows(const network *net, const float *inputs, size_t n, double *out,
                          float *scratch) {
    for (size_t at = 0; at < n; at += NETWORK_ROWS) {
        size_t count = n - at < NETWORK_ROWS ? n - at : NETWORK_ROWS;
        predict_block(net, inputs + at * net->inputs, count, out + at, scratch);
    }
}

void network_free(network *net) {
    free(net->mean);
    free(net->scale);
    free(net->parameters);
    *net = (network){0};
}
