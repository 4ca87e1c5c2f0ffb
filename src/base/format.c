/* Text from a format, the same under every locale. Whole numbers and texts do not depend on it and
 * go through snprintf() one by one; doubles are written from their exact digits. */
#include <habitat/text.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/letter.h"

enum { SPEC_BYTES = 48 };

/* One "%-8.3f". */
typedef struct spec {
    bool left, plus, space, zero;
    int width, precision; /* precision < 0: not given */
    char length[3];       /* "", "l", "ll", "z" ... */
    char conversion;
} spec;

/* Where the text goes: what does not fit is counted only. */
typedef struct sink {
    char *out;
    size_t size, used;
} sink;

static void put(sink *s, char c) {
    if (s->used + 1 < s->size)
        s->out[s->used] = c;
    s->used++;
}

static void put_many(sink *s, char c, int count) {
    for (int i = 0; i < count; i++)
        put(s, c);
}

static void put_text(sink *s, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        put(s, text[i]);
}

/* ---- doubles ---- */

/* A digit at a place: 0 is the one before the point, 1 the first behind it. */
static char digit_at(const decimal *d, int place) {
    int i = d->point - 1 + place;
    return i >= 0 && i < d->count ? d->digits[i] : '0';
}

/* Digits with `behind` of them behind the point, from the place of the first one on. */
static void put_fixed(sink *s, const decimal *d, int behind) {
    for (int place = d->point > 1 ? 1 - d->point : 0; place <= 0; place++)
        put(s, digit_at(d, place));
    if (behind > 0)
        put(s, '.');
    for (int place = 1; place <= behind; place++)
        put(s, digit_at(d, place));
}

static void put_scientific(sink *s, const decimal *d, int behind) {
    char exponent[16];
    decimal one = *d;
    one.point = 1;
    put_fixed(s, &one, behind);
    int length = snprintf(exponent, sizeof exponent, "e%+03d", d->count ? d->point - 1 : 0);
    put_text(s, exponent, (size_t)length);
}

/* %g: as many digits as asked for, no zeros behind them; an exponent where it is shorter. */
static void put_general(sink *s, decimal *d, int digits) {
    digits = digits ? digits : 1;
    decimal_round(d, digits);
    int exponent = d->count ? d->point - 1 : 0;
    while (d->count && d->digits[d->count - 1] == '0')
        d->count--;
    if (exponent < -4 || exponent >= digits)
        put_scientific(s, d, d->count ? d->count - 1 : 0);
    else
        put_fixed(s, d, d->count > d->point ? d->count - d->point : 0);
}

size_t decimal_general(decimal *d, int digits, char text[32]) {
    sink s = {text, 32, 0};
    put_general(&s, d, digits);
    text[s.used] = '\0';
    return s.used;
}

static void put_finite(sink *s, const spec *how, double value) {
    decimal d;
    int precision = how->precision < 0 ? 6 : how->precision;
    decimal_from_double(value, &d);
    switch (how->conversion) {
    case 'f':
        decimal_round(&d, precision > DECIMAL_DIGITS_MAX ? d.count : d.point + precision);
        put_fixed(s, &d, precision);
        break;
    case 'e':
        decimal_round(&d, precision > DECIMAL_DIGITS_MAX ? d.count : 1 + precision);
        put_scientific(s, &d, precision);
        break;
    default:
        put_general(s, &d, precision);
        break;
    }
}

static void put_magnitude(sink *s, const spec *how, double value) {
    if (isfinite(value))
        put_finite(s, how, value);
    else
        put_text(s, isnan(value) ? "nan" : "inf", 3);
}

static void put_double(sink *s, const spec *how, double value) {
    char sign = signbit(value) ? '-' : how->plus ? '+' : how->space ? ' ' : 0;
    sink measure = {.size = 0};
    if (how->width)
        put_magnitude(&measure, how, value);
    int pad = how->width - (int)measure.used - (sign != 0);
    bool zeros = how->zero && !how->left && isfinite(value);
    if (!how->left && !zeros)
        put_many(s, ' ', pad);
    if (sign)
        put(s, sign);
    if (zeros)
        put_many(s, '0', pad);
    put_magnitude(s, how, value);
    if (how->left)
        put_many(s, ' ', pad);
}

/* ---- everything else ---- */

