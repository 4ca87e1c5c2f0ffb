/* Sorts, and the largest of rows, as PyTorch does them in several kernels. docs/decisions/0634 */
#ifndef HABITAT_KERNELS_SORTS_H
#define HABITAT_KERNELS_SORTS_H

#include <stdbool.h>

#include <habitat/gpu.h>
#include <habitat/work.h>

/* Whether the work is one of them, of known sizes. */
bool sorts_are_told(const habitat_work *work, const habitat_gpu *gpu);

/* Seconds beyond the start of a kernel. bytes_per_s: what memory moves. */
double sorts_s(const habitat_work *work, const habitat_gpu *gpu, double bytes_per_s,
               double floor_s);

#endif
