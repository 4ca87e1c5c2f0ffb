/* Perceptrons: inference, and the inputs of the paper's four networks (section 4.3): parameters of
 * the operation, then memory size, bandwidth, SM count and peak rate of the GPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/learned.h"

size_t network_parameter_count(const network *net) {
    size_t count = 0, in = net->inputs;
    for (uint32_t i = 0; i < net->layers; i++, in = net->width)
        count += (in + 1) * net->width;
    return count + in + 1;
}

double network_predict(const network *net, const float *inputs, float *scratch) {
    float *in = scratch, *out = scratch + (net->width > net->inputs ? net->width : net->inputs);
    const float *p = net->parameters;
    for (uint32_t i = 0; i < net->inputs; i++) {
        float z = (inputs[i] - net->mean[i]) * net->scale[i];
        in[i] = fminf(fmaxf(z, -net->clip), net->clip);
    }
    uint32_t in_count = net->inputs;
    for (uint32_t layer = 0; layer <= net->layers; layer++) {
        uint32_t out_count = layer == net->layers ? 1 : net->width;
        memcpy(out, p + (size_t)in_count * out_count, out_count * sizeof *out);
        for (uint32_t i = 0; i < in_count; i++) {
            const float *row = p + (size_t)i * out_count;
            for (uint32_t j = 0; j < out_count; j++)
                out[j] += in[i] * row[j];
        }
        if (layer < net->layers)
            for (uint32_t j = 0; j < out_count; j++)
                out[j] = net->activation == NETWORK_RELU ? fmaxf(out[j], 0.0F) : tanhf(out[j]);
        p += ((size_t)in_count + 1) * out_count;
        float *swap = in;
        in = out;
        out = swap;
        in_count = out_count;
    }
    return (double)in[0];
}

void network_free(network *net) {
    free(net->mean);
    free(net->scale);
    free(net->parameters);
    *net = (network){0};
}

static const struct {
    const char *name;
    size_t inputs; /* without those of the GPU */
} papers[PAPER_CLASSES] = {
    [PAPER_CONV2D] = {"conv2d", 9},
    [PAPER_LINEAR] = {"linear", 4},
    [PAPER_BMM] = {"bmm", 4},
    [PAPER_LSTM] = {"lstm", 7},
};

const char *paper_class_name(paper_class c) {
    return papers[c].name;
}

size_t paper_input_count(paper_class c) {
    return papers[c].inputs + PAPER_GPU_INPUTS;
}

paper_class paper_class_of(const habitat_model_query *query) {
    const habitat_work *w = query->work;
    if (!w->known || operator_arithmetic(query) != HABITAT_DTYPE_FP32)
        return PAPER_CLASSES;
    switch (w->op_class) {
    case HABITAT_CLASS_GEMM:
        return PAPER_LINEAR;
    case HABITAT_CLASS_BMM:
        return PAPER_BMM;
    case HABITAT_CLASS_CONV:
        return w->shape.conv.dims == 2 && w->shape.conv.groups <= 1 ? PAPER_CONV2D : PAPER_CLASSES;
    case HABITAT_CLASS_RNN:
        return w->shape.rnn.gates == 4 ? PAPER_LSTM : PAPER_CLASSES;
    default:
        return PAPER_CLASSES;
    }
}

static float in_log(double value) {
    return (float)log2(value + 1);
}

bool paper_inputs(const habitat_model_query *query, paper_class c, const habitat_gpu *gpu,
                  float *x) {
    const habitat_work *w = query->work;
    if (c == PAPER_CONV2D) {
        const habitat_conv_shape *s = &w->shape.conv;
        *x++ = in_log(s->batch);
        *x++ = in_log(s->c_in);
        *x++ = in_log(s->c_out);
        *x++ = in_log(s->kernel[0]);
        *x++ = in_log(s->in[0]);
        *x++ = (float)s->stride[0];
        *x++ = (float)s->padding[0];
        *x++ = w->pass == HABITAT_PASS_BACKWARD_INPUT || w->pass == HABITAT_PASS_BACKWARD;
        *x++ = w->pass == HABITAT_PASS_BACKWARD_WEIGHT || w->pass == HABITAT_PASS_BACKWARD;
    } else if (c == PAPER_LSTM) {
        const habitat_rnn_shape *s = &w->shape.rnn;
        *x++ = in_log(s->batch);
        *x++ = in_log(s->input);
        *x++ = in_log(s->hidden);
        *x++ = in_log(s->steps);
        *x++ = (float)s->layers;
        *x++ = s->bidirectional;
        *x++ = w->pass != HABITAT_PASS_FORWARD;
    } else {
        const habitat_gemm_shape *s = &w->shape.gemm;
        *x++ = c == PAPER_BMM ? in_log(s->b) : s->bias;
        *x++ = in_log(s->m);
        *x++ = in_log(s->n);
        *x++ = in_log(s->k);
    }
    double peak = gpu->peak.plain_flop_per_s[HABITAT_DTYPE_FP32];
    *x++ = (float)(gpu->memory_bytes / 1e9);
    *x++ = (float)(gpu->memory_bandwidth_bytes_per_s / 1e9);
    *x++ = (float)gpu->sm_count;
    *x++ = (float)(peak / 1e12);
    return isfinite(peak) && isfinite(gpu->memory_bytes) &&
           isfinite(gpu->memory_bandwidth_bytes_per_s) && gpu->sm_count > 0;
}
