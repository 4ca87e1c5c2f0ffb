/* Quantiles of numbers: the one meaning that predictions use. */
#ifndef HABITAT_BASE_QUANTILE_H
#define HABITAT_BASE_QUANTILE_H

#include <stddef.h>

/* Sort numbers, the smallest first; none is NaN. */
void habitat_sort_numbers(double *values, size_t count);

/* Value that lies as far from the first number to the last as `share` says (0 to 1), on the line
 * between its neighbours: of 1 2 4 the median (0.5) is 2, 0.75 gives 3. `sorted`: shape (count),
 * count at least 1. */
double habitat_quantile(const double *sorted, size_t count, double share);

#endif
