/* Numbers of a trace, from their text: exact, without a detour through floating point. */
#ifndef HABITAT_TRACE_NUMBER_H
#define HABITAT_TRACE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum number_result {
    NUMBER_OK,
    NUMBER_NEGATIVE,
    NUMBER_TOO_LARGE, /* does not fit the limit asked for */
    NUMBER_BAD,       /* not a number at all */
    NUMBER_BROKEN,    /* a number, but no whole one */
} number_result;

/* value * 10^scale, rounded half up once, from decimal text ("4371707016397.204", "1e3").
 * With scale 3, microseconds give nanoseconds. `out` is untouched unless NUMBER_OK. */
number_result number_scaled(const char *text, size_t length, int scale, uint64_t limit,
                            uint64_t *out);

/* A whole number from 0 to `limit`, however it is written ("7", "7.0", "1e3"). */
number_result number_whole(const char *text, size_t length, uint64_t limit, uint64_t *out);

/* The same with a sign allowed. */
number_result number_signed(const char *text, size_t length, int64_t *out);

/* Any JSON number as a double; NUMBER_TOO_LARGE when it is not finite. */
number_result number_double(const char *text, size_t length, double *out);

#endif
