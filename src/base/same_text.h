/* Texts that may be absent. */
#ifndef HABITAT_BASE_SAME_TEXT_H
#define HABITAT_BASE_SAME_TEXT_H

#include <stdbool.h>
#include <string.h>

/* Equal, or both absent. */
static inline bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Equal and there: two that are not known are not the same. */
static inline bool same_known_text(const char *a, const char *b) {
    return a && b && strcmp(a, b) == 0;
}

#endif
