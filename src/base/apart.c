#include "base/apart.h"

#include <stdbool.h>
#include <string.h>

#include <habitat/text.h>

enum { DIGITS_MOST = 15 }; /* that a double holds */

static bool is_apart(const char *one, const char *other, int digits) {
    return strcmp(one, other) != 0 || digits >= DIGITS_MOST;
}

void apart_decimals(double a, double b, int decimals, char *one, char *other, size_t size) {
    for (int digits = decimals;; digits++) {
        habitat_format(one, size, "%.*f", digits, a);
        habitat_format(other, size, "%.*f", digits, b);
        if (is_apart(one, other, digits))
            return;
    }
}

void apart_digits(double a, double b, int digits, char *one, char *other, size_t size) {
    for (;; digits++) {
        habitat_format(one, size, "%.*g", digits, a);
        habitat_format(other, size, "%.*g", digits, b);
        if (is_apart(one, other, digits))
            return;
    }
}

static void drop_zeros(char *text) {
    size_t length = strlen(text);
    if (!strchr(text, '.'))
        return;
    while (text[length - 1] == '0')
        length--;
    text[length - (text[length - 1] == '.')] = '\0';
}

void apart_limit(double limit, double value, char *one, char *other, size_t size) {
    int decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
    habitat_format(one, size, "%.10g", limit);
    for (;; decimals++) {
        habitat_format(other, size, "%.*f", decimals, value);
        drop_zeros(other);
        if (is_apart(one, other, decimals))
            return;
    }
}
