/* A choice from inside. */
#ifndef HABITAT_ASK_CHOICE_WORDS_H
#define HABITAT_ASK_CHOICE_WORDS_H

#include <habitat/choose.h>

#include "base/arena.h"

enum {
    CHOICE_CHANGES_MAX = 8,
    CHOICE_NOTES_MAX = 4,
    CHOICE_WORDS = 320,      /* bytes of a part of a sentence */
    CHOICE_NAME_BYTES = 168, /* bytes of choice_name() */
};

typedef struct made_choice {
    habitat_choice open; /* first: a public pointer is a pointer to its made_choice */
    habitat_exclusion *excluded;
    habitat_arena arena;
} made_choice;

/* Less by more than the last digits. Replays that their CPU sets take the same time on all
 * GPUs but for those. */
bool choice_is_less(double a, double b);

/* Whether what takes `ms` and costs `usd` leaves no reason to take the other. NaN: not known. */
bool choice_beats(double ms, double usd, double other_ms, double other_usd);

/* By what times and costs of a row are divided to be compared: its samples where rows differ in
 * batch size or number of GPUs, else 1. */
double choice_unit(const habitat_choice *c, double samples);

/* Whether a GPU is named with its number: "two L40S". */
bool choice_counts(const habitat_choice *c, const habitat_answer_key *key);

/* What stands before the reason: "Take the ", "Take " before a number; "" where none can be taken.
 */
const char *choice_take(const habitat_choice *c);

/* "two"; in digits from thirteen on. */
void choice_count_words(uint32_t count, char *text, size_t size);

/* "L40S", "two L40S", and where batch sizes differ "two L40S at batch 32". */
void choice_name(const habitat_choice *c, const habitat_answer_key *key,
                 char text[CHOICE_NAME_BYTES]);

/* "the L40S", "two L40S" */
void choice_the_name(const habitat_choice *c, const habitat_answer_key *key,
                     char text[CHOICE_NAME_BYTES]);

bool choice_is_plural(const habitat_choice *c, const habitat_answer_key *key);

/* Of an iteration, or of a sample. */
double choice_time_of(const habitat_choice *c, const habitat_choice_row *row);
double choice_usd_of(const habitat_choice *c, const habitat_choice_row *row);

/* Whether a GPU is not to be recommended for its memory: too small, or so near that it may not fit.
 * `fits` as in habitat_prediction. Memory that is not known is no reason. */
bool choice_lacks_room(int fits, double headroom_bytes);

/* "too small" or "may not fit"; "" where nothing is said against the GPU. */
const char *choice_room_words(int fits, double headroom_bytes);

/* Why times of a choice are at least these; "" where they are not. */
const char *choice_at_least_words(const habitat_choice *c);

/* choice_words.c, choice_changes.c, choice_notes.c: the reason, what would change it and what to
 * know before, once all rows are ranked. HABITAT_E_MEMORY. */
habitat_status choice_words(made_choice *out, habitat_error *err);
habitat_status choice_changes(made_choice *out, habitat_error *err);
habitat_status choice_notes(made_choice *out, habitat_error *err);

/* How many rows have the same value as the first, but for last digits: the first is not counted. */
size_t choice_equals(const habitat_choice *c);

/* "1.1x", "3x", "12x"; "1x" is too little to speak of. */
void choice_ratio(double ratio, char *text, size_t size);

/* "1.1x as fast as the NAME at 3x the price", "as two NAME"; without prices, the first half. Of the
 * same GPU "as one of them", "as the same GPU at batch 8". */
void choice_compare(const habitat_choice *c, const habitat_choice_row *a,
                    const habitat_choice_row *b, char *text, size_t size);

/* A line in the choice's memory; NULL without memory. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
const char *
choice_line(made_choice *out, const char *format, ...);

#endif
