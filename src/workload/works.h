/* What operations compute, kept once for all that are alike: a trace repeats its steps. */
#ifndef HABITAT_WORKLOAD_WORKS_H
#define HABITAT_WORKLOAD_WORKS_H

#include <habitat/work.h>

#include "base/arena.h"
#include "base/table.h"

/* Work of something, by what it is the work of. */
typedef struct works_entry {
    const void *of; /* an operation's form, a kernel's, or another work */
    uint32_t how;
    const habitat_work *work; /* NULL: nothing is known */
} works_entry;

typedef struct works {
    habitat_arena *arena; /* that works are kept in */
    habitat_table table;
    works_entry *all;
    uint32_t count;
    size_t capacity;
} works;

/* Of each that follows: index into all; HABITAT_NONE when out of memory. */

/* An operation's own. list_dtype: format of lists of tensors, if their own is not recorded. */
uint32_t works_of_operation(works *w, const habitat_operation *op, habitat_dtype list_dtype);

/* What a kernel's name alone says. */
uint32_t works_of_kernel(works *w, const habitat_kernel *kernel);

/* Of a backward pass whose own shapes were not recorded: the forward operation's class, and for
 * matrix work twice its flop and bytes (one product of the same size for each gradient). */
uint32_t works_backward(works *w, const habitat_work *forward);

/* Of an operation of which inner ones did a part: how much is left is not known. */
uint32_t works_unknown(works *w, const habitat_work *whole);

/* The works stay. */
void works_free(works *w);

#endif
