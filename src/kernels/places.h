/* Kernels that work out the place of each element, in another number format. */
#ifndef HABITAT_KERNELS_PLACES_H
#define HABITAT_KERNELS_PLACES_H

#include "rescale/scale.h"

/* T(new) / T of a group whose kernels do so and whose format changes; NaN: others.
 * ratio: of its work. */
double places_ratio(const habitat_workload *w, const habitat_workload_group *group,
                    const scale_group *after, double ratio);

#endif
