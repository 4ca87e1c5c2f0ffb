/* Sums that the shape shares out: docs/decisions/0452, 0480. */
#ifndef HABITAT_KERNELS_SUMS_H
#define HABITAT_KERNELS_SUMS_H

#include <habitat/gpu.h>
#include <habitat/work.h>
#include <habitat/workload.h>

/* Kind of a sum over all pixels of each channel. */
#define USUAL_BIAS "conv_bias"

/* Sums of which neighbours in memory are parts of different ones [s], without a launch. */
double sums_by_column_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s);

/* The gradient of a convolution's bias, images as PyTorch has them [s], likewise. Rows are
 * channels, columns the pixels of the batch. */
double sums_of_bias_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s);

/* Time over the recorded one of such a sum of as many columns or channels, of other rows or pixels
 * or in another format; NaN: of any other operation. */
double sums_growth(const habitat_workload_group *group, const habitat_work *after,
                   const habitat_gpu *gpu);

#endif
