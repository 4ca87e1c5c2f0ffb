/* Cells of a row, read strictly; see row.h. */
#include "question/row.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <habitat/text.h>

#include "base/csv.h"
#include "base/error.h"

enum { WORD_BYTES = 48 };

row row_of(const habitat_csv_reader *reader, habitat_error *err) {
    row r = {.path = csv_path(reader), .line = habitat_csv_line(reader), .err = err};
    r.columns = habitat_csv_columns(reader, &r.count);
    r.fields = csv_fields(reader);
    return r;
}

void row_fail(row *r, habitat_status status, const char *format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    habitat_vformat(text, sizeof text, format, arguments);
    va_end(arguments);
    bool about_row = status == HABITAT_E_UNSUPPORTED;
    if (r->status != HABITAT_OK && (r->status != HABITAT_E_UNSUPPORTED || about_row))
        return;
    r->status = habitat_fail_at(r->err, status, r->path, UINT64_MAX, r->line, "%s%s",
                                r->keys && !about_row ? "shape: " : "", text);
}

/* "kv-heads", as `habitat op` writes it, is the column kv_heads. */
static bool named(const char *column, const char *name, size_t length) {
    char wanted[64];
    if (strlen(column) != length || length >= sizeof wanted)
        return false;
    memcpy(wanted, name, length);
    wanted[length] = '\0';
    return word_same(column, wanted);
}

bool row_has(const row *r, const char *column) {
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->columns[i], column) == 0)
            return true;
    return false;
}

const char *row_text(row *r, const char *names, const char **name) {
    const char *found = NULL;
    for (const char *at = names; *at;) {
        size_t length = strcspn(at, "|");
        for (size_t i = 0; i < r->count; i++) {
            if (!named(r->columns[i], at, length))
                continue;
            r->used[i] = true;
            if (!found && r->fields[i] && r->fields[i][0]) {
                found = r->fields[i];
                if (name)
                    *name = r->columns[i];
            }
        }
        at += length + (at[length] == '|');
    }
    return found;
}

void row_missing(row *r, const char *name) {
    if (r->keys)
        row_fail(r, HABITAT_E_RANGE, "no %.40s given; add %.40s=NUMBER", name, name);
    else
        row_fail(r, HABITAT_E_RANGE, "no %.40s given; fill in its column", name);
}

/* Beyond it a double no longer holds every whole number, and no tensor has such a side. */
#define SIZE_END 1e15

static double number(row *r, const char *names, double otherwise, double least) {
    const char *name = "", *text = row_text(r, names, &name);
    double value = NAN;
    if (!text && isnan(otherwise)) {
        char first[WORD_BYTES];
        snprintf(first, sizeof first, "%.*s", (int)strcspn(names, "|"), names);
        row_missing(r, first);
    }
    if (!text)
        return otherwise;
    bool whole = csv_decimal(text, &value) && value >= least && value == floor(value);
    if (whole && value >= SIZE_END) {
        row_fail(r, HABITAT_E_RANGE, "%s is \"%.40s\"; it must be below %g", name, text, SIZE_END);
        return NAN;
    }
    if (!whole) {
        row_fail(r, HABITAT_E_RANGE, "%s is \"%.40s\"; it must be a whole number of at least %g",
                 name, text, least);
        return NAN;
    }
    return value;
}

double row_size(row *r, const char *names, double otherwise) {
    return number(r, names, otherwise, 1);
}

double row_count(row *r, const char *names, double otherwise) {
    return number(r, names, otherwise, 0);
}

double row_time(row *r, const char *column) {
    const char *text = row_text(r, column, NULL);
    double value = NAN;
    if (!text)
        return NAN;
    if (!csv_decimal(text, &value) || !(value > 0 && value < 1e9)) {
        row_fail(r, HABITAT_E_RANGE, "%s is \"%.40s\"; it must be a time above 0", column, text);
        return NAN;
    }
    return value;
}

int row_word(row *r, const char *column, const vocabulary *of, int otherwise) {
    const char *name = column, *text = row_text(r, column, &name);
    if (!text)
        return otherwise;
    const word *found = word_find(of, text);
    if (found && !found->why_not)
        return found->value;
    char list[320];
    word_list(of, list, sizeof list);
    if (found)
        row_fail(r, HABITAT_E_UNSUPPORTED, "%s \"%.40s\": %s", name, text, found->why_not);
    else
        row_fail(r, HABITAT_E_PARSE, "%s \"%.40s\" is no %s; choose one of: %s", name, text,
                 of->what, list);
    return otherwise;
}

static const word flags[] = {{"0", 0, NULL},    {"1", 1, NULL},     {"false", 0, NULL},
                             {"true", 1, NULL}, {"False", 0, NULL}, {"True", 1, NULL},
                             {"N", 0, NULL},    {"T", 1, NULL}};
static const vocabulary flag_words = VOCABULARY("yes or no", flags);

/* A number as sizes may be: of a column with gaps pandas makes 1.0. */
bool row_flag(row *r, const char *names) {
    const char *text = row_text(r, names, NULL);
    double value = NAN;
    if (text && csv_decimal(text, &value) && (value == 0.0 || value == 1.0))
        return value == 1.0;
    return row_word(r, names, &flag_words, 0) != 0;
}

static bool neutral(const row *r, size_t i, const row_parameter *parameter) {
    double value = NAN;
    const word *flag = word_find(&flag_words, r->fields[i]);
    if (csv_decimal(r->fields[i], &value))
        return value == parameter->neutral;
    return flag && flag->value == parameter->neutral;
}

void row_refuse_ignored(row *r, const char *operation, const row_parameter *known, size_t count) {
    for (size_t i = 0; i < r->count; i++) {
        if (r->used[i] || !r->fields[i] || !r->fields[i][0])
            continue;
        size_t k = 0;
        while (k < count && !word_same(known[k].name, r->columns[i]))
            k++;
        if (k < count && !neutral(r, i, &known[k]))
            row_fail(r, HABITAT_E_RANGE, "%s is \"%.40s\", which is not known of %s; leave it %g",
                     r->columns[i], r->fields[i], operation, known[k].neutral);
        else if (k == count && r->keys)
            row_fail(r, HABITAT_E_PARSE, "%s is no size of %s", r->columns[i], operation);
    }
}
