/* How large an operation is, one number for each of its sizes, so that it can be told whether a
 * model was trained on operations like it. Sizes are of the operation alone: what a GPU is, models
 * see by its rates, on any GPU. */
#ifndef HABITAT_OPERATOR_EXTENT_H
#define HABITAT_OPERATOR_EXTENT_H

#include <stddef.h>

#include <habitat/work.h>

enum { OPERATOR_EXTENTS_MAX = 12 };

/* One size of an operation. */
typedef struct operator_extent {
    const char *name; /* "k", "bytes read": static */
    double value;     /* NaN or 0: not known */
} operator_extent;

enum { OPERATOR_TOTALS = 3 };

/* The sizes of an operation, always the same ones for operations of one kind of shape. Returns how
 * many out receives, of which the first OPERATOR_TOTALS are flop, bytes read, bytes written. */
size_t operator_extents(const habitat_work *work, operator_extent out[OPERATOR_EXTENTS_MAX]);

#endif
