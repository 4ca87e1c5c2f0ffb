/* Convolutions, forward and backward, any number of dimensions, groups, dilation, transposed.
 *
 * Flop: 2 x (output positions) x (weights that meet at one position), padding included as every
 * published count does; a transposed convolution counts the same sum over its input positions.
 * Either gradient costs as much as the forward pass; a bias gradient is one addition an element.
 * Bytes: each part reads its two operands once and writes its result once. */
#include "work/rule.h"

#include <math.h>
#include <string.h>

/* Where the arguments are in each signature; -1: there is none. */
static const struct conv_signature {
    int8_t input, weight, bias, stride, padding, dilation, transposed, output_padding, groups;
    int8_t grad, mask;  /* of backward operations */
    int8_t extra;       /* one more tensor that is read (the addend of add_relu) */
    bool is_transposed; /* by name */
    bool depthwise;     /* groups = input channels */
} signatures[] = {
    [WORK_CONV_GENERIC] = {0, 1, 2, 3, 4, 5, 6, 7, 8, -1, -1, -1, false, false},
    [WORK_CONV_CUDNN] = {0, 1, -1, 3, 2, 4, -1, -1, 5, -1, -1, -1, false, false},
    [WORK_CONV_CUDNN_TRANSPOSE] = {0, 1, -1, 4, 2, 5, -1, 3, 6, -1, -1, -1, true, false},
    [WORK_CONV_CUDNN_RELU] = {0, 1, 2, 3, 4, 5, -1, -1, 6, -1, -1, -1, false, false},
    [WORK_CONV_CUDNN_ADD_RELU] = {0, 1, 4, 5, 6, 7, -1, -1, 8, -1, -1, 2, false, false},
    [WORK_CONV_MIOPEN] = {0, 1, 2, 4, 3, 5, -1, -1, 6, -1, -1, -1, false, false},
    [WORK_CONV_MIOPEN_TRANSPOSE] = {0, 1, 2, 5, 3, 6, -1, 4, 7, -1, -1, -1, true, false},
    [WORK_CONV_FUNCTIONAL] = {0, 1, 2, 3, 4, 5, -1, -1, 6, -1, -1, -1, false, false},
    [WORK_CONV_FUNCTIONAL_TRANSPOSE] = {0, 1, 2, 3, 4, 7, -1, 5, 6, -1, -1, -1, true, false},
    [WORK_CONV_DEPTHWISE] = {0, 1, 3, 4, 5, 6, -1, -1, -1, -1, -1, -1, false, true},
    [WORK_CONV_SLOW] = {0, 1, 3, 4, 5, -1, -1, -1, -1, -1, -1, -1, false, false},
    [WORK_CONV_SLOW_DILATED] = {0, 1, 3, 4, 5, 6, -1, -1, -1, -1, -1, -1, false, false},
    [WORK_CONV_SLOW_TRANSPOSE] = {0, 1, 3, 4, 5, 7, -1, 6, -1, -1, -1, -1, true, false},
    [WORK_CONV_BACKWARD] = {1, 2, -1, 4, 5, 6, 7, 8, 9, 0, 10, -1, false, false},
    [WORK_CONV_BACKWARD_OVERRIDEABLE] = {1, 2, -1, 3, 4, 5, 6, 7, 8, 0, 9, -1, false, false},
    [WORK_CONV_BACKWARD_SLOW] = {1, 2, -1, 4, 5, -1, -1, -1, -1, 0, 6, -1, false, false},
};

/* Weights and multiplications of the whole convolution, either direction. */
static double conv_weights(const habitat_conv_shape *s) {
    return s->c_out * (s->c_in / s->groups) * work_product(s->kernel, s->dims);
}

static double conv_flop(const habitat_conv_shape *s, habitat_dtype dtype) {
    const double *positions = s->transposed ? s->in : s->out;
    return 2 * s->batch * work_product(positions, s->dims) * conv_weights(s) *
           (work_is_complex(dtype) ? 4 : 1);
}

static double input_elements(const habitat_conv_shape *s) {
    return s->batch * s->c_in * work_product(s->in, s->dims);
}

static double output_elements(const habitat_conv_shape *s) {
    return s->batch * s->c_out * work_product(s->out, s->dims);
}

/* Bytes of one part: forward, or the gradient of input, weight or bias. */
static void add_part(habitat_work *work, double flop, double read_bytes, double write_elements) {
    work->flop += flop;
    work->read_bytes += read_bytes;
    work->write_bytes += work_size(write_elements, work->dtype);
}

