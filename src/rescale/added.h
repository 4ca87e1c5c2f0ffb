/* What another number format adds to an iteration: a list that grows. */
#ifndef HABITAT_RESCALE_ADDED_H
#define HABITAT_RESCALE_ADDED_H

#include "base/format_bytes.h"
#include "rescale/scale.h"

typedef struct added_list {
    scale_added *all; /* shape (count); freed by the owner */
    size_t count, room;
    bool out_of_memory;
} added_list;

/* name: static. */
void added_work(added_list *list, const char *name, const habitat_work *work);

/* An operation that goes once through `elements`, with bytes read and written of each. Of no
 * elements: nothing. */
void added_bytes(added_list *list, const char *name, double elements, double read, double write,
                 habitat_class op_class);

#endif
