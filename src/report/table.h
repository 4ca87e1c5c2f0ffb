/* Aligned text tables: cells are collected, columns are as wide as their widest cell. Where the
 * table does not fit, the columns that it can do without give way first, then those that may be
 * narrower. docs/decisions/0208-one-table-of-predictions.md */
#ifndef HABITAT_REPORT_TABLE_H
#define HABITAT_REPORT_TABLE_H

#include <stdbool.h>

#include "report/writer.h"

enum { TABLE_COLUMNS_MAX = 40 };

typedef enum table_style {
    STYLE_PLAIN = 0,
    STYLE_BOLD,
    STYLE_GOOD, /* green */
    STYLE_BAD,  /* red */
    STYLE_DIM,
} table_style;

typedef struct table_column {
    const char *header; /* up to two lines, split by '\n' */
    bool right;         /* numbers */
    bool shrink;        /* may be cut to make the table fit */
} table_column;

/* What else a column may do to make the table fit. */
typedef struct table_yield {
    bool wrap; /* with shrink: what is cut off goes on in the next line */
    int spare; /* above 0: the column is left out, the highest first */
} table_yield;

typedef struct text_table {
    const table_column *columns;
    const table_yield *yields; /* shape (column_count); NULL: none does */
    size_t column_count;
    char **cells;        /* shape (row_count * column_count); NULL = empty */
    char **notes;        /* shape (row_count): a second line below the row; NULL = none */
    table_style *styles; /* shape (row_count) */
    size_t row_count, capacity;
    bool failed; /* out of memory */
} text_table;

/* columns: borrowed until table_write(), which frees the cells. Memory that runs out sets `failed`;
 * table_write() then stops the writer. */
void table_start(text_table *t, const table_column *columns, size_t count);

/* A new last row, all cells empty. */
void table_row(text_table *t, table_style style);
/* Fill cell `column` of the last row; control characters and bad UTF-8 are replaced. */
__attribute__((format(printf, 3, 4))) void table_cell(text_table *t, size_t column,
                                                      const char *format, ...);
/* A second line below the last row, indented and cut to the width. */
void table_note(text_table *t, const char *text);
/* A number in a fixed number of decimals; "-" for NaN. */
void table_number(text_table *t, size_t column, double value, int decimals);
/* Memory that is left, in whole GB; with decimals where less than one is missing: never "-0". */
void table_room(text_table *t, size_t column, double gb);
/* Milliseconds with about four digits: 0.0123, 1.234, 12.34, 123.4, 1234. */
void table_ms(text_table *t, size_t column, double ms);
/* A number of any size in few characters: from 10 million on as 1.23e+07. */
void table_amount(text_table *t, size_t column, double value, int decimals);
/* Write header and rows and free the table. */
void table_write(text_table *t, writer *w);

/* Decimals that give `ms` this many digits, 0 to 6: so that a column of times keeps one precision.
 */
int decimals_for(double ms, int digits);

/* As table_ms() writes them. */
void ms_text(double ms, char *text, size_t size);
/* Ratio: 0.731x, 4.37x, 12.3x; "-" for NaN. */
void ratio_text(double ratio, char *text, size_t size);

/* Columns a text takes on a terminal. */
size_t display_width(const char *text);

/* Write `text` (already clean) in a style. */
void styled_text(writer *w, table_style style, const char *text);

/* Words of `text`, broken at the writer's width, lines after the first indented. */
void wrapped_text(writer *w, const char *first, size_t indent, const char *text);

/* A bar of '#' for a share of 0..1 in `columns` columns. */
void bar_text(double share, size_t columns, char *text, size_t size);

#endif