static bool conv_shape_ok(const habitat_conv_shape *s) {
    if (s->dims < 1 || s->dims > HABITAT_CONV_DIMS_MAX)
        return false;
    bool ok = s->batch > 0 && s->c_in > 0 && s->c_out > 0 && s->groups > 0;
    for (uint32_t i = 0; i < s->dims; i++)
        ok = ok && s->in[i] > 0 && s->out[i] > 0 && s->kernel[i] > 0 && s->stride[i] > 0 &&
             s->dilation[i] > 0 && s->padding[i] >= 0 && isfinite(s->padding[i]);
    return ok && isfinite(conv_flop(s, HABITAT_DTYPE_FP32)) &&
           isfinite(input_elements(s) + output_elements(s)) && s->groups <= s->c_in;
}

habitat_status habitat_work_conv(const habitat_conv_shape *shape, habitat_dtype dtype,
                                 habitat_pass pass, habitat_work *out) {
    if (!shape || !out || !habitat_dtype_bytes(dtype) || !conv_shape_ok(shape) ||
        (int)pass < HABITAT_PASS_FORWARD || pass > HABITAT_PASS_BACKWARD_WEIGHT)
        return HABITAT_E_ARG;
    habitat_work work = {.op_class = HABITAT_CLASS_CONV,
                         .pass = pass,
                         .known = true,
                         .varying = true,
                         .dtype = dtype};
    work.shape.conv = *shape;
    double flop = conv_flop(shape, dtype), in = input_elements(shape);
    double weights = conv_weights(shape), result = output_elements(shape);
    double bias = shape->bias ? shape->c_out : 0;
    if (pass == HABITAT_PASS_FORWARD)
        add_part(&work, flop, work_size(in + weights + bias, dtype), result);
    if (pass == HABITAT_PASS_BACKWARD || pass == HABITAT_PASS_BACKWARD_INPUT)
        add_part(&work, flop, work_size(result + weights, dtype), in);
    if (pass == HABITAT_PASS_BACKWARD || pass == HABITAT_PASS_BACKWARD_WEIGHT)
        add_part(&work, flop, work_size(result + in, dtype), weights);
    if (pass == HABITAT_PASS_BACKWARD && shape->bias)
        add_part(&work, result, work_size(result, dtype), shape->c_out);
    work_set_kind(&work, "conv");
    *out = work;
    return HABITAT_OK;
}

/* Per-dimension numbers of an argument; one number stands for all. `fallback` if the signature has
 * no such argument; NaN if it has and it was not recorded. */
static void spread(const habitat_operation *op, int index, uint32_t dims, double fallback,
                   double *out) {
    work_list list;
    bool given = index >= 0 && work_numbers(op, (uint32_t)index, &list);
    for (uint32_t i = 0; i < dims; i++) {
        if (index < 0)
            out[i] = fallback;
        else if (!given || (list.count != 1 && list.count != dims))
            out[i] = NAN;
        else
            out[i] = list.value[list.count == 1 ? 0 : i];
    }
}

/* padding="same" and "valid" of the functional form. */
static void named_padding(const habitat_operation *op, int index, habitat_conv_shape *s) {
    const char *text = index >= 0 && (uint32_t)index < op->form->input_count
                           ? op->form->inputs[index].value
                           : NULL;
    if (!text)
        return;
    for (uint32_t i = 0; i < s->dims; i++) {
        if (strstr(text, "valid"))
            s->padding[i] = 0;
        else if (strstr(text, "same"))
            s->padding[i] = s->dilation[i] * (s->kernel[i] - 1) / 2;
    }
}

static double output_size(const habitat_conv_shape *s, uint32_t i, double output_padding) {
    double reach = s->dilation[i] * (s->kernel[i] - 1);
    if (s->transposed)
        return (s->in[i] - 1) * s->stride[i] - 2 * s->padding[i] + reach + output_padding + 1;
    return floor((s->in[i] + 2 * s->padding[i] - reach - 1) / s->stride[i]) + 1;
}

static bool is_channels_last(const habitat_input *t) {
    return t->strides && t->rank >= 3 && t->dims[1] > 1 && t->strides[1] == 1 &&
           work_elements(t) > (double)t->dims[1];
}

/* Whether its kernels take the channels last. A line's never do: PyTorch copies a transposed one
 * before, which is an operation of its own. docs/decisions/0630 */
static bool takes_channels_last(const habitat_input *x, const habitat_conv_shape *s) {
    return s->dims > 1 && is_channels_last(x);
}

