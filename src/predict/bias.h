/* What a convolution's bias adds: docs/decisions/0452. */
#ifndef HABITAT_PREDICT_BIAS_H
#define HABITAT_PREDICT_BIAS_H

#include <stdbool.h>

#include <habitat/work.h>

/* The kernel that the library runs for the bias beside the convolution: an addition in place, or a
 * sum over pixels. false: none of its own. */
bool bias_of_convolution(const habitat_work *conv, habitat_work *out);

#endif
