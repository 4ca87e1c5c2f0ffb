/* Rows of a report; see rows.h. */
#include "report/rows.h"

#include <string.h>

static const char *string_at(const row_column *column, const void *line) {
    const char *text;
    memcpy(&text, (const char *)line + column->at, sizeof text);
    return text;
}

static double number_at(const row_column *column, const void *line) {
    double number;
    memcpy(&number, (const char *)line + column->at, sizeof number);
    return number;
}

static uint64_t integer_at(const row_column *column, const void *line) {
    uint64_t integer;
    memcpy(&integer, (const char *)line + column->at, sizeof integer);
    return integer;
}

static int tristate_at(const row_column *column, const void *line) {
    int value;
    memcpy(&value, (const char *)line + column->at, sizeof value);
    return value;
}

static void json_cell(writer *w, const row_column *column, const void *line) {
    if (column->json) {
        column->json(w, column->key, line);
        return;
    }
    switch (column->kind) {
    case COLUMN_STRING:
        json_text(w, column->key, string_at(column, line));
        break;
    case COLUMN_NUMBER:
        json_number(w, column->key, number_at(column, line));
        break;
    case COLUMN_INTEGER:
        json_integer(w, column->key, integer_at(column, line));
        break;
    case COLUMN_TRISTATE:
        json_tristate(w, column->key, tristate_at(column, line));
        break;
    }
}

static void csv_cell(writer *w, const row_column *column, const void *line) {
    static const char *const words[] = {"false", "true"};
    int value = 0;
    switch (column->kind) {
    case COLUMN_STRING:
        csv_text(w, string_at(column, line));
        break;
    case COLUMN_NUMBER:
        csv_number(w, number_at(column, line));
        break;
    case COLUMN_INTEGER:
        csv_integer(w, integer_at(column, line));
        break;
    case COLUMN_TRISTATE:
        value = tristate_at(column, line);
        csv_text(w, value < 0 ? NULL : words[value != 0]);
        break;
    }
}

void rows_json_keys(writer *w, const row_list *rows, unsigned where) {
    for (size_t c = 0; c < rows->column_count; c++)
        if (rows->columns[c].in & where)
            json_cell(w, &rows->columns[c], rows->line);
}

void rows_json(writer *w, const char *key, const row_list *rows) {
    json_array(w, key);
    for (size_t i = 0; i < rows->count; i++) {
        rows->fill(rows->of, i, rows->line);
        json_map(w, NULL);
        rows_json_keys(w, rows, IN_JSON);
        json_end_map(w);
    }
    json_end_array(w);
}

void rows_csv_header(writer *w, const row_list *rows) {
    for (size_t c = 0; c < rows->column_count; c++)
        if (rows->columns[c].in & IN_CSV)
            csv_text(w, rows->columns[c].key);
    csv_end_row(w);
}

void rows_csv(writer *w, const row_list *rows) {
    for (size_t i = 0; i < rows->count; i++) {
        rows->fill(rows->of, i, rows->line);
        for (size_t c = 0; c < rows->column_count; c++)
            if (rows->columns[c].in & IN_CSV)
                csv_cell(w, &rows->columns[c], rows->line);
        csv_end_row(w);
    }
}

/* A value that no column shows in a way of its own. */
static void text_cell(text_table *t, size_t place, const row_column *column, const void *line) {
    const char *text = NULL;
    double number = 0;
    int value = 0;
    switch (column->kind) {
    case COLUMN_STRING:
        text = string_at(column, line);
        break;
    case COLUMN_NUMBER:
        number = number_at(column, line);
        table_amount(t, place, number, decimals_for(number, 3));
        return;
    case COLUMN_INTEGER:
        table_number(t, place, (double)integer_at(column, line), 0);
        return;
    case COLUMN_TRISTATE:
        value = tristate_at(column, line);
        text = value < 0 ? "-" : value ? "yes" : "no";
        break;
    }
    if (text)
        table_cell(t, place, "%s", text);
}

static void text_row(text_table *t, const row_list *rows, const row_column *const *shown,
                     size_t count) {
    const char *note = rows->note ? rows->note(rows->line) : NULL;
    table_row(t, rows->style ? rows->style(rows->line) : STYLE_PLAIN);
    for (size_t c = 0; c < count; c++) {
        if (shown[c]->show)
            shown[c]->show(t, c, rows->line);
        else
            text_cell(t, c, shown[c], rows->line);
    }
    if (note)
        table_note(t, note);
}

const row_column *rows_column(const row_list *rows, const char *key) {
    for (size_t c = 0; c < rows->column_count; c++) {
        const row_column *column = &rows->columns[c];
        if (column->key && column->header && strcmp(column->key, key) == 0)
            return column;
    }
    return NULL;
}

static bool is_also(const row_list *rows, const row_column *column) {
    return rows->also && column->key && column->header && strcmp(column->key, rows->also) == 0;
}

static bool is_usual(const row_list *rows, const row_column *column) {
    return (column->in & IN_TEXT) && (!column->shown || column->shown(rows->of));
}

/* @return how many columns there are: those that were chosen, in their order, or the usual. */
static size_t text_columns(const row_list *rows, const row_column **shown) {
    size_t count = 0, most = rows->only ? rows->only_count : rows->column_count;
    for (size_t c = 0; c < most && count < TABLE_COLUMNS_MAX; c++) {
        const row_column *column =
            rows->only ? rows_column(rows, rows->only[c]) : &rows->columns[c];
        if (column && (rows->only || is_usual(rows, column) || is_also(rows, column)))
            shown[count++] = column;
    }
    return count;
}

void rows_text(writer *w, const row_list *rows) {
    table_column columns[TABLE_COLUMNS_MAX];
    table_yield yields[TABLE_COLUMNS_MAX];
    const row_column *shown[TABLE_COLUMNS_MAX];
    size_t count = text_columns(rows, shown);
    for (size_t c = 0; c < count; c++) {
        bool asked = rows->only || is_also(rows, shown[c]);
        columns[c] = (table_column){shown[c]->header, shown[c]->right, shown[c]->shrink};
        yields[c] = (table_yield){shown[c]->wrap, asked ? 0 : shown[c]->spare};
    }
    text_table t;
    table_start(&t, columns, count);
    t.yields = yields;
    for (size_t i = 0; i < rows->count; i++) {
        rows->fill(rows->of, i, rows->line);
        text_row(&t, rows, shown, count);
    }
    table_write(&t, w);
}
