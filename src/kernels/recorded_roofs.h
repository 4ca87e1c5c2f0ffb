/* Roofs of recorded kernels, on the GPU that they were recorded on. */
#ifndef HABITAT_KERNELS_RECORDED_ROOFS_H
#define HABITAT_KERNELS_RECORDED_ROOFS_H

#include "workload/workload.h"

/* Sustained rate in that format [flop/s]; NaN: not known. */
double recorded_rate(const habitat_gpu *gpu, habitat_dtype dtype, bool matrix_unit);

/* Roofline time [ns] of a kernel that does `ratio` times its work; NaN: not known. */
double recorded_roofline_ns(const habitat_gpu *gpu, const habitat_kernel_facts *facts,
                            double ratio);

/* Whether a group's products run on matrix units. Those in fp32 carry the flag on GPUs whose units
 * do not know fp32, too: the rate tells. */
bool recorded_on_matrix_units(const habitat_workload *w, const habitat_workload_group *group);

#endif
