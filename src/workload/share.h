/* Which kernel of an operation does which part of its work. */
#ifndef HABITAT_WORKLOAD_SHARE_H
#define HABITAT_WORKLOAD_SHARE_H

#include "workload/workload.h"

/* Sets `main`, flop and bytes of the kernels of every group, from the group's work. */
void habitat_workload_share(habitat_workload *w);

/* What an operation computes in on the origin. */
typedef struct workload_arithmetic {
    habitat_dtype dtype;
    bool matrix_unit;
} workload_arithmetic;

/* Its longest main kernel tells; where none does, it is the tensors' own format. */
workload_arithmetic workload_arithmetic_of(const habitat_workload *w,
                                           const habitat_workload_group *group);

#endif
