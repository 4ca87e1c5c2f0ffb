/* Pooling and resampling. A window costs one operation an element of it (a comparison or an
 * addition); backward of a maximum costs one addition an output, of a mean one an element. */
#include "work/rule.h"

#include <math.h>

enum { IMAGES = 4 }; /* dimensions of a batch of them */

static double spatial_volume(const habitat_input *t, uint32_t dims) {
    double product = 1;
    for (uint32_t i = 0; i < dims; i++)
        product *= work_dim(t, -1 - (int)i);
    return product;
}

static double list_at(const work_list *list, uint32_t i) {
    return list->value[list->count == 1 ? 0 : i];
}

/* Spatial dimensions: the kernel's length, or what the rank leaves after batch and channels. */
static uint32_t spatial_dims(const habitat_input *x, const work_list *list) {
    uint32_t dims = list->count > 1 ? list->count : x->rank > 2 ? (uint32_t)x->rank - 2 : 1;
    return dims <= x->rank ? dims : 0;
}

/* Output positions and window of a pooling call whose arguments start at `at`: kernel, stride,
 * padding, [dilation,] ceil_mode. */
static bool windows(const work_call *call, const habitat_input *x, uint32_t at, bool dilated,
                    double *positions, double *window) {
    const habitat_operation *op = call->op;
    work_list kernel, stride, padding, dilation = {1, {1}};
    if (!work_numbers(op, at, &kernel) || !kernel.count || !work_numbers(op, at + 1, &stride) ||
        !work_numbers(op, at + 2, &padding) || !padding.count ||
        (dilated && (!work_numbers(op, at + 3, &dilation) || !dilation.count)))
        return false;
    double ceiling = work_number(op, at + (dilated ? 4 : 3));
    uint32_t dims = spatial_dims(x, &kernel);
    if (!dims || isnan(ceiling))
        return false;
    *positions = *window = 1;
    for (uint32_t i = 0; i < dims; i++) {
        double size = work_dim(x, (int)i - (int)dims), k = list_at(&kernel, i);
        double s = stride.count ? list_at(&stride, i) : k, p = list_at(&padding, i);
        double span = size + 2 * p - list_at(&dilation, i) * (k - 1) - 1;
        double count = (ceiling != 0 ? ceil(span / s) : floor(span / s)) + 1;
        if (ceiling != 0 && (count - 1) * s >= size + p)
            count--; /* a window must start inside the input or its left padding */
        if (!(s > 0) || !(count > 0))
            return false;
        *positions *= count;
        *window *= k;
    }
    *positions *= work_elements(x) / spatial_volume(x, dims);
    return true;
}

/* Adaptive pooling: the output size is an argument, windows share the input out. */
static bool adaptive(const work_call *call, const habitat_input *x, double *positions,
                     double *window) {
    work_list size;
    if (!work_numbers(call->op, 1, &size) || !size.count)
        return false;
    uint32_t dims = spatial_dims(x, &size);
    if (!dims)
        return false;
    double volume = spatial_volume(x, dims);
    *positions = work_elements(x) / volume;
    for (uint32_t i = 0; i < dims; i++)
        *positions *= list_at(&size, i);
    *window = work_elements(x) / *positions;
    if (*window < 1)
        *window = 1;
    return *positions > 0;
}

void work_do_pool(const work_call *call, habitat_work *out) {
    const habitat_input *x = work_tensor(call->op, 0);
    uint32_t variant = call->rule->variant;
    double positions, window;
    if (!x || !(work_elements(x) > 0))
        return;
    bool fits = variant >= WORK_POOL_ADAPTIVE
                    ? adaptive(call, x, &positions, &window)
                    : windows(call, x, 1, variant != WORK_POOL_AVERAGE, &positions, &window);
    if (!fits)
        return;
    out->dtype = x->dtype;
    out->windowed = variant < WORK_POOL_ADAPTIVE && x->rank == IMAGES;
    out->shape.rows.rows = positions;
    out->shape.rows.columns = window;
    out->flop = positions * window * work_flop_factor(x->dtype, 2);
    out->read_bytes = work_bytes(x);
    out->write_bytes = work_size(positions, x->dtype);
    if (variant == WORK_POOL_MAX_INDICES || variant == WORK_POOL_ADAPTIVE_MAX)
        out->write_bytes += work_size(positions, HABITAT_DTYPE_INT64);
}

