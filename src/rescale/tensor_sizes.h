/* Formats of tensors by their number of elements, which is what a trace tells of them. */
#ifndef HABITAT_RESCALE_TENSOR_SIZES_H
#define HABITAT_RESCALE_TENSOR_SIZES_H

#include <habitat/units.h>

#include "base/table.h"

/* Tensors of one number of elements. */
typedef struct tensor_size {
    uint64_t elements;
    habitat_dtype latest; /* format of the latest one */
    bool wide;            /* one of them was fp32 */
} tensor_size;

/* Zero is empty. */
typedef struct tensor_sizes {
    tensor_size *all; /* shape (count) */
    size_t count, room;
    habitat_table table;
    habitat_dtype latest; /* of any size */
    bool out_of_memory;
} tensor_sizes;

/* NULL: none of that size was made. */
const tensor_size *tensor_sizes_find(const tensor_sizes *of, double elements);

/* One more was made. Without memory it is not noted, which out_of_memory remembers. */
void tensor_sizes_note(tensor_sizes *of, double elements, habitat_dtype dtype);

/* Forgets all, and frees them. */
void tensor_sizes_clear(tensor_sizes *of);

#endif
