/* What is added to a product or convolution, beside it: docs/decisions/0452, 0456. */
#ifndef HABITAT_KERNELS_BIAS_H
#define HABITAT_KERNELS_BIAS_H

#include <stdbool.h>

#include <habitat/work.h>

/* The kernel that the library runs for a bias beside the convolution, an addition in place or a sum
 * over pixels; and for a matrix that a product is added to, a copy into the result. false: none of
 * its own. */
bool bias_beside(const habitat_work *work, habitat_work *out);

#endif
