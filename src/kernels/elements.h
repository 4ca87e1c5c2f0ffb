/* How many elements a thread of PyTorch's vectorised kernels treats, which no name tells. */
#ifndef HABITAT_KERNELS_ELEMENTS_H
#define HABITAT_KERNELS_ELEMENTS_H

#include "work/elements.h"
#include "workload/workload.h"

/* For each width of loads the number with which the kernels of a recording come nearest to the
 * bandwidth that such kernels usually reach; 0 where it has none. */
void elements_settle(const habitat_workload *w, double rounds[KERNEL_WIDTHS]);

#endif
