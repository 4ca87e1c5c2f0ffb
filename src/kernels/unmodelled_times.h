/* Times of operations that no model covers, and of no product, told from their shapes alone. */
#ifndef HABITAT_KERNELS_UNMODELLED_TIMES_H
#define HABITAT_KERNELS_UNMODELLED_TIMES_H

#include <habitat/gpu.h>
#include <habitat/work.h>

/* What an operation that no model covers, and no product, takes past the floor of any kernel [s],
 * where its roof is roof_s. docs/formulas.md#operation */
double unmodelled_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s,
                    double floor_s);

/* What an element-wise operation takes at least past that floor [s], because it works out the
 * places of each element: habitat_work.by_place. 0: all others. */
double unmodelled_places_s(const habitat_work *work, const habitat_gpu *gpu);

/* After what time [s] past that floor a cast of so many elements from 16 bit to fp32 begins. */
double unmodelled_widened_start_s(double elements, const habitat_gpu *gpu);

#endif
