/* Bytes of the two formats that a step's tensors are in or are cast to. Of any format:
 * habitat_dtype_bytes(). */
#ifndef HABITAT_BASE_FORMAT_BYTES_H
#define HABITAT_BASE_FORMAT_BYTES_H

enum { HALF_BYTES = 2, SINGLE_BYTES = 4 };

#endif
