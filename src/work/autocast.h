/* What PyTorch's autocast does with an operation on a GPU. */
#ifndef HABITAT_WORK_AUTOCAST_H
#define HABITAT_WORK_AUTOCAST_H

#include <stdbool.h>

#include <habitat/work.h>

typedef enum autocast_policy {
    AUTOCAST_NOT_LISTED = 0, /* runs in the formats of its inputs, the widest where they differ */
    AUTOCAST_NARROW,         /* inputs are cast to 16 bit */
    AUTOCAST_WIDE,           /* inputs are cast to fp32 */
    AUTOCAST_WIDE_INSIDE,    /* reads 16 bit, computes and writes fp32: no cast */
} autocast_policy;

/* The formats that autocast casts to. */
static inline bool autocast_is_narrow(habitat_dtype dtype) {
    return dtype == HABITAT_DTYPE_FP16 || dtype == HABITAT_DTYPE_BF16;
}

/* name: of an operation, "aten::" or not. */
autocast_policy autocast_of(const char *name);

/* The 16-bit format that an operation's inputs are cast to under autocast to `narrow`. Recurrent
 * layers of cuDNN and MIOpen take fp16 under bf16, too (aten/src/ATen/cudnn/AutocastRNN.cpp and
 * miopen/AutocastRNN.cpp name kHalf, PyTorch 1.6 to 2.11); their cells, which are PyTorch's own,
 * do not. */
habitat_dtype autocast_narrow(const char *name, habitat_dtype narrow);

#endif
