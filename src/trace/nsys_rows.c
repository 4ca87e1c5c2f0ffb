/* Rows of Nsight Systems' SQLite export: asking for the columns that exist, and taking their values
 * strictly. */
#ifdef HABITAT_HAVE_SQLITE

#include "trace/nsys.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"

enum { QUERY_BYTES = 1024 };

habitat_status nsys_database_error(nsys *n) {
    int code = sqlite3_errcode(n->db) & 0xff;
    if (code == SQLITE_NOMEM)
        return habitat_fail(n->err, HABITAT_E_MEMORY, "out of memory");
    if (code == SQLITE_CANTOPEN || code == SQLITE_IOERR || code == SQLITE_BUSY)
        return habitat_fail_at(n->err, HABITAT_E_IO, n->path, UINT64_MAX, 0,
                               "cannot read the database: %s; check the file and try again",
                               sqlite3_errmsg(n->db));
    return habitat_fail_at(n->err, HABITAT_E_PARSE, n->path, UINT64_MAX, 0,
                           "damaged SQLite database (%s); export it again", sqlite3_errmsg(n->db));
}

habitat_status nsys_no_memory(nsys *n) {
    return habitat_fail(n->err, HABITAT_E_MEMORY, "out of memory");
}

/* --- values of a row ------------------------------------------------------------------------ */

/* A whole number of at most `limit`, 0 where there is none. False (error filled) if it is not. */
bool nsys_take(nsys_row *r, int column, uint64_t limit, uint64_t *out) {
    int type = sqlite3_column_type(r->statement, column);
    int64_t value = sqlite3_column_int64(r->statement, column);
    if (type == SQLITE_NULL || (type == SQLITE_INTEGER && value >= 0 && (uint64_t)value <= limit)) {
        *out = type == SQLITE_NULL ? 0 : (uint64_t)value;
        return true;
    }
    bool number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    habitat_fail_at(r->n->err, number ? HABITAT_E_RANGE : HABITAT_E_FORMAT, r->n->path, UINT64_MAX,
                    0, "table %s, row %" PRIu64 ": \"%s\" is %s; export it again", r->table,
                    r->number, r->columns[column],
                    !number     ? "not a number"
                    : value < 0 ? "negative"
                                : "absurdly large");
    return false;
}

bool nsys_take_small(nsys_row *r, int column, uint32_t *out) {
    uint64_t value = 0;
    if (!nsys_take(r, column, UINT32_MAX, &value))
        return false;
    *out = (uint32_t)value;
    return true;
}

/* start and end in the first two columns; *open if the end is missing. */
bool nsys_take_interval(nsys_row *r, uint64_t *start_ns, uint64_t *duration_ns, bool *open) {
    uint64_t end;
    *open = sqlite3_column_type(r->statement, 1) == SQLITE_NULL;
    if (!nsys_take(r, 0, TRACE_TIME_LIMIT_NS, start_ns) ||
        !nsys_take(r, 1, TRACE_TIME_LIMIT_NS, &end))
        return false;
    if (*open)
        return true;
    if (end < *start_ns || end - *start_ns > TRACE_DURATION_LIMIT_NS) {
        habitat_fail_at(r->n->err, HABITAT_E_RANGE, r->n->path, UINT64_MAX, 0,
                        "table %s, row %" PRIu64 ": the duration is %s; export it again", r->table,
                        r->number, end < *start_ns ? "negative" : "absurdly large");
        return false;
    }
    *duration_ns = end - *start_ns;
    return true;
}

/* The text of a StringIds id, or of the column itself; NULL if there is none. */
const char *nsys_take_text(nsys_row *r, int column, bool *fine) {
    nsys *n = r->n;
    int type = sqlite3_column_type(r->statement, column);
    *fine = true;
    if (type == SQLITE_TEXT) {
        const char *text = (const char *)sqlite3_column_text(r->statement, column);
        size_t length = (size_t)sqlite3_column_bytes(r->statement, column);
        text = text ? habitat_strings_intern(&n->b->trace->strings, text, length) : NULL;
        *fine = text != NULL;
        return text;
    }
    if (type != SQLITE_INTEGER)
        return NULL;
    int64_t id = sqlite3_column_int64(r->statement, column);
    size_t low = 0;
    LIST_FIRST_NOT(low, n->text_count, n->texts[middle].id < id);
    return low < n->text_count && n->texts[low].id == id ? n->texts[low].text : NULL;
}

/* Nsight packs hardware, VM, process (24 bits) and thread (24 bits) into one number. */
uint64_t nsys_process(uint64_t global) {
    return global >> 24 & 0xffffff;
}

/* Correlations count in each process: made unique here, and cut back at the end. */
uint64_t nsys_correlation(const nsys *n, uint64_t global, uint64_t correlation) {
    uint64_t process = n->by_process ? nsys_process(global) : 0;
    return correlation ? process << 32 | (correlation & UINT32_MAX) : 0;
}

/* --- queries -------------------------------------------------------------------------------- */

bool nsys_has_table(nsys *n, const char *table) {
    return sqlite3_table_column_metadata(n->db, NULL, table, NULL, NULL, NULL, NULL, NULL, NULL) ==
           SQLITE_OK;
}

bool nsys_has_column(nsys *n, const char *table, const char *column) {
    return sqlite3_table_column_metadata(n->db, NULL, table, column, NULL, NULL, NULL, NULL,
                                         NULL) == SQLITE_OK;
}

/* Add to the query: the column, or NULL in its place. False if a needed one is missing. */
static bool add_column(nsys *n, const char *table, const char *column, bool needed, char *query) {
    size_t length = strlen(query);
    const char *comma = length > strlen("SELECT ") ? ", " : "";
    bool there = nsys_has_column(n, table, column);
    if (there)
        snprintf(query + length, QUERY_BYTES - length, "%s\"%s\"", comma, column);
    else
        snprintf(query + length, QUERY_BYTES - length, "%sNULL", comma);
    return there || !needed;
}

/* Read all rows of a table, if there is one. The first `needed` columns must exist. */
habitat_status nsys_read_table(nsys *n, const char *table, const char *const *columns, size_t count,
                               size_t needed, nsys_row_reader reader) {
    char query[QUERY_BYTES] = "SELECT ";
    if (!nsys_has_table(n, table))
        return HABITAT_OK;
    n->any_known = true;
    for (size_t i = 0; i < count; i++)
        if (!add_column(n, table, columns[i], i < needed, query))
            return habitat_fail_at(n->err, HABITAT_E_FORMAT, n->path, UINT64_MAX, 0,
                                   "table %s has no column \"%s\"; export it again with a newer "
                                   "nsys",
                                   table, columns[i]);
    size_t length = strlen(query);
    snprintf(query + length, sizeof query - length, " FROM \"%s\"", table);
    nsys_row r = {.n = n, .table = table, .columns = columns};
    if (sqlite3_prepare_v2(n->db, query, -1, &r.statement, NULL) != SQLITE_OK)
        return nsys_database_error(n);
    habitat_status status = HABITAT_OK;
    int step = SQLITE_DONE;
    while (status == HABITAT_OK && (step = sqlite3_step(r.statement)) == SQLITE_ROW) {
        r.number++;
        status = reader(&r);
    }
    if (status == HABITAT_OK && step != SQLITE_DONE)
        status = nsys_database_error(n);
    sqlite3_finalize(r.statement);
    return status;
}

#endif
