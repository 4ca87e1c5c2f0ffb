/* Wave scaling of one kernel, for the methods that build on it. */
#ifndef HABITAT_PREDICT_METHOD_WAVE_H
#define HABITAT_PREDICT_METHOD_WAVE_H

#include "predict/scaling.h"

/* large: by equation 2, else 1; a persistent kernel is by 2 in any case. Not covered where the
 * launch of the kernel, or its waves on one of the GPUs, are unknown. */
scaled wave_kernel(const scaling *s, const habitat_workload_kernel *kernel, bool large);

#endif
