/* Gradients of layer norms by PyTorch's kernels (aten/src/ATen/native/cuda/layer_norm_kernel.cu).
 * One has a block a row and goes through three tensors at memory's rate. One sums the gradients of
 * the weights, with a block for 32 columns that walks all rows, however few the blocks are; only of
 * many rows of few columns the rows are shared out, and it goes at memory's rate, too. So it may
 * take as long for three times the rows. What then adds the parts up is an operation of its own. */
#include "kernels/layer_norms.h"

#include <math.h>
#include <string.h>

#include "base/constants_scaling.h"
#include "formula/rates.h"
#include "gpu/gpu.h"
#include "kernels/elementwise_times.h"
#include "work/kinds.h"

/* LaunchGammaBetaBackwardCUDAKernel() */
static bool shares_rows(const habitat_work *work, const habitat_gpu *gpu) {
    return work->shape.rows.rows > hardware_gamma_rows &&
           floor(work->shape.rows.columns / hardware_gamma_columns) < floor(gpu->sm_count / 2.0);
}

/* Time [ns] of the sums beside the floor of a launch, that took `own_ns`; another floor goes by to
 * the first rows and from the last. */
static double summed_ns(const habitat_gpu *gpu, double own_ns, const habitat_work *before,
                        const habitat_work *after) {
    bool was = shares_rows(before, gpu), is = shares_rows(after, gpu);
    double walked_ns = fmax(own_ns - formula_kernel_floor_ns(gpu), 0.0);
    if (was == is)
        return own_ns + walked_ns * (after->shape.rows.rows / before->shape.rows.rows - 1.0);
    return is ? 2.0 * elementwise_tensor_bytes(after) /
                    (fitted_gamma_rate_share * habitat_memory_rate(gpu, true)) * 1e9
              : after->shape.rows.rows * fitted_gamma_row_cycles / gpu->boost_clock_hz * 1e9;
}

/* Three tensors go through the kernel of a block a row. */
static double by_rows_ns(const habitat_gpu *gpu, double own_ns, const habitat_work *before,
                         const habitat_work *after) {
    enum { TENSORS = 3 };
    double ratio = after->shape.rows.rows / before->shape.rows.rows;
    return elementwise_grown_ns(
        own_ns, elementwise_passed_ns(gpu, TENSORS * elementwise_tensor_bytes(before)),
        elementwise_passed_ns(gpu, TENSORS * elementwise_tensor_bytes(after)), ratio,
        fitted_stream_power);
}

static bool is_told(const habitat_work *work, const habitat_gpu *gpu) {
    return work_kind_is(work->kind, WORK_LAYER_NORM) && work->pass == HABITAT_PASS_BACKWARD &&
           work->known && gpu->compute_capability && elementwise_known(gpu);
}

double layer_norms_growth(const habitat_workload *w, const habitat_workload_group *group,
                          const habitat_work *after) {
    const habitat_gpu *gpu = w->origin;
    const habitat_work *before = group->work;
    if (!is_told(before, gpu) || !is_told(after, gpu) || before->dtype != after->dtype ||
        before->shape.rows.columns != after->shape.rows.columns)
        return NAN;
    const uint32_t *kernels = w->group_index + group->first_kernel;
    double floor_ns = formula_kernel_floor_ns(gpu), old_ns = 0.0, new_ns = 0.0;
    bool sums = false, rows = false;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        const habitat_workload_kernel *kernel = &w->kernels[kernels[i]];
        const char *name = kernel->kernel->form->name;
        double own_ns = fmax(kernel->facts.time_ns - floor_ns, 0.0), ns = own_ns;
        bool of_sums = strstr(name, "GammaBetaBackward") != NULL;
        bool of_rows = strstr(name, "layer_norm_grad_input") != NULL;
        if (of_sums)
            ns = summed_ns(gpu, own_ns, before, after);
        else if (of_rows && own_ns > 0.0)
            ns = by_rows_ns(gpu, own_ns, before, after);
        old_ns += kernel->facts.time_ns;
        new_ns += kernel->facts.time_ns + (ns - own_ns);
        sums |= of_sums;
        rows |= of_rows;
    }
    return sums && rows && old_ns > 0.0 ? new_ns / old_ns : (double)NAN;
}
