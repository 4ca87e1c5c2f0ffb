/* cuDNN's matrix units take channels last. Where tensors lie in order, small kernels turn each of
 * them before, and the result after; the weights, too, whatever the batch is. Of small images these
 * are half of a convolution. Their grids tell whose they are: a block takes 32 channels of 32
 * places of one image (nchwToNhwcKernel and nhwcToNchwKernel of cuDNN 9, all recorded grids). */
#include "kernels/layouts.h"

#include <math.h>
#include <string.h>

#include "base/constants_scaling.h"
#include "formula/rates.h"
#include "kernels/filling.h"
#include "kernels/recorded_roofs.h"
#include "work/class.h"

static double blocks_of(double images, double channels, const double *sides, uint32_t dims) {
    double tile = hardware_turned_tile;
    double places = 1.0;
    for (uint32_t d = 0; d < dims; d++)
        places *= sides[d];
    return images * ceil(channels / tile) * ceil(places / tile);
}

/* Grids are those of the recorded batch, whatever the workload was scaled to since. */
static const habitat_work *as_recorded(const habitat_workload *w,
                                       const habitat_workload_group *group) {
    size_t g = (size_t)(group - w->groups);
    return w->recorded && g < w->recorded->group_count ? w->recorded->groups[g].work : group->work;
}

layout_of layouts_of(const habitat_workload *w, const habitat_workload_group *group,
                     const habitat_workload_kernel *kernel) {
    const habitat_conv_shape *s = &as_recorded(w, group)->shape.conv;
    const char *name = kernel->kernel->form->name;
    const uint32_t *grid = kernel->kernel->form->grid;
    double blocks = (double)grid[0] * grid[1] * grid[2];
    if (!strstr(name, "nchwToNhwc") && !strstr(name, "nhwcToNchw"))
        return LAYOUT_NOT;
    double rows = s->transposed ? s->c_in : s->c_out;
    double columns = (s->transposed ? s->c_out : s->c_in) / s->groups;
    bool weights = blocks == blocks_of(rows, columns, s->kernel, s->dims);
    bool images = blocks == blocks_of(s->batch, s->c_in, s->in, s->dims) ||
                  blocks == blocks_of(s->batch, s->c_out, s->out, s->dims);
    return weights && !images ? LAYOUT_WEIGHTS : LAYOUT_IMAGES;
}

static bool same_weights(const habitat_work *before, const habitat_work *after) {
    const habitat_conv_shape *a = &before->shape.conv, *b = &after->shape.conv;
    return a->c_in == b->c_in && a->c_out == b->c_out && a->groups == b->groups;
}

bool layouts_are_turned(const habitat_workload *w, const habitat_workload_group *group,
                        const habitat_work *after) {
    const habitat_work *work = group->work;
    if (!work->known || !after->known || class_of(work->op_class)->shape != CLASS_SHAPE_CONV ||
        !same_weights(work, after) || !recorded_on_matrix_units(w, group))
        return false;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        uint32_t k = w->group_index[group->first_kernel + i];
        if (layouts_of(w, group, &w->kernels[k]) != LAYOUT_NOT)
            return true;
    }
    return false;
}

void layouts_scale(const habitat_workload *w, const habitat_workload_group *group, double ratio,
                   double modelled, double *ns) {
    double floor_ns = formula_kernel_floor_ns(w->origin);
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        uint32_t k = w->group_index[group->first_kernel + i];
        const habitat_workload_kernel *kernel = &w->kernels[k];
        double own_ns = fmax(0.0, kernel->facts.time_ns - floor_ns);
        layout_of of = layouts_of(w, group, kernel);
        filling by =
            of == LAYOUT_NOT ? filling_of(w, group, kernel, !isnan(modelled)) : FILLING_NOT;
        ns[k] = kernel->facts.time_ns;
        if (of == LAYOUT_NOT && !isnan(modelled))
            ns[k] *= modelled;
        else if (of != LAYOUT_WEIGHTS)
            ns[k] += filling_ns(w, kernel, by, own_ns, ratio) - own_ns;
    }
}
