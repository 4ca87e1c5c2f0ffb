/* See host_copy.h. Pages that the system may move are copied by the CPU into a buffer of the driver
 * on their way, before the link has them or after it. */
#include "kernels/host_copy.h"

#include <math.h>

#include "base/constants_kernels.h"
#include "formula/formula.h"
#include "gpu/gpu.h"

double host_copy_link_bytes_per_s(const habitat_gpu *gpu) {
    return fmax(gpu->pcie_bytes_per_s, gpu->c2c_bytes_per_s / 2);
}

double host_copy_ms(const habitat_work *work, const habitat_gpu *gpu) {
    double link = hardware_host_link_share * host_copy_link_bytes_per_s(gpu);
    double bytes = work->write_bytes;
    if (work->host_memory == HABITAT_HOST_MEMORY_NONE || !formula_usable(link))
        return NAN;
    if (work->host_memory == HABITAT_HOST_MEMORY_PINNED)
        return (fitted_pinned_start_s + bytes / link) * 1e3;
    return (fitted_pageable_start_s + bytes / link + bytes / fitted_pageable_bytes_per_s) * 1e3;
}
