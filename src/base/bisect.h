/* Looking for a number by halves: where something that only grows (or only falls) changes.
 *
 *     bisection b = {.low = 0.0, .high = 1.0, .halvings = 40};
 *     for (double middle; bisect_next(&b, &middle);)
 *         bisect_take(&b, middle, too_small(middle));
 *
 * Then b.low is too small, or what it was, and b.high is not, or what it was. */
#ifndef HABITAT_BASE_BISECT_H
#define HABITAT_BASE_BISECT_H

#include <stdbool.h>

typedef struct bisection {
    double low, high;
    int halvings; /* left */
} bisection;

/* The number to look at next; false after the last halving. */
static inline bool bisect_next(bisection *b, double *middle) {
    if (b->halvings <= 0)
        return false;
    b->halvings--;
    *middle = 0.5 * (b->low + b->high);
    return true;
}

/* What was found there: the number looked for lies above it, or it does not. */
static inline void bisect_take(bisection *b, double middle, bool is_low) {
    *(is_low ? &b->low : &b->high) = middle;
}

#endif
