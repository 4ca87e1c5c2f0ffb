/* How much an element-wise kernel moves, told by its name and grid. */
#ifndef HABITAT_WORK_ELEMENTS_H
#define HABITAT_WORK_ELEMENTS_H

#include <habitat/trace.h>

/* What a vectorised kernel of PyTorch tells. How many elements each of its threads treats differs
 * from release to release; a release has one number for each width. */
typedef struct kernel_elements {
    double round_bytes; /* read and written when each thread treats one element; tensors are taken
                           to be of one format and full size */
    unsigned width;     /* log2 of the elements of a load: 0 to KERNEL_WIDTHS - 1 */
} kernel_elements;

enum { KERNEL_WIDTHS = 5 };

/* False where the name tells nothing; `out` is untouched then. */
bool kernel_elements_of(const habitat_kernel_form *form, kernel_elements *out);

#endif
