/* The least time that an operation can take on a GPU, whatever the library and its algorithm.
 *
 * Bytes that no cache holds come at the bandwidth of the data sheet, sums at the peak rate of their
 * unit. Of 450,000 measured operations of 18 GPUs none is below: docs/decisions/0259. */
#include <math.h>

#include "base/constants.h"
#include "gpu/gpu.h"
#include "operator/operator.h"
#include "work/class.h"

/* A kernel smaller than its stride leaves pixels of the larger image out. */
static double touched_share(const habitat_conv_shape *s) {
    double share = 1;
    for (int i = 0; i < 2; i++)
        share *= s->stride[i] > 0 ? fmin(1, s->kernel[i] / s->stride[i]) : 1;
    return share;
}

/* Bytes that are counted as read and need not be. */
static double untouched_bytes(const habitat_work *work) {
    if (work->op_class != HABITAT_CLASS_CONV || work->shape.conv.dims != 2)
        return 0;
    const habitat_conv_shape *s = &work->shape.conv;
    bool written =
        work->pass == (s->transposed ? HABITAT_PASS_FORWARD : HABITAT_PASS_BACKWARD_INPUT);
    double pixels =
        s->transposed ? s->c_out * s->out[0] * s->out[1] : s->c_in * s->in[0] * s->in[1];
    double bytes = (double)habitat_dtype_bytes(work->dtype) * s->batch * pixels;
    return written ? 0 : (1 - touched_share(s)) * bytes;
}

double operator_least_memory_ms(const habitat_work *work, const habitat_gpu *gpu) {
    double cached = gpu->l2_bytes > 0 ? gpu->l2_bytes : 0;
    double bytes = work->read_bytes + work->write_bytes - untouched_bytes(work) - cached;
    return gpu->memory_bandwidth_bytes_per_s > 0
               ? 1e3 * fmax(0, bytes) / gpu->memory_bandwidth_bytes_per_s
               : 0;
}

/* How many times fewer sums an algorithm with transformed tiles needs: n x n outputs at once take
 * (n + k - 1)^2 products instead of n^2 k^2. Kernels of one pixel, strides and groups have none,
 * nor have matrix units. */
static double transform_gain(const habitat_conv_shape *s) {
    double gain = 1;
    if (s->dims != 2 || s->groups > 1 || s->stride[0] * s->stride[1] > 1)
        return gain;
    for (int i = 0; i < 2; i++)
        gain *= hardware_transformed_side * s->kernel[i] /
                (hardware_transformed_side + s->kernel[i] - 1);
    return gain;
}

double operator_least_ms(const habitat_work *work, const habitat_gpu *gpu, habitat_dtype arithmetic,
                         double flop_per_s) {
    double memory = operator_least_memory_ms(work, gpu);
    if (!class_of(work->op_class)->product || !(flop_per_s > 0) || !(work->flop > 0))
        return memory;
    bool transforms = work->op_class == HABITAT_CLASS_CONV && arithmetic == HABITAT_DTYPE_FP32;
    double flop = work->flop / (transforms ? transform_gain(&work->shape.conv) : 1);
    return fmax(memory, 1e3 * flop / flop_per_s);
}
