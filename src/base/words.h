/* Vocabularies: the words that a column or an option may hold, as a table with names. */
#ifndef HABITAT_BASE_WORDS_H
#define HABITAT_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include <habitat/status.h>

typedef struct word {
    const char *name;
    int value;
    const char *why_not; /* a word that is known and that nobody can predict; NULL for the others */
} word;

typedef struct vocabulary {
    const char *what; /* "pass": what messages call such a word */
    const word *words;
    size_t count;
} vocabulary;

#define VOCABULARY(what, table)                                                                    \
    { what, table, sizeof(table) / sizeof *(table) }

/* Two spellings of one word: hyphens and underscores are the same, letters are not. */
bool word_same(const char *a, const char *b);

/* NULL: no such word. */
const word *word_find(const vocabulary *of, const char *text);

/* The first name of a value, as reports write it; NULL: the value has none. */
const char *word_name(const vocabulary *of, int value);

/* The value of a word that can be predicted. HABITAT_E_ARG: the others, and NULL. */
habitat_status word_value(const vocabulary *of, const char *text, int *out, habitat_error *err);

/* "forward, backward": the words to choose from, cut where `out` ends. */
void word_list(const vocabulary *of, char *out, size_t size);

#endif
