/* Sustained rates of a GPU as if it had not been measured. */
#ifndef HABITAT_LAB_TRAIN_RATES_H
#define HABITAT_LAB_TRAIN_RATES_H

#include "gpu/gpu.h"

/* The GPU as if nobody had measured its sustained rates: from its spec sheet and the shares of
 * theirs that `others` sustain. docs/modelling.md#rates */
void train_estimate_rates(const habitat_gpu *gpu, const habitat_gpu *const *others, size_t count,
                          habitat_gpu *out);

#endif
