/* Element-wise operations and copies go through their tensors once. What bounds them is seen in the
 * recorded time: memory, or the cache where they fit, whose time is known from their bytes; else
 * instructions and the order of their reads, of which any element needs as many. Models know one
 * kernel of each kind, mostly with vectors, which a cache makes faster than others can go:
 * docs/decisions/0530. */
#include "kernels/elementwise_times.h"

#include <math.h>

#include "base/constants_scaling.h"
#include "formula/rates.h"
#include "gpu/gpu.h"

static double bytes_of(const habitat_work *work) {
    return work->read_bytes + work->write_bytes;
}

static bool is_told(const habitat_work *work) {
    bool streams =
        work->op_class == HABITAT_CLASS_ELEMENTWISE || work->op_class == HABITAT_CLASS_COPY;
    return streams && work->known && bytes_of(work) > 0.0;
}

bool elementwise_known(const habitat_gpu *gpu) {
    return gpu->l2_bytes > 0 && gpu->sm_count && habitat_memory_rate(gpu, true) > 0.0;
}

double elementwise_tensor_bytes(const habitat_work *work) {
    return work->shape.rows.rows * work->shape.rows.columns *
           (double)habitat_dtype_bytes(work->dtype);
}

double elementwise_passed_ns(const habitat_gpu *gpu, double bytes) {
    double held = bytes / gpu->l2_bytes;
    double missed = (held - fitted_stream_held) / (fitted_stream_lost - fitted_stream_held);
    missed = fmin(fmax(missed, 0.0), 1.0);
    double cached = (1.0 - missed) / fitted_stream_cache_rate;
    return bytes / habitat_memory_rate(gpu, true) * 1e9 * (missed + cached);
}

/* What is faster than its bytes allow found more of them in the cache, or has fewer: that stays. */
double elementwise_grown_ns(double own_ns, double passed, double passed_after, double issued,
                            double power) {
    if (!(own_ns > passed))
        return passed_after * (own_ns / passed);
    double rest = issued * pow(pow(own_ns, power) - pow(passed, power), 1.0 / power);
    return pow(pow(rest, power) + pow(passed_after, power), 1.0 / power);
}

/* How much longer instructions take: `ratio` times, but that one block more on a multiprocessor
 * that idles takes none. Grids that are cut to the GPU say nothing of their elements. */
static double issued_growth(const habitat_gpu *gpu, const habitat_workload_kernel *kernel,
                            double ratio) {
    double filled = (double)kernel->facts.blocks / gpu->sm_count;
    bool cut = kernel->persistent || kernel->facts.blocks % gpu->sm_count == 0;
    return cut ? ratio : fmax(1.0, filled * ratio) / fmax(1.0, filled);
}

double elementwise_growth(const habitat_workload *w, const habitat_workload_group *group,
                          const habitat_work *after) {
    const habitat_gpu *gpu = w->origin;
    if (!is_told(group->work) || !is_told(after) || !elementwise_known(gpu) || !group->kernel_count)
        return NAN;
    const uint32_t *kernels = w->group_index + group->first_kernel;
    const habitat_workload_kernel *longest = &w->kernels[kernels[0]];
    double all_ns = 0.0;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        const habitat_workload_kernel *kernel = &w->kernels[kernels[i]];
        all_ns += kernel->facts.time_ns;
        if (kernel->facts.time_ns > longest->facts.time_ns)
            longest = kernel;
    }
    double floors_ns = group->kernel_count * formula_kernel_floor_ns(gpu);
    if (!(all_ns > floors_ns))
        return NAN;
    double ratio = bytes_of(after) / bytes_of(group->work);
    double ns =
        elementwise_grown_ns(all_ns - floors_ns, elementwise_passed_ns(gpu, bytes_of(group->work)),
                             elementwise_passed_ns(gpu, bytes_of(after)),
                             issued_growth(gpu, longest, ratio), fitted_stream_power);
    return (floors_ns + ns) / all_ns;
}
