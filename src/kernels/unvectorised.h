/* Kernels without vector loads, as they work out the place of each element: what another number
 * format changes for them. */
#ifndef HABITAT_KERNELS_UNVECTORISED_H
#define HABITAT_KERNELS_UNVECTORISED_H

#include "rescale/scale.h"

/* T(new) / T of a group whose kernels do so and whose format changes; NaN: others.
 * ratio: of its work. */
double unvectorised_ratio(const habitat_workload *w, const habitat_workload_group *group,
                          const scale_group *after, double ratio);

#endif
