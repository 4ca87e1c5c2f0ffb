/* Weights that several operations take: which of those met are one. */
#ifndef HABITAT_MEMORY_SHARED_H
#define HABITAT_MEMORY_SHARED_H

#include <stdbool.h>

#include <habitat/trace.h>

#include "base/table.h"

/* Weights of one shape. */
typedef struct memory_shape {
    const int64_t *dims; /* the trace's */
    uint32_t rank;
    uint32_t added;            /* gradients that were added to another one's */
    uint32_t looked_up, taken; /* operations that take such a weight: embeddings, others */
} memory_shape;

typedef struct memory_shared { /* all zero: empty */
    memory_shape *shapes;
    size_t count, capacity;
    habitat_table table;
} memory_shared;

/* The shapes that matter: of gradients that are added up, and of tables. False when out of memory.
 */
bool memory_shared_note(const habitat_operation *operations, size_t count, memory_shared *out);

/* An operation takes a weight of this shape. */
void memory_shared_meet(memory_shared *s, const habitat_operation *op, const habitat_input *weight);

/* Elements that were met more than once: a weight's second gradient is added to its first. */
double memory_shared_again(const memory_shared *s);

/* Elements of tables that a product has a weight as large as, so that both may be one. */
double memory_shared_maybe(const memory_shared *s);

void memory_shared_free(memory_shared *s);

#endif
