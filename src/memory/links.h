/* What a trace tells of how operations hang together: which backward operation belongs to a forward
 * one and how many elements its gradient has, how long a module keeps what it was given, and which
 * copies come from the host. */
#ifndef HABITAT_MEMORY_LINKS_H
#define HABITAT_MEMORY_LINKS_H

#include "memory/model.h"

typedef struct memory_links {
    const habitat_trace *trace; /* borrowed */
    const habitat_operation *operations;
    size_t count;
    uint64_t *backward_ns; /* shape (count): when the first backward operation of each, or of one
                              inside it, begins; UINT64_MAX: none */
    uint32_t *node;        /* shape (count): the outermost backward operation that belongs to it
                              itself; HABITAT_NONE: none */
    uint64_t *again_ns;    /* shape (count): when the backward pass computes each again; 0: never */
    double *result;        /* shape (count): elements of what each makes, as its backward operation
                              takes a gradient of; NaN: not shown */
    double *rows;          /* shape (count): bytes of the rows of a table that the backward
                              operations of each, or of those inside it, make; 0: none */
    bool *from_host;       /* shape (count): copies from the host's memory to the GPU's */
} memory_links;

/* Fills `out`, which the caller frees in any case, before the trace; false when out of memory. */
bool memory_links_of(const habitat_trace *trace, memory_links *out);
void memory_links_free(memory_links *links);

/* When the backward operation runs: of this one, or of one around it that counts as the same. */
uint64_t memory_links_backward(const memory_links *links, size_t i);

/* Bytes of the rows that this backward operation makes (sparse.h). */
double memory_links_rows(const memory_links *links, size_t i);

/* The backward operation of what comes after it: runs just before its own, which no trace shows
 * where it launches nothing. */
uint64_t memory_links_backward_after(const memory_links *links, size_t i);

/* Until when a tensor made at `born_ns` is there at least, if operation `i` reads it: the last
 * moment of that. A module called after it was made was given it, and whoever calls a module keeps
 * what it gives until the call returns. */
uint64_t memory_links_held_until(const memory_links *links, size_t i, uint64_t born_ns);

/* Until when a tensor that operation `i` makes is there if nothing is seen to read it: variables of
 * a module are there until its call returns. A module that ends with it has returned it. */
uint64_t memory_links_left_until(const memory_links *links, size_t i);

#endif
