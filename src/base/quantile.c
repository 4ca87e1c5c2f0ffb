/* Quantiles of numbers. */
#include "base/quantile.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void habitat_sort_numbers(double *values, size_t count) {
    if (count)
        qsort(values, count, sizeof *values, by_value);
}

double habitat_quantile(const double *sorted, size_t count, double share) {
    double at = share * (double)(count - 1);
    size_t below = (size_t)at;
    double above = sorted[below + 1 < count ? below + 1 : below];
    return sorted[below] + (at - (double)below) * (above - sorted[below]);
}
