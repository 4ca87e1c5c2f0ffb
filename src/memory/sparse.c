/* Rows of sparse gradients.
 *
 * A table of embeddings may have a gradient of those rows alone that were looked up. It is values,
 * a row for each look-up, and the places of these rows, of 8 bytes each. A row that was looked up
 * twice is there twice: an optimiser sums equal ones for itself. Several passes, and several uses
 * of a table, add rows. docs/memory.md */
#include "memory/sparse.h"

#include <math.h>
#include <string.h>

#include "work/args.h"

enum { PLACE_BYTES = sizeof(int64_t) };

static bool ends(const char *text, const char *end) {
    size_t length = strlen(text), more = strlen(end);
    return length >= more && !strcmp(text + length - more, end);
}

static bool makes_rows(const habitat_operation *o) {
    return ends(o->form->name, "sparse_backward");
}

static bool called_by_such(const habitat_operation *operations, size_t i) {
    for (uint32_t at = operations[i].parent; at != HABITAT_NONE; at = operations[at].parent)
        if (makes_rows(&operations[at]))
            return true;
    return false;
}

/* Of a gradient of what was read, and the places that it was read from. NaN: it shows none. */
static double bytes_shown(const habitat_operation *o) {
    const habitat_input *gradient = work_tensor(o, 0), *places = work_tensor(o, 1);
    return gradient && places
               ? work_elements(places) *
                     (work_size(work_dim(gradient, -1), gradient->dtype) + PLACE_BYTES)
               : (double)NAN;
}

double memory_rows_made(const habitat_operation *operations, size_t i) {
    double bytes = NAN;
    if (operations[i].iteration != 0 || !makes_rows(&operations[i]) ||
        called_by_such(operations, i))
        return 0;
    /* what calls it as its derivative is given the same two */
    for (uint32_t at = (uint32_t)i;
         isnan(bytes) && at != HABITAT_NONE && ends(operations[at].form->name, "_backward");
         at = operations[at].parent)
        bytes = bytes_shown(&operations[at]);
    return isfinite(bytes) ? bytes : 0;
}

double memory_rows_of(const habitat_operation *operations, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += memory_rows_made(operations, i);
    return sum;
}
