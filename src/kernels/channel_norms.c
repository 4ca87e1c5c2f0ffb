/* Batch norms with channels last: PyTorch's kernels, of which shape tells the instructions
 * (batch_norms.c). How much of the rest is waiting for memory the recorded time of each tells:
 * large ones run at memory's rate whatever their instructions take, so both are not added up. */
#include "kernels/channel_norms.h"

#include <math.h>
#include <string.h>

#include "base/constants_scaling.h"
#include "formula/rates.h"
#include "gpu/gpu.h"
#include "kernels/batch_norms.h"
#include "kernels/elementwise_times.h"
#include "work/kinds.h"

static bool is_told(const habitat_work *work) {
    return work->op_class == HABITAT_CLASS_NORM && work_kind_is(work->kind, WORK_BATCH_NORM) &&
           work->known && !(work->scaled_images > 0) && batch_norms_by_channels(work);
}

static double grown_ns(const habitat_gpu *gpu, const habitat_workload_kernel *kernel, int which,
                       const habitat_work *before, const habitat_work *after) {
    double floor_ns = formula_kernel_floor_ns(gpu), own_ns = kernel->facts.time_ns - floor_ns;
    double passes = batch_norms_passes(before, which);
    double issued =
        batch_norms_issued_s(after, which, gpu) / batch_norms_issued_s(before, which, gpu);
    if (!(own_ns > 0.0))
        return kernel->facts.time_ns;
    return floor_ns + elementwise_grown_ns(
                          own_ns,
                          elementwise_passed_ns(gpu, passes * elementwise_tensor_bytes(before)),
                          elementwise_passed_ns(gpu, passes * elementwise_tensor_bytes(after)),
                          issued, fitted_channel_norm_power);
}

double channel_norms_growth(const habitat_workload *w, const habitat_workload_group *group,
                            const habitat_work *after) {
    const habitat_gpu *gpu = w->origin;
    const uint32_t *kernels = w->group_index + group->first_kernel;
    double old_ns = 0.0, new_ns = 0.0;
    int found = 0;
    if (!is_told(group->work) || !is_told(after) || group->work->dtype != after->dtype ||
        group->work->shape.rows.rows != after->shape.rows.rows || !gpu->compute_capability ||
        !elementwise_known(gpu))
        return NAN;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        const habitat_workload_kernel *kernel = &w->kernels[kernels[i]];
        bool large = strstr(kernel->kernel->form->name, "_channels_last_kernel") != NULL;
        old_ns += kernel->facts.time_ns;
        new_ns += large && found < 2 ? grown_ns(gpu, kernel, found, group->work, after)
                                     : kernel->facts.time_ns;
        found += large;
    }
    return found == 2 && old_ns > 0.0 ? new_ns / old_ns : (double)NAN;
}
