/* Convolutions in three dimensions on plain units, whose kernels the shape tells. */
#ifndef HABITAT_KERNELS_CONV3D_TIMES_H
#define HABITAT_KERNELS_CONV3D_TIMES_H

#include <stdbool.h>

#include <habitat/gpu.h>
#include <habitat/work.h>

/* Whether `work`, computed in `arithmetic`, is one: dense and in strict fp32, on a GPU that the
 * library's kernels for compute capability 8.0 and up run on. docs/decisions/0470. */
bool conv3d_told(const habitat_work *work, habitat_dtype arithmetic, const habitat_gpu *gpu);

/* What it takes [s] past the start of its first kernel. bytes_per_s: of memory; floor_s: the start
 * of each other kernel. */
double conv3d_s(const habitat_work *work, const habitat_gpu *gpu, double bytes_per_s,
                double floor_s);

#endif
