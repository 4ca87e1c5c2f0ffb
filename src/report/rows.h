/* Rows of a report. One list of columns says what a row holds; it is written as JSON objects, as
 * CSV or as a text table. A report fills one line at a time; columns find their values in it. */
#ifndef HABITAT_REPORT_ROWS_H
#define HABITAT_REPORT_ROWS_H

#include <stddef.h>

#include "report/table.h"
#include "report/writer.h"

/* Where a column is shown. */
enum { IN_JSON = 1, IN_CSV = 2, IN_TEXT = 4, IN_FILES = IN_JSON | IN_CSV };

typedef enum column_kind {
    COLUMN_STRING = 0, /* const char *; NULL: unknown */
    COLUMN_NUMBER,     /* double; NaN: unknown */
    COLUMN_INTEGER,    /* uint64_t */
    COLUMN_TRISTATE,   /* int: 1, 0; below 0: unknown */
} column_kind;

typedef struct row_column {
    const char *key; /* in JSON and CSV */
    unsigned in;
    column_kind kind;
    size_t at; /* offset of the value in the line */

    /* JSON: writes a value that is a map or a list, in place of the line's. */
    void (*json)(writer *w, const char *key, const void *line);

    /* Text. */
    const char *header;
    bool right, shrink;
    bool wrap; /* as in table_yield */
    int spare;
    bool (*shown)(const void *of);                                /* whether at all; NULL: always */
    void (*show)(text_table *t, size_t column, const void *line); /* NULL: the value as it is */
} row_column;

/* A column of the field of that name: {ROW_COLUMN(line, ms, NUMBER, IN_FILES)}. */
#define ROW_COLUMN(line, field, type, where)                                                       \
    .key = #field, .in = (where), .kind = COLUMN_##type, .at = offsetof(line, field)

typedef struct row_list {
    const row_column *columns; /* shape (column_count) */
    size_t column_count;
    size_t count;                                         /* rows */
    const void *of;                                       /* handed to fill */
    void (*fill)(const void *of, size_t row, void *line); /* line: as large as the report's own */
    void *line;                                           /* room for one */
    table_style (*style)(const void *line);               /* text; NULL: plain */
    const char *(*note)(const void *line);                /* text: a line below; NULL: none */
    const char *const *only; /* text: shape (only_count), keys of the columns; NULL: the usual */
    size_t only_count;
    /* Text: key of a column that is there beside the usual, and not given up; NULL: none. */
    const char *also;
} row_list;

/* The column of a key, if it can be shown in text; NULL. */
const row_column *rows_column(const row_list *rows, const char *key);

/* Columns shown in `where`, of the line that is filled. */
void rows_json_keys(writer *w, const row_list *rows, unsigned where);

/* An array of objects. key: NULL inside arrays. */
void rows_json(writer *w, const char *key, const row_list *rows);

/* Lines without a header, which rows_csv_header() writes: several lists may stand under one. */
void rows_csv(writer *w, const row_list *rows);
void rows_csv_header(writer *w, const row_list *rows);

/* A text table, as wide as the writer's screen; a row that has one is followed by its note. */
void rows_text(writer *w, const row_list *rows);

#endif
