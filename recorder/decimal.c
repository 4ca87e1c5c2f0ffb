#include "decimal.h"

#include <inttypes.h>
#include <string.h>

bool decimal_text(double value, char text[DECIMAL_BYTES]) {
    if (!(value >= 0 && value < 1e18)) {
        memcpy(text, "null", sizeof "null");
        return false;
    }
    uint64_t whole = (uint64_t)value;
    uint64_t millionths = (uint64_t)((value - (double)whole) * 1e6 + 0.5);
    if (millionths == 1000000) {
        whole++;
        millionths = 0;
    }
    int length = snprintf(text, DECIMAL_BYTES, "%" PRIu64 ".%06" PRIu64, whole, millionths);
    while (text[length - 1] == '0')
        length--;
    if (text[length - 1] == '.')
        length--;
    text[length] = '\0';
    return true;
}

void decimal_write(FILE *file, double value) {
    char text[DECIMAL_BYTES];
    decimal_text(value, text);
    fputs(text, file);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool decimal_read_ns(const char *text, uint64_t *ns) {
    uint64_t value = 0;
    int decimals = -1; /* -1: before the point */
    if (!is_digit(*text))
        return false;
    for (; is_digit(*text) || (*text == '.' && decimals < 0); text++) {
        if (*text == '.') {
            decimals = 0;
            continue;
        }
        if (decimals == 3)
            continue;
        if (value > (UINT64_MAX - 9) / 10)
            return false;
        value = value * 10 + (uint64_t)(*text - '0');
        decimals += decimals >= 0;
    }
    for (int i = decimals < 0 ? 0 : decimals; i < 3; i++) {
        if (value > UINT64_MAX / 10)
            return false;
        value *= 10;
    }
    *ns = value;
    return true;
}
