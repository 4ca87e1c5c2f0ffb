/* What runs beside a product or convolution for what is added to it: see bias.h. */
#include "kernels/bias.h"

#include <stdio.h>

#include "kernels/sums.h"

/* cuDNN's convolutions know no bias: it is added in place, and its gradient is a sum of its own. In
 * PyTorch's kernel of depthwise ones it is in the kernel; where channels come last, cuDNN has
 * those, too. */
static bool has_own_kernel(const habitat_work *work) {
    const habitat_conv_shape *s = &work->shape.conv;
    return work->op_class == HABITAT_CLASS_CONV && work->known && s->bias &&
           (s->channels_last || !(s->groups > 1 && s->groups == s->c_in)) &&
           (work->pass == HABITAT_PASS_FORWARD || work->pass == HABITAT_PASS_BACKWARD);
}

static bool copy_before(const habitat_work *product, habitat_work *out) {
    const habitat_gemm_shape *s = &product->shape.gemm;
    double elements = s->m * s->n, bytes = elements * (double)habitat_dtype_bytes(product->dtype);
    if (product->op_class != HABITAT_CLASS_GEMM || !product->known || !s->copied)
        return false;
    *out = (habitat_work){.op_class = HABITAT_CLASS_COPY,
                          .pass = HABITAT_PASS_FORWARD,
                          .known = true,
                          .dtype = product->dtype,
                          .read_bytes = bytes,
                          .write_bytes = bytes,
                          .shape.rows = {1, elements}};
    snprintf(out->kind, sizeof out->kind, "%s", "copy");
    return true;
}

static bool of_convolution(const habitat_work *conv, habitat_work *out) {
    const habitat_conv_shape *s = &conv->shape.conv;
    bool forward = conv->pass == HABITAT_PASS_FORWARD;
    double pixels = s->batch, bytes = (double)habitat_dtype_bytes(conv->dtype);
    if (!has_own_kernel(conv))
        return false;
    for (uint32_t i = 0; i < s->dims; i++)
        pixels *= s->out[i];
    double elements = pixels * s->c_out;
    *out = (habitat_work){.op_class = forward ? HABITAT_CLASS_ELEMENTWISE : HABITAT_CLASS_REDUCE,
                          .pass = HABITAT_PASS_FORWARD,
                          .known = true,
                          .dtype = conv->dtype,
                          .flop = elements,
                          .read_bytes = elements * bytes,
                          .write_bytes = (forward ? elements : s->c_out) * bytes};
    out->shape.rows =
        forward ? (habitat_rows_shape){1, elements} : (habitat_rows_shape){s->c_out, pixels};
    out->by_column = conv->by_column;
    out->by_place = forward; /* a number a channel, repeated */
    snprintf(out->kind, sizeof out->kind, "%s", forward ? "add" : USUAL_BIAS);
    return true;
}

bool bias_beside(const habitat_work *work, habitat_work *out) {
    return of_convolution(work, out) || copy_before(work, out);
}
