/* Edit distance of words. */
#include <habitat/text.h>

#include <string.h>

enum { WORD_MAX = 127 }; /* bytes of a word that count */

static size_t length_of(const char *word) {
    size_t length = strlen(word);
    return length < WORD_MAX ? length : WORD_MAX;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

size_t habitat_edit_distance(const char *a, const char *b) {
    size_t la = length_of(a), lb = length_of(b);
    size_t rows[3][WORD_MAX + 1]; /* two rows back for swaps, one back, current */
    for (size_t j = 0; j <= lb; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *current = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        current[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = least(best, least(last[j], current[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = least(best, before[j - 2] + 1);
            current[j] = best;
        }
    }
    return rows[la % 3][lb];
}
