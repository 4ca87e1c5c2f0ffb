/* Distinct launches of a workload and how many of their blocks a GPU holds. */
#ifndef HABITAT_WORKLOAD_LAUNCH_H
#define HABITAT_WORKLOAD_LAUNCH_H

#include "workload/workload.h"

/* Sets launches, origin_waves, and of every kernel its blocks, launch and `persistent`. Needs the
 * kernels alone. HABITAT_E_MEMORY. */
habitat_status workload_set_launches(habitat_workload *w);

/* Waves of every distinct launch on a GPU; 0 where a block is not resident or the GPU's limits are
 * unknown. out: shape (launch_count). */
void workload_waves(const habitat_workload *w, const habitat_gpu *gpu, uint64_t *out);

#endif
