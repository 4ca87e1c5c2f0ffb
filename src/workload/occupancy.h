/* The profiler's occupancy of a kernel against the calculator's. */
#ifndef HABITAT_WORKLOAD_OCCUPANCY_H
#define HABITAT_WORKLOAD_OCCUPANCY_H

#include <habitat/gpu.h>
#include <habitat/trace.h>

/* Whether what was recorded of the kernel's occupancy is not what the calculator finds; false where
 * nothing was recorded. `mine` receives the calculator's blocks an SM then. */
bool workload_occupancy_differs(const habitat_gpu *origin, const habitat_kernel *k, uint32_t *mine);

#endif
