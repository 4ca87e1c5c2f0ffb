/* One row of a table of operations, its cells read strictly: a cell is empty, or holds what its
 * column is for, or the row is refused with file, line, column and what is allowed. */
#ifndef HABITAT_QUESTION_ROW_H
#define HABITAT_QUESTION_ROW_H

#include <stdint.h>

#include <habitat/csv.h>

#include "base/words.h"

/* `columns` and `fields` are borrowed, shape (count). The first failure stays; one that refuses the
 * table takes the place of HABITAT_E_UNSUPPORTED, which is about this row alone. */
typedef struct row {
    const char *path;
    uint64_t line;
    bool keys; /* "key=value" of a cell `shape`, not columns */
    size_t count;
    const char *const *columns, *const *fields;
    bool used[HABITAT_CSV_COLUMNS_MAX];
    habitat_status status;
    habitat_error *err; /* may be NULL */
} row;

/* The reader's row, read column by column; it lives as long as the reader stands there. */
row row_of(const habitat_csv_reader *reader, habitat_error *err);

/* Notes why the row, or with another status than HABITAT_E_UNSUPPORTED the table, is refused. */
void row_fail(row *r, habitat_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* Refuses a row that leaves out what it needs: `name` is the column's, or the key's. */
void row_missing(row *r, const char *name);

/* Whether the table has such a column, its cell empty or not. */
bool row_has(const row *r, const char *column);

/* Where a parameter has several names they are given as "in_h|in|size": the first that is there and
 * not empty counts, and all count as used. NULL: none is. *name receives the one that counts; may
 * be NULL. */
const char *row_text(row *r, const char *names, const char **name);

/* A whole number of at least 1; of at least 0. `otherwise` stands for an empty cell; NaN: there
 * must be one. NaN after a failure. */
double row_size(row *r, const char *names, double otherwise);
double row_count(row *r, const char *names, double otherwise);

/* A number above 0 [ms]; NaN when empty. */
double row_time(row *r, const char *column);

/* 0 or 1, false or true; operands also N or T. Empty: false. */
bool row_flag(row *r, const char *names);

/* A word of a vocabulary. `otherwise` for an empty cell. Words that nobody can predict set
 * HABITAT_E_UNSUPPORTED, unknown ones HABITAT_E_PARSE with the list; both give `otherwise`. */
int row_word(row *r, const char *column, const vocabulary *of, int otherwise);

/* A parameter that the operation could have and that nothing here looks at. */
typedef struct row_parameter {
    const char *name;
    double neutral; /* the value that changes nothing */
} row_parameter;

/* Refuses a parameter that no one used and that is not neutral; of keys, also unknown ones. */
void row_refuse_ignored(row *r, const char *operation, const row_parameter *known, size_t count);

#endif
