/* Tensors in order that are enlarged or reduced by weights (bilinear and the like), and gradients
 * of such: docs/decisions/0644. */
#ifndef HABITAT_KERNELS_RESAMPLED_H
#define HABITAT_KERNELS_RESAMPLED_H

#include <habitat/gpu.h>
#include <habitat/work.h>

/* Whether it is one, and enough of the GPU is known. */
bool resampled_told(const habitat_work *work, const habitat_gpu *gpu);

/* Time [s] without a launch of one that is told. roof_s: its bytes at memory's rate. */
double resampled_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s);

#endif
