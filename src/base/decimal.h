/* Doubles to and from decimal digits: exact, without a locale, without memory of its own. */
#ifndef HABITAT_BASE_DECIMAL_H
#define HABITAT_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* The longest: 2^-1074 times an odd number of 53 bits has 767 digits. */
enum { DECIMAL_DIGITS_MAX = 800 };

/* A number >= 0 in decimal: 0.d1 d2 d3 ... * 10^point. Zero has no digits. */
typedef struct decimal {
    int count, point;
    char digits[DECIMAL_DIGITS_MAX]; /* '0' to '9'; the first is not '0' */
} decimal;

/* The exact value of |value|, which must be finite. */
void decimal_from_double(double value, decimal *out);

/* Cut to `count` digits, half to even; count <= 0 leaves nothing or, rounded up, one digit. */
void decimal_round(decimal *d, int count);

/* As "%.*g" writes it, `digits` >= 1; d is cut to these digits. For text of 32 bytes digits are 17
 * at most. In format.c. @return bytes without the NUL. */
size_t decimal_general(decimal *d, int digits, char text[32]);

/* The number of at most `length` bytes that `text` begins with; see habitat_read_number(), whose
 * blanks and words ("inf") are not read here. @return bytes read, 0 if there is no number. */
size_t decimal_read(const char *text, size_t length, double *out);

#endif
