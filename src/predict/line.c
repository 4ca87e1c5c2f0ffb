/* cuDNN has no convolution in one dimension: PyTorch gives it, and its own depthwise kernels, a
 * height of one. docs/decisions/0420 */
#include "predict/line.h"

#include "work/class.h"

bool images_of_line(const habitat_work *work, habitat_work *out) {
    if (!work->known || class_of(work->op_class)->shape != CLASS_SHAPE_CONV ||
        work->shape.conv.dims != 1)
        return false;
    *out = *work;
    habitat_conv_shape *s = &out->shape.conv;
    double *const sizes[] = {s->in, s->out, s->kernel, s->stride, s->dilation, s->padding};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        sizes[i][1] = sizes[i][0];
    s->in[0] = s->out[0] = s->kernel[0] = s->stride[0] = s->dilation[0] = 1;
    s->padding[0] = 0;
    s->dims = 2;
    s->channels_last = false; /* PyTorch makes a permuted line contiguous first */
    return true;
}
