/* See conv3d_times.h. cuDNN has no transforms for films, and without matrix units one kernel for
 * each of the three products, which computes its result in tiles and splits no sum, however long
 * that is and however few tiles there are: docs/decisions/0470. */
#include "kernels/conv3d_times.h"

#include <math.h>

#include "gpu/gpu.h"
#include "kernels/conv_tile_pace.h"
#include "work/args.h"

/* The kernels of gradients are those of images, where they are taken, too. Fitted on these: 276
 * gradients of weights of nine networks (7 % off) and 387 of images of eight (9 %), on two GPUs. Of
 * R3D's films, left out, 44 gradients of weights are 8 % off. */
static const tile_pace cached_weights = {32, 32, 1.92, 2.6, 1, 64, 12};
static const tile_pace missed_weights = {32, 32, 1.92, 4.2, 1, 64, 12};
static const tile_pace direct = {32, 32, 2.6, 4, 1, 48, 8};
/* Forward of channels that no load of four takes, places looked up: two shapes of ResNet-50, 2 %
 * off. */
static const tile_pace looked_up = {32, 32, 3.65, 3, 2, 0, 12};
/* The other kernel of images adds each pixel of the result times all taps up. It was recorded for
 * films alone: it is taken to be as fast as the direct one. */
static const tile_pace scattering = {64, 32, 2.6, 4, 1, 48, 10};

enum { LANES = 128 };

/* A convolution from an image to a result; a transposed one goes the other way. */
typedef struct film {
    double channels, pixels;               /* of the image */
    double result_channels, result_pixels; /* of what is summed up of it */
    double taps;
    double bytes;  /* of both */
    bool in_order; /* channels are not neighbours */
} film;

static film film_of(const habitat_work *work) {
    const habitat_conv_shape *s = &work->shape.conv;
    double in = s->batch * work_product(s->in, s->dims),
           out = s->batch * work_product(s->out, s->dims);
    double taps = work_product(s->kernel, s->dims);
    double bytes = (double)habitat_dtype_bytes(work->dtype) * (s->c_in * in + s->c_out * out);
    return s->transposed ? (film){s->c_out, out, s->c_in, in, taps, bytes, !s->channels_last}
                         : (film){s->c_in, in, s->c_out, out, taps, bytes, !s->channels_last};
}

/* A matrix of rows x columns, each number a sum of so many terms. Waiting takes cycles, whatever
 * lanes there are. */
static double tiles_s(const tile_pace *p, double rows, double columns, double terms,
                      const habitat_gpu *gpu) {
    double lanes = gpu->fp32_lanes_per_sm, sms = gpu->sm_count;
    tile_pace own = *p;
    own.alone = fmax(1, p->alone * lanes / LANES);
    double blocks = ceil(rows / p->rows) * ceil(columns / p->columns);
    double turns = conv_tile_turns(&own, blocks, p->resident * sms, sms);
    return turns * p->rows * p->columns * p->pace / lanes * (terms + p->begin) /
           gpu->boost_clock_hz;
}

static double result_s(const film *f, const habitat_gpu *gpu) {
    enum { LOAD = 4 };
    double least = INFINITY;
    if (fmod(f->channels, LOAD) != 0)
        return tiles_s(&looked_up, f->result_pixels, f->result_channels, f->channels * f->taps,
                       gpu);
    for (int i = 0; i < FORWARD_PACES; i++)
        least = fmin(least, tiles_s(&conv_tile_paces_forward[i], f->result_pixels,
                                    f->result_channels, f->channels * f->taps, gpu));
    return least;
}

/* Directly, all taps of each pixel, those that a stride leaves out, too; or scattered, onto an
 * image that is cleared before. */
static double image_s(const film *f, const habitat_gpu *gpu, double bytes_per_s, double floor_s) {
    double cleared_s = 4 * f->channels * f->pixels / bytes_per_s + floor_s;
    return fmin(
        tiles_s(&direct, f->pixels, f->channels, f->result_channels * f->taps, gpu),
        tiles_s(&scattering, f->channels * f->taps, f->result_pixels, f->result_channels, gpu) +
            cleared_s);
}

/* Image and result are rewritten with neighbouring channels first, the weights after. */
static double weights_s(const film *f, const habitat_gpu *gpu, double bytes_per_s, double floor_s) {
    bool cached = f->bytes <= gpu->l2_bytes / 2; /* the half that is near */
    double rewritten_s = f->in_order ? 2 * f->bytes / bytes_per_s + 3 * floor_s : 0;
    return rewritten_s + tiles_s(cached ? &cached_weights : &missed_weights, f->result_channels,
                                 f->channels * f->taps, f->result_pixels, gpu);
}

bool conv3d_told(const habitat_work *work, habitat_dtype arithmetic, const habitat_gpu *gpu) {
    return work->op_class == HABITAT_CLASS_CONV && work->known && work->shape.conv.dims == 3 &&
           work->shape.conv.groups == 1 && arithmetic == HABITAT_DTYPE_FP32 &&
           gpu->fp32_lanes_per_sm > 0 && gpu->l2_bytes > 0;
}

double conv3d_s(const habitat_work *work, const habitat_gpu *gpu, double bytes_per_s,
                double floor_s) {
    film f = film_of(work);
    double moved_s = (work->read_bytes + work->write_bytes) / bytes_per_s;
    double to_image = image_s(&f, gpu, bytes_per_s, floor_s), to_result = result_s(&f, gpu);
    bool transposed = work->shape.conv.transposed;
    if (work->pass == HABITAT_PASS_FORWARD)
        return fmax(transposed ? to_image : to_result, moved_s);
    double input_s = transposed ? to_result : to_image, own_s = 0;
    if (work->pass != HABITAT_PASS_BACKWARD_WEIGHT)
        own_s += input_s;
    if (work->pass != HABITAT_PASS_BACKWARD_INPUT)
        own_s += weights_s(&f, gpu, bytes_per_s, floor_s);
    if (work->pass == HABITAT_PASS_BACKWARD)
        own_s += floor_s;
    return fmax(own_s, moved_s);
}
