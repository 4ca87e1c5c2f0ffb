/* Doubles and decimal digits: exact values, roundings and readings worked out by hand. */
#include "base/decimal.h"

#include "check.h"

/* d's digits, as text. */
static const char *digits_of(const decimal *d) {
    static char text[DECIMAL_DIGITS_MAX + 1];
    memcpy(text, d->digits, (size_t)d->count);
    text[d->count] = '\0';
    return text;
}

static void check_exact(void) {
    decimal d;
    decimal_from_double(0.0, &d);
    CHECK_INT(d.count, 0);
    decimal_from_double(-0.375, &d); /* 3/8; the sign is left out */
    CHECK_TEXT(digits_of(&d), "375");
    CHECK_INT(d.point, 0);
    decimal_from_double(1024.0, &d);
    CHECK_TEXT(digits_of(&d), "1024");
    CHECK_INT(d.point, 4);
    decimal_from_double(0x1p-10, &d); /* 1/1024 = 0.0009765625: 5^10 over 10^10 */
    CHECK_TEXT(digits_of(&d), "9765625");
    CHECK_INT(d.point, -3);
    decimal_from_double(0.1, &d); /* 3602879701896397 / 2^55 */
    CHECK_TEXT(digits_of(&d), "1000000000000000055511151231257827021181583404541015625");
    CHECK_INT(d.point, 0);
    decimal_from_double(0x1p64, &d);
    CHECK_TEXT(digits_of(&d), "18446744073709551616");
    CHECK_INT(d.point, 20);
    decimal_from_double(0x1p-1074, &d); /* the least: 4.94e-324, 5^1074 has 751 digits */
    CHECK_INT(d.count, 751);
    CHECK_INT(d.point, -323);
    CHECK(strncmp(d.digits, "494065645841246544", 18) == 0);
    CHECK(d.digits[d.count - 1] == '5');
    check_case("a double's digits are all of them");
}

static void check_rounding(void) {
    static const struct {
        double value;
        int count;
        const char *digits;
        int point;
    } rows[] = {
        {0.125, 2, "12", 0},                                     /* a half goes to the even digit */
        {0.375, 2, "38", 0},      {0.1251220703125, 2, "13", 0}, /* more than a half */
        {999.0, 2, "1", 4},                                      /* 9s carry into a digit more */
        {12345.0, 9, "12345", 5},                                /* nothing to cut */
        {0.75, 0, "1", 1},        {0.25, 0, "", 0},              /* rounded up, or nothing left */
        {0.5, 0, "", 0},                                         /* half to even: 0 */
        {1200.0, 3, "120", 4}, /* zeros at the end are digits, too */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        decimal d;
        decimal_from_double(rows[i].value, &d);
        decimal_round(&d, rows[i].count);
        CHECK_TEXT(digits_of(&d), rows[i].digits);
        if (d.count)
            CHECK_INT(d.point, rows[i].point);
    }
    check_case("digits are cut half to even");
}

static void check_reading(void) {
    static const struct {
        const char *text;
        size_t length, read;
        double value;
    } rows[] = {
        {"0", 1, 1, 0.0},
        {"12.5e2x", 7, 6, 1250.0},
        {"1e", 2, 1, 1.0}, /* an exponent without digits is none */
        {"1e+", 3, 1, 1.0},
        {".5", 2, 2, 0.5},
        {"5.", 2, 2, 5.0},
        {"-3", 2, 2, -3.0},
        {"1234", 2, 2, 12.0},                             /* only so many bytes */
        {"9007199254740993", 16, 16, 9007199254740992.0}, /* 2^53 + 1: half to even */
        {"9007199254740993.00000001", 25, 25, 9007199254740994.0},
        {"1.7976931348623157e308", 22, 22, 0x1.fffffffffffffp1023},
        {"4.94e-324", 9, 9, 0x1p-1074},
        {"2.47e-324", 9, 9, 0.0}, /* less than half of the least */
        {"2.48e-324", 9, 9, 0x1p-1074},
        {"1e400", 5, 5, INFINITY},
        {"1e-400", 6, 6, 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value = NAN;
        size_t read = decimal_read(rows[i].text, rows[i].length, &value);
        if (read != rows[i].read || value != rows[i].value) {
            printf("# \"%s\": %zu bytes, %.17g\n", rows[i].text, read, value);
            check_case_failed = 1;
        }
    }
    static const char *const none[] = {"", ".", "-", "e5", "x", "+.e1"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        double value = 7.0;
        CHECK_INT(decimal_read(none[i], strlen(none[i]), &value), 0);
        CHECK(value == 7.0);
    }
    check_case("text is read to the nearest double, and no further than the number");
}

static void check_writing(void) {
    static const struct {
        double value;
        int digits;
        const char *text;
    } rows[] = {{0.0, 3, "0"},         {1250.0, 3, "1.25e+03"}, {1250.0, 4, "1250"},
                {0.0001, 3, "0.0001"}, {0.00001, 3, "1e-05"},   {2.5, 1, "2"},
                {3.5, 1, "4"},         {99.95, 3, "100"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        decimal d;
        char text[32] = "";
        decimal_from_double(rows[i].value, &d);
        CHECK_INT(decimal_general(&d, rows[i].digits, text), (long long)strlen(rows[i].text));
        CHECK_TEXT(text, rows[i].text);
    }
    check_case("a number is written as %.*g writes it");
}

int main(void) {
    check_exact();
    check_rounding();
    check_reading();
    check_writing();
    return check_done();
}
