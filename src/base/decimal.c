/* Doubles and decimal digits by whole numbers of many words: slow beside tables of powers, but each
 * step is exact and can be checked by hand. The common short numbers go another way. */
#include "base/decimal.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <habitat/text.h>

#include "base/letter.h"

enum {
    WORDS = 160, /* 5,120 bits: 800 digits over 10^1143, the largest division met below */
    BILLION = 1000000000,
    LARGEST_POINT = 310,   /* 0.d * 10^310 is more than any double */
    SMALLEST_POINT = -330, /* and 0.d * 10^-330 less than half of any */
    EXPONENT_MAX = 100000, /* of the text; more says nothing new */
};

/* A whole number, little words first; words at and behind `count` are not in use. */
typedef struct big {
    int count;
    uint32_t word[WORDS];
} big;

static void big_multiply_add(big *b, uint32_t factor, uint32_t more) {
    uint64_t carry = more;
    for (int i = 0; i < b->count; i++) {
        carry += (uint64_t)b->word[i] * factor;
        b->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        b->word[b->count++] = (uint32_t)carry;
}

/* @return the remainder. Inline: division by a constant is a multiplication. */
static inline uint32_t big_divide(big *b, uint32_t divisor) {
    uint64_t rest = 0;
    for (int i = b->count; i-- > 0;) {
        rest = rest << 32 | b->word[i];
        b->word[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (b->count && !b->word[b->count - 1])
        b->count--;
    return (uint32_t)rest;
}

static void big_shift_left(big *b, int bits) {
    int words = bits / 32;
    if (!b->count)
        return;
    big_multiply_add(b, (uint32_t)1 << (bits % 32), 0);
    memmove(b->word + words, b->word, (size_t)b->count * sizeof *b->word);
    memset(b->word, 0, (size_t)words * sizeof *b->word);
    b->count += words;
}

static int big_bits(const big *b) {
    int bits = 32 * b->count;
    for (uint32_t top = b->count ? b->word[b->count - 1] : 0; top && !(top >> 31); top <<= 1)
        bits--;
    return bits;
}

/* ---- double to digits ---- */

/* All digits of a whole number, which is used up. */
static int big_digits(big *b, char *digits) {
    char reversed[DECIMAL_DIGITS_MAX + 9];
    int count = 0;
    reversed[0] = '0'; /* read by nothing; cppcheck does not see that */
    while (b->count) {
        uint32_t part = big_divide(b, BILLION);
        for (int i = 0; i < 9; i++, part /= 10)
            reversed[count++] = (char)('0' + part % 10);
    }
    while (count && reversed[count - 1] == '0')
        count--;
    for (int i = 0; i < count; i++)
        digits[i] = reversed[count - 1 - i];
    return count;
}

/* m 2^e with e < 0 is m 5^-e / 10^-e: the digits of a whole number, and where the point stands. */
void decimal_from_double(double value, decimal *out) {
    static const uint32_t powers[] = {1,     5,      25,      125,     625,      3125,     15625,
                                      78125, 390625, 1953125, 9765625, 48828125, 244140625};
    enum { WHOLE = 13, FIVES = 1220703125 /* 5^13 */ };
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(fabs(value), &exponent), 53);
    out->count = out->point = 0;
    if (!mantissa)
        return;
    for (exponent -= 53; !(mantissa & 1) && exponent < 0; exponent++)
        mantissa >>= 1;
    big b = {.count = mantissa >> 32 ? 2 : 1,
             .word = {(uint32_t)mantissa, (uint32_t)(mantissa >> 32)}};
    if (exponent >= 0)
        big_shift_left(&b, exponent);
    int fives = exponent < 0 ? -exponent : 0;
    for (; fives >= WHOLE; fives -= WHOLE)
        big_multiply_add(&b, FIVES, 0);
    big_multiply_add(&b, powers[fives], 0);
    while (b.count && !b.word[b.count - 1])
        b.count--;
    out->count = big_digits(&b, out->digits);
    out->point = out->count + (exponent < 0 ? exponent : 0);
}

void decimal_round(decimal *d, int count) {
    if (count >= d->count)
        return;
    bool up = false;
    if (count >= 0) {
        char next = d->digits[count];
        bool more = count + 1 < d->count; /* the last digit is not 0, or it would not be there */
        for (int i = count + 1; more && d->digits[i] == '0'; i++)
            more = i + 1 < d->count;
        bool odd = count > 0 && (d->digits[count - 1] - '0') % 2;
        up = next > '5' || (next == '5' && (more || odd));
    }
    d->count = count > 0 ? count : 0;
    while (up && d->count && d->digits[d->count - 1] == '9')
        d->count--;
    if (up && d->count) {
        d->digits[d->count - 1]++;
    } else if (up) {
        d->digits[d->count++] = '1';
        d->point++;
    }
    if (!d->count)
        d->point = 0;
}

/* ---- digits to double ---- */

/* The number as it stands: digits without leading zeros, the value digits * 10^exponent. */
typedef struct spelled {
    const char *first; /* digit that is not 0; points among the digits are passed over */
    const char *end;   /* behind the last digit */
    int count;         /* digits from `first` on */
    int exponent;
    uint64_t short_value; /* of the first 19 digits */
} spelled;

/* @return bytes of "e-12" at text; 0 if there is no exponent. */
static size_t read_exponent(const char *text, const char *end, int *exponent) {
    const char *at = text;
    bool negative = false;
    int value = 0;
    if (at == end || (*at != 'e' && *at != 'E'))
        return 0;
    at++;
    if (at < end && (*at == '+' || *at == '-'))
        negative = *at++ == '-';
    if (at == end || !letter_is_digit(*at))
        return 0;
    for (; at < end && letter_is_digit(*at); at++)
        if (value < EXPONENT_MAX)
            value = value * 10 + (*at - '0');
    *exponent += negative ? -value : value;
    return (size_t)(at - text);
}

/* @return behind the number; NULL if there is none. */
static const char *spell(const char *text, const char *end, spelled *out) {
    bool any = false, fraction = false;
    *out = (spelled){0};
    for (; text < end; text++) {
        if (*text == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (!letter_is_digit(*text))
            break;
        any = true;
        if (out->exponent > -EXPONENT_MAX)
            out->exponent -= fraction;
        if (!out->first && *text == '0')
            continue;
        if (!out->first)
            out->first = text;
        if (out->count < 19)
            out->short_value = out->short_value * 10 + (uint64_t)(*text - '0');
        if (out->count < EXPONENT_MAX)
            out->count++;
        else
            out->exponent++;
    }
    out->end = text;
    return any ? text + read_exponent(text, end, &out->exponent) : NULL;
}

/* m 2^exponent with `sticky` for what was cut off below it, rounded half to even. */
static double assemble(uint64_t mantissa, int exponent, bool sticky) {
    enum { LOWEST = -1022, HIGHEST = 1023, BITS = 53 };
    int top = exponent + 63; /* the value lies in [2^top, 2^(top + 1)) */
    if (top > HIGHEST)
        return INFINITY;
    int drop = 64 - BITS + (top < LOWEST ? LOWEST - top : 0);
    if (drop > 64)
        return 0.0;
    uint64_t half = (uint64_t)1 << (drop - 1);
    uint64_t kept = drop < 64 ? mantissa >> drop : 0;
    uint64_t rest = drop < 64 ? mantissa & (2 * half - 1) : mantissa;
    kept += rest > half || (rest == half && (sticky || (kept & 1)));
    return ldexp((double)kept, exponent + drop);
}

/* The top 64 bits of b 2^exponent. */
static double from_big(const big *b, int exponent, bool sticky) {
    int bits = big_bits(b), from = bits - 64;
    uint64_t mantissa = 0;
    for (int i = b->count; i-- > 0;) {
        int at = 32 * i - from; /* where this word's lowest bit goes */
        uint64_t word = b->word[i];
        if (at >= 0) {
            mantissa |= word << at;
        } else if (at > -32) {
            mantissa |= word >> -at;
            sticky |= (word & (((uint64_t)1 << -at) - 1)) != 0;
        } else {
            sticky |= word != 0;
        }
    }
    return assemble(mantissa, exponent + from, sticky);
}

static double exact(const spelled *s) {
    big b = {0};
    bool sticky = false;
    int used = 0, exponent = s->exponent;
    int point = s->count + s->exponent;
    if (point > LARGEST_POINT)
        return INFINITY;
    if (point < SMALLEST_POINT)
        return 0.0;
    for (const char *at = s->first; at < s->end && used < s->count; at++) {
        if (*at == '.')
            continue;
        if (used++ < DECIMAL_DIGITS_MAX) {
            big_multiply_add(&b, 10, (uint32_t)(*at - '0'));
        } else {
            exponent++;
            sticky |= *at != '0';
        }
    }
    for (; exponent >= 9; exponent -= 9)
        big_multiply_add(&b, BILLION, 0);
    for (; exponent > 0; exponent--)
        big_multiply_add(&b, 10, 0);
    int shift = 10 * -exponent / 3 + 1 + 66 - big_bits(&b); /* 2^(10/3) > 10 */
    shift = exponent < 0 && shift > 0 ? shift : 0;
    big_shift_left(&b, shift);
    for (; exponent <= -9; exponent += 9)
        sticky |= big_divide(&b, BILLION) != 0;
    for (; exponent < 0; exponent++)
        sticky |= big_divide(&b, 10) != 0;
    return from_big(&b, -shift, sticky);
}

/* 53 bits times or over an exact power of ten are rounded once: nearly every number. */
static bool quick(const spelled *s, double *out) {
#if FLT_EVAL_METHOD == 0
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (s->count > 19 || s->short_value > (uint64_t)1 << 53 || s->exponent < -22 ||
        s->exponent > 22)
        return false;
    double value = (double)s->short_value;
    *out = s->exponent < 0 ? value / powers[-s->exponent] : value * powers[s->exponent];
    return true;
#else
    (void)s;
    (void)out;
    return false;
#endif
}

size_t decimal_read(const char *text, size_t length, double *out) {
    const char *end = text + length, *at = text;
    spelled s;
    double value = 0.0;
    bool negative = at < end && *at == '-';
    at += negative || (at < end && *at == '+');
    at = spell(at, end, &s);
    if (!at)
        return 0;
    if (s.first && !quick(&s, &value))
        value = exact(&s);
    *out = negative ? -value : value;
    return (size_t)(at - text);
}

/* ---- public ---- */

/* "inf", "infinity" or "nan" in any case; bytes read. */
static size_t read_word(const char *text, double *out) {
    static const struct {
        const char *word;
        double value;
    } words[] = {{"infinity", INFINITY}, {"inf", INFINITY}, {"nan", NAN}};
    bool negative = *text == '-';
    const char *from = text + (negative || *text == '+');
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = 0;
        while (words[i].word[length] && (from[length] | 0x20) == words[i].word[length])
            length++;
        if (words[i].word[length])
            continue;
        *out = negative ? -words[i].value : words[i].value;
        return (size_t)(from - text) + length;
    }
    return 0;
}

size_t habitat_read_number(const char *text, double *out) {
    size_t blanks = strspn(text, " \t\n\v\f\r");
    const char *from = text + blanks;
    size_t used = decimal_read(from, strlen(from), out);
    if (!used)
        used = read_word(from, out);
    return used ? blanks + used : 0;
}

bool habitat_is_number(const char *text, double *out) {
    double value;
    size_t used = text ? habitat_read_number(text, &value) : 0;
    if (!used || text[used])
        return false;
    *out = value;
    return true;
}
