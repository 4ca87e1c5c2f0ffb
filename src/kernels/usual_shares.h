/* What kernels usually do in their time, where nobody counted their work. */
#ifndef HABITAT_KERNELS_USUAL_SHARES_H
#define HABITAT_KERNELS_USUAL_SHARES_H

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

#endif
