/* Numbers of a trace. Kineto writes times as decimal microseconds with 16 and more digits: a double
 * cannot hold them to the nanosecond, so the digits are read as digits. */
#include "trace/number.h"

#include <math.h>

#include "base/decimal.h"
#include "base/letter.h"

enum { DIGITS_MAX = 19, TEXT_MAX = 63, EXPONENT_MAX = 10000 };

/* Text after 'e': a signed exponent, clamped. False if there is none. */
static bool read_exponent(const char *text, const char *end, int *exponent) {
    bool negative = false;
    int value = 0;
    if (text < end && (*text == '+' || *text == '-'))
        negative = *text++ == '-';
    if (text == end)
        return false;
    for (; text < end; text++) {
        if (!letter_is_digit(*text))
            return false;
        if (value < EXPONENT_MAX)
            value = value * 10 + (*text - '0');
    }
    *exponent += negative ? -value : value;
    return true;
}

/* mantissa * 10^shift. If digits behind the mantissa were dropped, they cannot change a half-up
 * rounding; with a positive shift they would be needed, but then the number is too large. */
static number_result apply_shift(uint64_t mantissa, int shift, bool dropped, uint64_t limit,
                                 uint64_t *out) {
    if (mantissa == 0)
        shift = 0;
    if (dropped && shift > 0)
        return NUMBER_TOO_LARGE;
    for (; shift > 0; shift--) {
        if (mantissa > UINT64_MAX / 10)
            return NUMBER_TOO_LARGE;
        mantissa *= 10;
    }
    if (shift < 0) {
        if (shift < -DIGITS_MAX) {
            mantissa = 0;
        } else {
            uint64_t power = 1;
            for (; shift < 0; shift++)
                power *= 10;
            uint64_t rest = mantissa % power;
            mantissa = mantissa / power + (rest >= power - rest);
        }
    }
    if (mantissa > limit)
        return NUMBER_TOO_LARGE;
    *out = mantissa;
    return NUMBER_OK;
}

/* Digits with at most one point among them, few enough for a mantissa: nearly every number of a
 * trace. False for any other text. */
static bool read_short(const char *text, size_t length, uint64_t *mantissa, int *shift) {
    uint64_t value = 0;
    size_t point = length;
    if (length > DIGITS_MAX + 1 || length == 0)
        return false;
    for (size_t i = 0; i < length; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        if (digit < 10)
            value = value * 10 + digit;
        else if (text[i] == '.' && point == length && i > 0)
            point = i;
        else
            return false;
    }
    if (point == length && length > DIGITS_MAX)
        return false;
    *mantissa = value;
    *shift -= point == length ? 0 : (int)(length - point) - 1;
    return true;
}

number_result number_scaled(const char *text, size_t length, int scale, uint64_t limit,
                            uint64_t *out) {
    const char *end = text + length;
    uint64_t mantissa = 0;
    int digits = 0, shift = scale;
    bool negative = false, any = false, fraction = false, dropped = false;
    if (read_short(text, length, &mantissa, &shift))
        return apply_shift(mantissa, shift, false, limit, out);
    if (text < end && *text == '-') {
        negative = true;
        text++;
    }
    for (; text < end; text++) {
        if (letter_is_digit(*text)) {
            any = true;
            uint64_t digit = (uint64_t)(*text - '0');
            if (digits < DIGITS_MAX || (!dropped && mantissa <= (UINT64_MAX - digit) / 10)) {
                mantissa = mantissa * 10 + digit;
                digits += mantissa != 0;
                shift -= fraction;
            } else {
                dropped = true;
                if (!fraction && shift < EXPONENT_MAX)
                    shift++;
            }
        } else if (*text == '.' && !fraction) {
            fraction = true;
        } else {
            break;
        }
    }
    if (!any)
        return NUMBER_BAD;
    if (text < end && ((*text != 'e' && *text != 'E') || !read_exponent(text + 1, end, &shift)))
        return NUMBER_BAD;
    if (negative && mantissa)
        return NUMBER_NEGATIVE;
    return apply_shift(mantissa, shift, dropped, limit, out);
}

/* Digits alone are whole; of others a double tells, as far as its own digits reach. */
number_result number_whole(const char *text, size_t length, uint64_t limit, uint64_t *out) {
    double value = 0.0;
    uint64_t whole = 0;
    bool digits = true;
    for (size_t i = 0; i < length; i++)
        digits = digits && letter_is_digit(text[i]);
    number_result result = number_scaled(text, length, 0, limit, &whole);
    if (result == NUMBER_OK && !digits &&
        (number_double(text, length, &value) != NUMBER_OK || value != floor(value)))
        return NUMBER_BROKEN;
    if (result == NUMBER_OK)
        *out = whole;
    return result;
}

number_result number_signed(const char *text, size_t length, int64_t *out) {
    bool negative = length && *text == '-';
    uint64_t value = 0;
    size_t i = negative;
    if (i == length)
        return NUMBER_BAD;
    if (!letter_is_digit(text[i])) /* nor a second sign */
        return NUMBER_BAD;
    number_result result = number_whole(text + i, length - i, INT64_MAX, &value);
    if (result != NUMBER_OK)
        return result;
    *out = negative ? -(int64_t)value : (int64_t)value;
    return NUMBER_OK;
}

number_result number_double(const char *text, size_t length, double *out) {
    double value;
    if (length == 0 || length > TEXT_MAX || decimal_read(text, length, &value) != length)
        return NUMBER_BAD;
    if (!isfinite(value))
        return NUMBER_TOO_LARGE;
    *out = value;
    return NUMBER_OK;
}
