/* The least time that an operation can take on a GPU, whatever the library and its algorithm.
 *
 * Bytes that no cache holds come at the bandwidth of the data sheet, sums at the peak rate of their
 * unit. Of 450,000 measured operations of 18 GPUs none is below: docs/decisions/0259. */
#include <math.h>

#include "gpu/gpu.h"
#include "operator/operator.h"
#include "work/attention.h"
#include "work/class.h"

/* A kernel smaller than its stride leaves pixels of the larger image out. */
static double touched_share(const habitat_conv_shape *s) {
    double share = 1;
    for (int i = 0; i < 2; i++)
        share *= s->stride[i] > 0 ? fmin(1, s->kernel[i] / s->stride[i]) : 1;
    return share;
}

/* Keys that no query sees, and their values: fused kernels stop before them. */
static double unseen_bytes(const habitat_work *work) {
    const habitat_attention_shape *s = &work->shape.attention;
    return (double)habitat_dtype_bytes(work->dtype) * s->batch * s->kv_heads *
           (s->kv_len - attention_keys_seen(s)) * (s->head_dim + s->v_head_dim);
}

/* Bytes that are counted as read and need not be. */
static double untouched_bytes(const habitat_work *work) {
    if (work->op_class == HABITAT_CLASS_ATTENTION && work->shape.attention.kv_len > 0)
        return unseen_bytes(work);
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

/* Algorithms that need fewer sums, because they work on tiles that are transformed there and back:
 * n x n outputs of a k x k kernel take (n + k - 1)^2 products instead of n^2 k^2 (Winograd), or
 * those of the tile's spectrum. But for the smallest tile, which one kernel transforms and
 * multiplies, the transformed tensors are written and read. What libraries ship; of 33,000 measured
 * convolutions in fp32 none is quicker than the best of these at the peaks (docs/decisions/0283).
 */
typedef struct tiling {
    double outputs; /* of a tile's side; 0: what the kernel leaves of `side` */
    double side;    /* points of a tile's side; 0: as the outputs need */
    bool fused;
} tiling;

static const tiling tilings[] = {{.outputs = 2, .fused = true},
                                 {.outputs = 4},
                                 {.outputs = 5},
                                 {.side = 16},
                                 {.side = 32},
                                 {.side = 64}};

/* INFINITY where the kernel is too large for the tile. */
static double tiled_ms(const tiling *t, const habitat_conv_shape *s, const habitat_gpu *gpu,
                       double flop_per_s) {
    bool spectrum = t->side > 0;
    double values = spectrum ? t->side * (t->side / 2 + 1) : 1, tiles = s->batch;
    for (int i = 0; i < 2; i++) {
        double outputs = spectrum ? t->side - s->kernel[i] + 1 : t->outputs;
        if (outputs < 1)
            return INFINITY;
        values *= spectrum ? 1 : outputs + s->kernel[i] - 1;
        tiles *= ceil(fmin(s->in[i], s->out[i]) / outputs);
    }
    double flop = (spectrum ? 8 : 2) * values * tiles * s->c_in * s->c_out;
    double tensors = values * (tiles * (s->c_in + s->c_out) + s->c_in * s->c_out);
    double cached = gpu->l2_bytes > 0 ? gpu->l2_bytes : 0;
    double moved = t->fused ? 0 : fmax(0, 2 * (spectrum ? 8 : 4) * tensors - cached);
    double bytes_per_s = gpu->memory_bandwidth_bytes_per_s;
    return 1e3 * (flop / flop_per_s + (bytes_per_s > 0 ? moved / bytes_per_s : 0));
}

/* Strides and groups have no such algorithm, nor have matrix units. */
static double least_convolution_ms(const habitat_work *work, const habitat_gpu *gpu,
                                   double flop_per_s) {
    const habitat_conv_shape *s = &work->shape.conv;
    double least = 1e3 * work->flop / flop_per_s;
    if (s->dims != 2 || s->groups > 1 || s->stride[0] * s->stride[1] > 1)
        return least;
    for (size_t i = 0; i < sizeof tilings / sizeof *tilings; i++)
        least = fmin(least, tiled_ms(&tilings[i], s, gpu, flop_per_s));
    return least;
}

double operator_least_ms(const habitat_work *work, const habitat_gpu *gpu, habitat_dtype arithmetic,
                         double flop_per_s) {
    double memory = operator_least_memory_ms(work, gpu);
    /* what is no product is computed in fp32 in narrower formats, and partly by other units there
     */
    bool counts = class_of(work->op_class)->product || arithmetic == HABITAT_DTYPE_FP64;
    if (!counts || !(flop_per_s > 0) || !(work->flop > 0))
        return memory;
    bool transforms = work->op_class == HABITAT_CLASS_CONV && arithmetic == HABITAT_DTYPE_FP32;
    return fmax(memory, transforms ? least_convolution_ms(work, gpu, flop_per_s)
                                   : 1e3 * work->flop / flop_per_s);
}
