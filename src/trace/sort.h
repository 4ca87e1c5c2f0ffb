/* Stable sorting of indices, fast on what is nearly in order already, as traces are. */
#ifndef HABITAT_TRACE_SORT_H
#define HABITAT_TRACE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is element a before element b? */
typedef bool (*sort_before)(const void *context, uint32_t a, uint32_t b);

/* Sort indices. Natural merge sort: count * log2(number of runs); nothing is allocated where they
 * are sorted already. False when out of memory. */
bool sort_indices(uint32_t *order, size_t count, sort_before before, const void *context);

/* The same of 0..count-1, which fill order[0..count) first. */
bool sort_order(uint32_t *order, size_t count, sort_before before, const void *context);

/* Move element order[i] of `array` to place i, for every i, in place. `order` is used up.
 * `spare` holds one element. */
void sort_apply(void *array, size_t element_bytes, uint32_t *order, size_t count, void *spare);

/* Sort the elements of an array in place; `before` gets the array as its context. `spare` holds one
 * element. Nothing is allocated where they are sorted already. False when out of memory. */
bool sort_elements(void *array, size_t element_bytes, size_t count, sort_before before,
                   void *spare);

#endif
