/* Gradients that are rows of a table, one for each place that was looked up: they grow with the
 * batch, other than those of weights. */
#ifndef HABITAT_MEMORY_SPARSE_H
#define HABITAT_MEMORY_SPARSE_H

#include <habitat/trace.h>

/* Bytes of the rows that operation i makes; 0: it makes none, or is called by what does. */
double memory_rows_made(const habitat_operation *operations, size_t i);

/* Bytes of all rows that the first iteration makes. */
double memory_rows_of(const habitat_operation *operations, size_t count);

#endif
