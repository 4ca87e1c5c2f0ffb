/* cuDNN has no convolution in one dimension: PyTorch gives it, and its own depthwise kernels, a
 * height of one (docs/decisions/0420). Of three dimensions it has kernels, which take images about
 * as those of two do (docs/decisions/0431). */
#include "kernels/conv_as_images.h"

#include "base/constants_intervals.h"

#include <math.h>

#include "work/class.h"

static bool has_dims(const habitat_work *work, uint32_t dims) {
    return work->known && class_of(work->op_class)->shape == CLASS_SHAPE_CONV &&
           work->shape.conv.dims == dims;
}

bool conv_as_images_1d(const habitat_work *work, habitat_work *out) {
    if (!has_dims(work, 1))
        return false;
    *out = *work;
    habitat_conv_shape *s = &out->shape.conv;
    double *const sizes[] = {s->in, s->out, s->kernel, s->stride, s->dilation, s->padding};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        sizes[i][1] = sizes[i][0];
    s->in[0] = s->out[0] = s->kernel[0] = s->stride[0] = s->dilation[0] = 1;
    s->padding[0] = 0;
    s->dims = 2;
    return true;
}

bool conv_as_images_3d(const habitat_work *work, habitat_work *out) {
    if (!has_dims(work, 3))
        return false;
    *out = *work;
    habitat_conv_shape *s = &out->shape.conv;
    bool depthwise = s->groups == s->c_in && s->groups > 1;
    s->batch *= s->transposed ? s->in[0] : s->out[0];
    *(depthwise ? &s->batch : s->transposed ? &s->c_out : &s->c_in) *= s->kernel[0];
    double *const sizes[] = {s->in, s->out, s->kernel, s->stride, s->dilation, s->padding};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        sizes[i][0] = sizes[i][1];
        sizes[i][1] = sizes[i][2];
    }
    s->dims = 2;
    return true;
}

double conv_slow_factor(const habitat_work *work) {
    if (!work->known || work->pass == HABITAT_PASS_FORWARD ||
        class_of(work->op_class)->shape != CLASS_SHAPE_CONV)
        return 1.0;
    const habitat_conv_shape *s = &work->shape.conv;
    if (s->dims == 3 || (s->dims == 2 && fmax(s->dilation[0], s->dilation[1]) > 1))
        return fitted_film_gradient_factor;
    return s->groups > 1 && s->groups < s->c_in ? fitted_group_gradient_factor : 1.0;
}
