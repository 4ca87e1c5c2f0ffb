/* Kernels that do not fill the GPU: they take no longer with more blocks until they do.
 * docs/formulas.md#another-batch-size-or-precision, docs/decisions/0417 */
#ifndef HABITAT_KERNELS_FILLING_H
#define HABITAT_KERNELS_FILLING_H

#include "workload/workload.h"

/* What fills the GPU with a kernel's blocks, where these are more at a larger batch. */
typedef enum filling {
    FILLING_NOT,   /* each block does more, as far as is known */
    FILLING_SLOTS, /* of kernels that wait for memory: all blocks that can be resident */
    FILLING_SMS,   /* of kernels that compute: one each multiprocessor */
    FILLING_FEW,   /* the same of kernels alone that leave some idle at the smaller batch */
    FILLING_SOON, /* of small blocks that compute: some each multiprocessor, then no room is left */
} filling;

/* modelled: a model knows the operation. */
filling filling_of(const habitat_workload *w, const habitat_workload_group *group,
                   const habitat_workload_kernel *kernel, bool modelled);

/* What a kernel takes for `ratio` times its work [ns], of own_ns beside what any kernel costs. */
double filling_ns(const habitat_workload *w, const habitat_workload_kernel *kernel, filling by,
                  double own_ns, double ratio);

/* Whether the longest kernel leaves multiprocessors idle, now or at the new size. Such a kernel
 * tells more of itself than models, which were measured where GPUs are full. */
bool filling_leaves_idle(const habitat_workload *w, const habitat_workload_group *group,
                         double ratio, bool modelled);

#endif
