/* How element-wise operations and copies grow with the batch: docs/decisions/0530. */
#ifndef HABITAT_KERNELS_ELEMENTWISE_TIMES_H
#define HABITAT_KERNELS_ELEMENTWISE_TIMES_H

#include "workload/workload.h"

/* Whether what the following ask is known of a GPU: its cache, its memory, its multiprocessors. */
bool elementwise_known(const habitat_gpu *gpu);

/* Bytes of one tensor of an operation on rows. */
double elementwise_tensor_bytes(const habitat_work *work);

/* Least time [ns] of a kernel's bytes: from memory where they are more than the cache holds, which
 * what ran before has left there. */
double elementwise_passed_ns(const habitat_gpu *gpu, double bytes);

/* Time [ns], beside the floor of a launch, of a kernel that took `own_ns`. What its bytes take
 * grows from `passed` to `passed_after` [ns], the rest, its instructions, `issued` times. Both go
 * on at once: `power` says how much of the shorter one is hidden, 1 nothing. */
double elementwise_grown_ns(double own_ns, double passed, double passed_after, double issued,
                            double power);

/* Time over the recorded one at other sizes; NaN: of any other operation. */
double elementwise_growth(const habitat_workload *w, const habitat_workload_group *group,
                          const habitat_work *after);

#endif
