/* Letters and digits of names: ASCII, whatever the locale. In a Turkish one tolower('I') is not
 * 'i', and in none may a name of a GPU or a kernel be read in another way. */
#ifndef HABITAT_BASE_LETTER_H
#define HABITAT_BASE_LETTER_H

#include <stdbool.h>

static inline bool letter_is_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline char letter_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline bool letter_is_alnum(char c) {
    char lower = letter_lower(c);
    return letter_is_digit(c) || (lower >= 'a' && lower <= 'z');
}

#endif
