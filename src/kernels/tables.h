/* How gradients of tables grow with the batch. PyTorch goes through few rows one by one and sorts
 * more, in some thirty kernels: docs/decisions/0641 */
#ifndef HABITAT_KERNELS_TABLES_H
#define HABITAT_KERNELS_TABLES_H

#include "workload/workload.h"

/* How many times as long a group takes that gathers a table's gradient where one of both sizes is
 * sorted and the other one is not: other kernels, so that little of what the recorded ones took
 * beyond their formula stays. NaN: others. */
double tables_growth(const habitat_workload_group *group, const habitat_work *after,
                     const habitat_gpu *gpu);

#endif
