/* Whole microseconds of times that follow one another: what is rounded off one is carried to the
 * next, so that the sum of the first n is never more than half a microsecond off. */
#ifndef HABITAT_EXPORT_WHOLE_US_H
#define HABITAT_EXPORT_WHOLE_US_H

#include <stdint.h>

typedef struct whole_us {
    double ns;   /* so far */
    uint64_t us; /* given out so far */
} whole_us;

/* ns: 0 or more. */
uint64_t whole_us_next(whole_us *sum, double ns);

#endif
