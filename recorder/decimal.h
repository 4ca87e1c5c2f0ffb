/* Numbers as JSON spells them. The recorder runs inside programs that may have chosen a locale with
 * a decimal comma, which the C library follows; here nothing does. */
#ifndef HABITAT_RECORDER_DECIMAL_H
#define HABITAT_RECORDER_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { DECIMAL_BYTES = 32 };

/** Writes `value` with up to six decimals, zeros at the end left out: "12.5", "4".
 *  @return false, with "null" written, for what is negative, no number, or 1e18 and more. */
bool decimal_text(double value, char text[DECIMAL_BYTES]);

/** The same into a file; JSON's null for what has no text. */
void decimal_write(FILE *file, double value);

/** Reads "1234.567" [us] as 1234567 [ns]; decimals after the third are cut off.
 *  @return false when `text` does not begin with such a number or it does not fit. */
bool decimal_read_ns(const char *text, uint64_t *ns);

#endif
