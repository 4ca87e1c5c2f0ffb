/* Products that no kernel takes as they are: frameworks pad them. */
#ifndef HABITAT_KERNELS_PADDED_H
#define HABITAT_KERNELS_PADDED_H

#include <stdbool.h>
#include <stddef.h>

#include <habitat/work.h>

/* Whether a product in a number format runs padded alone: 8-bit floating point whose n or k is no
 * multiple of 16.
 * arithmetic: what the GPU computes in.
 * out:        the padded product.
 * note:       a line for people, size bytes. Both left alone where nothing is padded. */
bool padded_product(const habitat_work *work, habitat_dtype arithmetic, habitat_work *out,
                    char *note, size_t size);

#endif
