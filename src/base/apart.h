/* Two numbers of one sentence: rounded so that a reader sees which is larger. */
#ifndef HABITAT_BASE_APART_H
#define HABITAT_BASE_APART_H

#include <stddef.h>

/* a and b with `decimals` decimals, or as many more as tell them apart. size: of each text. */
void apart_decimals(double a, double b, int decimals, char *one, char *other, size_t size);

/* The same with `digits` digits in all, and no zeros at the end: "24", "24.02". */
void apart_digits(double a, double b, int digits, char *one, char *other, size_t size);

/* What somebody gave as it is, and what is measured against it in three digits or as many more:
 * "24", "24.02". */
void apart_limit(double limit, double value, char *one, char *other, size_t size);

#endif