/* The whole shape from the tensors and arguments; false if something is missing. */
static bool read_shape(const work_call *call, const struct conv_signature *at,
                       const habitat_input *x, const habitat_input *w, habitat_conv_shape *s) {
    const habitat_operation *op = call->op;
    if (!x || !w || w->rank < 3 || w->rank > 2 + HABITAT_CONV_DIMS_MAX)
        return false;
    s->dims = (uint32_t)w->rank - 2;
    bool batched = x->rank == w->rank; /* conv2d also takes (C, H, W) */
    if (!batched && x->rank + 1 != w->rank)
        return false;
    double transposed = at->is_transposed    ? 1
                        : at->transposed < 0 ? 0
                                             : work_number(op, (uint32_t)at->transposed);
    if (isnan(transposed))
        return false;
    s->transposed = transposed != 0;
    s->batch = batched ? work_dim(x, 0) : 1;
    s->c_in = work_dim(x, batched ? 1 : 0);
    s->groups = at->depthwise    ? s->c_in
                : at->groups < 0 ? 1
                                 : work_number(op, (uint32_t)at->groups);
    s->c_out = s->transposed ? work_dim(w, 1) * s->groups : work_dim(w, 0);
    double output_padding[HABITAT_CONV_DIMS_MAX];
    for (uint32_t i = 0; i < s->dims; i++) {
        s->in[i] = work_dim(x, (int)i + (batched ? 2 : 1));
        s->kernel[i] = work_dim(w, (int)i + 2);
    }
    spread(op, at->stride, s->dims, 1, s->stride);
    spread(op, at->padding, s->dims, 0, s->padding);
    spread(op, at->dilation, s->dims, 1, s->dilation);
    spread(op, s->transposed ? at->output_padding : -1, s->dims, 0, output_padding);
    named_padding(op, at->padding, s);
    for (uint32_t i = 0; i < s->dims; i++)
        s->out[i] = output_size(s, i, output_padding[i]);
    s->bias = at->bias >= 0 && work_tensor(op, (uint32_t)at->bias);
    s->channels_last = takes_channels_last(x, s);
    double expected_in = s->transposed ? work_dim(w, 0) : work_dim(w, 1) * s->groups;
    return expected_in == s->c_in && conv_shape_ok(s);
}

void work_do_conv(const work_call *call, habitat_work *out) {
    const struct conv_signature *at = &signatures[call->rule->variant];
    const habitat_operation *op = call->op;
    const habitat_input *x = work_tensor(op, (uint32_t)at->input);
    const habitat_input *w = work_tensor(op, (uint32_t)at->weight);
    habitat_conv_shape shape = {0};
    if (!read_shape(call, at, x, w, &shape))
        return;
    out->shape.conv = shape;
    out->dtype = x->dtype;
    out->flop = conv_flop(&shape, x->dtype);
    out->read_bytes = work_bytes(x) + work_bytes(w);
    if (at->bias >= 0)
        out->read_bytes += work_bytes(work_tensor(op, (uint32_t)at->bias));
    if (at->extra >= 0)
        out->read_bytes += work_bytes(work_tensor(op, (uint32_t)at->extra));
    out->write_bytes = work_size(output_elements(&shape), x->dtype);
}

void work_do_conv_backward(const work_call *call, habitat_work *out) {
    const struct conv_signature *at = &signatures[call->rule->variant];
    const habitat_operation *op = call->op;
    const habitat_input *x = work_tensor(op, (uint32_t)at->input);
    const habitat_input *w = work_tensor(op, (uint32_t)at->weight);
    const habitat_input *grad = work_tensor(op, (uint32_t)at->grad);
    habitat_conv_shape shape = {0};
    work_list mask;
    if (!grad || !read_shape(call, at, x, w, &shape) ||
        !work_numbers(op, (uint32_t)at->mask, &mask) || mask.count < 2)
        return;
    if (work_elements(grad) != output_elements(&shape))
        return; /* the arguments do not explain the gradient's shape */
    bool want_bias = mask.count > 2 && mask.value[2] != 0;
    shape.bias = want_bias;
    out->by_column = want_bias && is_channels_last(grad);
    out->shape.conv = shape;
    out->dtype = x->dtype;
    out->flop = out->read_bytes = out->write_bytes = 0;
    double flop = conv_flop(&shape, x->dtype);
    if (mask.value[0] != 0)
        add_part(out, flop, work_bytes(grad) + work_bytes(w), input_elements(&shape));
    if (mask.value[1] != 0)
        add_part(out, flop, work_bytes(grad) + work_bytes(x), conv_weights(&shape));
    if (want_bias)
        add_part(out, work_elements(grad), work_bytes(grad), shape.c_out);
    if (mask.value[0] != 0 && mask.value[1] == 0)
        out->pass = HABITAT_PASS_BACKWARD_INPUT;
    else if (mask.value[0] == 0 && mask.value[1] != 0)
        out->pass = HABITAT_PASS_BACKWARD_WEIGHT;
}
