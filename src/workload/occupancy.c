/* What the profiler says of a kernel's occupancy against this library's own calculator. Waves are
 * counted with the calculator, so that a difference is worth a warning. */
#include "workload/occupancy.h"

#include <math.h>

#include "gpu/gpu.h"

typedef struct expected {
    uint32_t blocks; /* resident on an SM */
    uint32_t limited_by;
} expected;

/* False where nothing can be said: copies, unknown launches, GPUs without CUDA's limits. */
static bool work_out(const habitat_gpu *origin, const habitat_kernel *k, expected *out) {
    static const uint32_t limits[] = {
        [HABITAT_LIMIT_THREADS] = HABITAT_LIMITED_BY_THREADS,
        [HABITAT_LIMIT_BLOCKS] = HABITAT_LIMITED_BY_BLOCKS,
        [HABITAT_LIMIT_REGISTERS] = HABITAT_LIMITED_BY_REGISTERS,
        [HABITAT_LIMIT_SHARED_MEMORY] = HABITAT_LIMITED_BY_SHARED_MEMORY,
    };
    habitat_launch launch = {k->form->block[0] * k->form->block[1] * k->form->block[2],
                             k->form->registers_per_thread, k->form->shared_memory_bytes};
    habitat_limiter limiter = HABITAT_LIMIT_NONE;
    if (launch.threads_per_block == 0 || launch.registers_per_thread == 0)
        return false;
    habitat_status status = habitat_occupancy_blocks(origin, &launch, &out->blocks, &limiter);
    if (status == HABITAT_E_NOT_RESIDENT)
        out->blocks = 0;
    else if (status != HABITAT_OK)
        return false;
    out->limited_by = limits[limiter];
    return true;
}

/* Named barriers are the only limit that a trace gives no size of. */
static bool same_limit(const habitat_kernel *k, const expected *mine) {
    return !k->form->limited_by ||
           k->form->limited_by & (mine->limited_by | HABITAT_LIMITED_BY_BARRIERS);
}

/* Kineto rounds to whole percent, and counts no more blocks than the grid has for each SM. */
static bool same_share(const habitat_gpu *origin, const habitat_kernel *k, const expected *mine) {
    double per_sm =
        (double)k->form->grid[0] * k->form->grid[1] * k->form->grid[2] / origin->sm_count;
    double blocks = per_sm < mine->blocks ? per_sm : mine->blocks;
    double threads = (double)k->form->block[0] * k->form->block[1] * k->form->block[2];
    double percent = 100 * blocks * threads / origin->limits.threads_per_sm;
    return fabs(percent - k->form->occupancy_percent) <= 1;
}

bool workload_occupancy_differs(const habitat_gpu *origin, const habitat_kernel *k,
                                uint32_t *mine) {
    expected own;
    if ((!k->form->resident_blocks && !k->form->occupancy_percent) || !work_out(origin, k, &own))
        return false;
    *mine = own.blocks;
    if (k->form->limited_by == HABITAT_LIMITED_BY_BARRIERS)
        return false;
    if (k->form->resident_blocks)
        return k->form->resident_blocks != own.blocks || !same_limit(k, &own);
    return !same_share(origin, k, &own);
}
