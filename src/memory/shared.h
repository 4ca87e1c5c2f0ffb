/* Weights that several operations take: which of those met are one. */
#ifndef HABITAT_MEMORY_SHARED_H
#define HABITAT_MEMORY_SHARED_H

#include <stdbool.h>

#include <habitat/trace.h>

#include "base/table.h"
#include "memory/model.h"

/* Weights of one shape. */
typedef struct memory_shape {
    const int64_t *dims; /* the trace's */
    uint32_t rank;
    uint32_t added;            /* gradients that were added to another one's */
    uint32_t looked_up, taken; /* operations that take such a weight: embeddings, others */
} memory_shape;

/* A weight of a shape that was met, in one of the steps. */
typedef struct memory_meeting {
    size_t shape, step;
} memory_meeting;

typedef struct memory_shared { /* all zero: empty */
    memory_shape *shapes;
    size_t count, capacity;
    habitat_table table;
    memory_meeting *meetings; /* in the order of the forward pass */
    size_t meeting_count, meeting_capacity;
} memory_shared;

/* The shapes that matter: of gradients that are added up, and of tables. False when out of memory.
 */
bool memory_shared_note(const habitat_operation *operations, size_t count, memory_shared *out);

/* An operation, the step of that index, takes a weight of this shape. False when out of memory. */
bool memory_shared_meet(memory_shared *s, const habitat_operation *op, const habitat_input *weight,
                        size_t step);

/* Elements that were met more than once: a weight's second gradient is added to its first. */
double memory_shared_again(const memory_shared *s);

/* Where a weight was met again, its gradient is made once: by the first backward operation, which
 * is that of its last use. Others make one that is added to it and goes. */
void memory_shared_sum(const memory_shared *s, memory_step *steps, size_t count);

/* Elements of tables that a product has a weight as large as, so that both may be one. */
double memory_shared_maybe(const memory_shared *s);

void memory_shared_free(memory_shared *s);

#endif
