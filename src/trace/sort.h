/* Stable sorting of indices, fast on what is nearly in order already, as traces are. */
#ifndef HABITAT_TRACE_SORT_H
#define HABITAT_TRACE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is element a before element b? */
typedef bool (*sort_before)(const void *context, uint32_t a, uint32_t b);

/* Fill order[0..count) with 0..count-1, sorted. Natural merge sort: count * log2(number of runs).
 * False when out of memory. */
bool sort_order(uint32_t *order, size_t count, sort_before before, const void *context);

/* Move element order[i] of `array` to place i, for every i, in place. `order` is used up.
 * `spare` holds one element. */
void sort_apply(void *array, size_t element_bytes, uint32_t *order, size_t count, void *spare);

#endif