/* The specification again, without stars, for snprintf(). */
static void spell(const spec *how, char *out) {
    char width[16] = "", precision[16] = "";
    if (how->width)
        snprintf(width, sizeof width, "%d", how->width);
    if (how->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", how->precision);
    snprintf(out, SPEC_BYTES, "%%%s%s%s%s%s%s%s%c", how->left ? "-" : "", how->plus ? "+" : "",
             how->space ? " " : "", how->zero ? "0" : "", width, precision, how->length,
             how->conversion);
}

/* snprintf() straight into the sink: what does not fit is counted only. */
#define PUT_WITH(s, text, value)                                                                   \
    do {                                                                                           \
        size_t room = (s)->used < (s)->size ? (s)->size - (s)->used : 0;                           \
        int written = snprintf(room ? (s)->out + (s)->used : NULL, room, (text), (value));         \
        if (written < 0)                                                                           \
            return false;                                                                          \
        (s)->used += (size_t)written;                                                              \
    } while (0)

/* NOLINTBEGIN(clang-analyzer-valist.Uninitialized): the list comes from habitat_vformat() */
static bool put_integer(sink *s, const spec *how, const char *text, va_list *arguments) {
    const char *length = how->length;
    if (!strcmp(length, "ll"))
        PUT_WITH(s, text, va_arg(*arguments, long long));
    else if (!strcmp(length, "l"))
        PUT_WITH(s, text, va_arg(*arguments, long));
    else if (!strcmp(length, "z"))
        PUT_WITH(s, text, va_arg(*arguments, size_t));
    else if (!strcmp(length, "j"))
        PUT_WITH(s, text, va_arg(*arguments, intmax_t));
    else if (!strcmp(length, "t"))
        PUT_WITH(s, text, va_arg(*arguments, ptrdiff_t));
    else
        PUT_WITH(s, text, va_arg(*arguments, int));
    return true;
}

/* Texts, whole numbers and pointers: as snprintf() writes them. */
static bool put_other(sink *s, const spec *how, va_list *arguments) {
    char text[SPEC_BYTES];
    spell(how, text);
    switch (how->conversion) {
    case 's':
        PUT_WITH(s, text, va_arg(*arguments, const char *));
        return true;
    case 'p':
        PUT_WITH(s, text, va_arg(*arguments, void *));
        return true;
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        return put_integer(s, how, text, arguments);
    default:
        return false;
    }
}

static bool put_one(sink *s, const spec *how, va_list *arguments) {
    switch (how->conversion) {
    case '%':
        put(s, '%');
        return true;
    case 'c':
        put(s, (char)va_arg(*arguments, int));
        return true;
    case 'f':
    case 'e':
    case 'g':
        put_double(s, how, va_arg(*arguments, double));
        return true;
    default:
        return put_other(s, how, arguments);
    }
}

/* ---- the format ---- */

static const char *read_flags(const char *at, spec *how) {
    for (;; at++) {
        if (*at == '-')
            how->left = true;
        else if (*at == '+')
            how->plus = true;
        else if (*at == ' ')
            how->space = true;
        else if (*at == '0')
            how->zero = true;
        else
            return at;
    }
}

static const char *read_count(const char *at, va_list *arguments, int *out) {
    if (*at == '*') {
        *out = va_arg(*arguments, int);
        return at + 1;
    }
    for (*out = 0; letter_is_digit(*at); at++)
        if (*out < 100000)
            *out = *out * 10 + (*at - '0');
    return at;
}

/* From behind the '%' to behind the conversion. */
static const char *read_spec(const char *at, va_list *arguments, spec *how) {
    *how = (spec){.precision = -1};
    at = read_count(read_flags(at, how), arguments, &how->width);
    if (how->width < 0) {
        how->left = true;
        how->width = -how->width;
    }
    if (*at == '.')
        at = read_count(at + 1, arguments, &how->precision);
    size_t length = strspn(at, "hlzjt");
    if (length < sizeof how->length)
        memcpy(how->length, at, length);
    at += length;
    how->conversion = length < sizeof how->length ? *at : '\0';
    return *at ? at + 1 : at;
}

/* NOLINTEND(clang-analyzer-valist.Uninitialized) */

int habitat_vformat(char *out, size_t size, const char *format, va_list arguments) {
    sink s = {out, size, 0};
    bool fine = true;
    va_list list;
    va_copy(list, arguments);
    while (*format && fine) {
        const char *percent = strchr(format, '%');
        size_t plain = percent ? (size_t)(percent - format) : strlen(format);
        put_text(&s, format, plain);
        format += plain;
        if (percent) {
            spec how;
            format = read_spec(percent + 1, &list, &how);
            fine = put_one(&s, &how, &list);
        }
    }
    va_end(list);
    if (size)
        out[s.used < size ? s.used : size - 1] = '\0';
    return fine && s.used <= INT32_MAX ? (int)s.used : -1;
}

int habitat_format(char *out, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = habitat_vformat(out, size, format, arguments);
    va_end(arguments);
    return length;
}
