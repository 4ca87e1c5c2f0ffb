/* Batch norms with channels last at another batch size: docs/decisions/0531. */
#ifndef HABITAT_KERNELS_CHANNEL_NORMS_H
#define HABITAT_KERNELS_CHANNEL_NORMS_H

#include "workload/workload.h"

/* Time over the recorded one at other sizes, from the recorded times of its kernels; NaN: of any
 * other operation, or its kernels are others. */
double channel_norms_growth(const habitat_workload *w, const habitat_workload_group *group,
                            const habitat_work *after);

#endif