/* grad, self, arguments of the forward call (and the indices of maxima). */
void work_do_pool_backward(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    const habitat_input *grad = work_tensor(op, 0), *x = work_tensor(op, 1);
    uint32_t variant = call->rule->variant;
    double positions, window = 1;
    if (!grad || !x || !(work_elements(grad) > 0))
        return;
    bool maximum = variant == WORK_POOL_MAX_INDICES || variant == WORK_POOL_ADAPTIVE_MAX;
    if (variant == WORK_POOL_AVERAGE && !windows(call, x, 2, false, &positions, &window))
        return;
    if (variant == WORK_POOL_ADAPTIVE)
        window = fmax(1, work_elements(x) / work_elements(grad));
    out->dtype = x->dtype;
    out->windowed = variant < WORK_POOL_ADAPTIVE && x->rank == IMAGES;
    out->shape.rows.rows = work_elements(grad);
    out->shape.rows.columns = window;
    out->flop = work_elements(grad) * window * work_flop_factor(x->dtype, 2);
    out->read_bytes = work_bytes(grad);
    if (maximum) /* the input's values are not needed, its indices of maxima are */
        out->read_bytes += work_size(work_elements(grad), HABITAT_DTYPE_INT64);
    out->write_bytes = work_size(work_elements(x), x->dtype);
}

/* upsample_*(self, output_size, ..) and its backward (grad, output_size, input_size, ..). */
void work_do_resample(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    const habitat_input *x = work_tensor(op, 0);
    bool backward = out->pass == HABITAT_PASS_BACKWARD;
    work_list size;
    if (!x || !work_numbers(op, backward ? 2 : 1, &size) || !size.count)
        return;
    double elements = 1;
    if (backward) {
        for (uint32_t i = 0; i < size.count; i++)
            elements *= size.value[i];
    } else {
        if (size.count >= x->rank)
            return;
        elements = work_elements(x) / spatial_volume(x, size.count);
        for (uint32_t i = 0; i < size.count; i++)
            elements *= size.value[i];
    }
    out->dtype = x->dtype;
    out->shape.rows.rows = 1;
    out->shape.rows.columns = elements;
    if (call->rule->variant == WORK_RESAMPLE_PLANES && work_contiguous(x) && x->rank > 2)
        out->planes = work_elements(x) / spatial_volume(x, x->rank - 2);
    out->flop = fmax(elements, work_elements(x)) * call->rule->flop;
    out->read_bytes = work_bytes(x);
    out->write_bytes = work_size(elements, x->dtype);
}

/* im2col(self, kernel, dilation, padding, stride), and col2im(self, output size, kernel, ..), which
 * adds up: each window is a column of its own. */
void work_do_unfold(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    const habitat_input *x = work_tensor(op, 0);
    bool adds = call->rule->variant != 0;
    work_list kernel, more[3], size = {0};
    if (!x || !work_numbers(op, adds ? 2 : 1, &kernel) || kernel.count != 2 || x->rank < 2 ||
        (adds && (!work_numbers(op, 1, &size) || size.count != 2)))
        return;
    double window = kernel.value[0] * kernel.value[1], elements = work_elements(x), columns = 1;
    for (uint32_t i = 0; i < 3 && !adds; i++)
        if (!work_numbers(op, 2 + i, &more[i]) || more[i].count != 2)
            return;
    for (uint32_t i = 0; i < 2 && !adds; i++) {
        double span = work_dim(x, (int)i - 2) + 2 * more[1].value[i];
        span -= more[0].value[i] * (kernel.value[i] - 1) + 1;
        columns *= floor(span / more[2].value[i]) + 1;
    }
    double written = adds ? elements / (window * work_dim(x, -1)) * size.value[0] * size.value[1]
                          : elements / spatial_volume(x, 2) * window * columns;
    if (!(written > 0))
        return;
    out->dtype = x->dtype;
    out->shape.rows.rows = 1;
    out->shape.rows.columns = fmax(written, elements);
    out->flop = adds ? elements * work_flop_factor(x->dtype, 2) : 0;
    out->read_bytes = work_bytes(x);
    out->write_bytes = work_size(written, x->dtype);
}
