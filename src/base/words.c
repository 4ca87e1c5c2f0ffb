/* Vocabularies; see words.h. */
#include "base/words.h"

#include <stdio.h>

#include "base/error.h"

static char folded(char c) {
    return c == '-' ? '_' : c;
}

bool word_same(const char *a, const char *b) {
    while (*a && folded(*a) == folded(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

const word *word_find(const vocabulary *of, const char *text) {
    for (size_t i = 0; i < of->count; i++)
        if (word_same(of->words[i].name, text))
            return &of->words[i];
    return NULL;
}

const char *word_name(const vocabulary *of, int value) {
    for (size_t i = 0; i < of->count; i++)
        if (of->words[i].value == value)
            return of->words[i].name;
    return NULL;
}

void word_list(const vocabulary *of, char *out, size_t size) {
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; i < of->count && used < size; i++)
        if (!of->words[i].why_not)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "",
                                     of->words[i].name);
}

habitat_status word_value(const vocabulary *of, const char *text, int *out, habitat_error *err) {
    if (!text)
        return habitat_fail(err, HABITAT_E_ARG, "no %s given", of->what);
    const word *found = word_find(of, text);
    char list[160];
    word_list(of, list, sizeof list);
    if (!found || found->why_not)
        return habitat_fail(err, HABITAT_E_ARG, "\"%.40s\" is no %s; choose one of: %s", text,
                            of->what, list);
    *out = found->value;
    return HABITAT_OK;
}
