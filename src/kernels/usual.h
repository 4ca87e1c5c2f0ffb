/* What kernels usually do in their time, where nobody counted their work. */
#ifndef HABITAT_KERNELS_USUAL_H
#define HABITAT_KERNELS_USUAL_H

#include "workload/workload.h"

/* A kernel's time without what any kernel costs from start to end. */
double usual_own_ns(const habitat_gpu *gpu, double time_ns);

/* The part of that time, 0..1, that a kernel needs by the roof of its class: a product by
 * arithmetic, any other kernel by memory. The mean of kernels of its class and name whose work was
 * counted, in the recorded steps; less where its blocks leave multiprocessors idle or its time is
 * short. docs/formulas.md#unknown-work */
double usual_part(const habitat_workload *w, const habitat_workload_kernel *kernel, double own_ns);

/* Whether a kernel's own name has such a share of the memory itself, whatever a cache serves. */
bool usual_of_memory(const habitat_workload *w, const habitat_workload_kernel *kernel);

/* What an operation that no model covers, and no product, takes past the floor of any kernel [s],
 * where its roof is roof_s. docs/formulas.md#operation */
double usual_time_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s,
                    double floor_s);

/* What an element-wise operation takes at least past that floor [s], because it works out the
 * places of each element: habitat_work.by_place. 0: all others. */
double usual_places_s(const habitat_work *work, const habitat_gpu *gpu);

/* After what time [s] past that floor a cast of so many elements from 16 bit to fp32 begins. */
double usual_widened_start_s(double elements, const habitat_gpu *gpu);

#endif
