/* A database of Nsight Systems while it is read; calls of nsys_rows.c. */
#ifndef HABITAT_TRACE_NSYS_H
#define HABITAT_TRACE_NSYS_H

#include <sqlite3.h>

#include "trace/build.h"

typedef struct nsys_text {
    int64_t id;
    const char *text;
} nsys_text;

typedef struct nsys {
    sqlite3 *db;
    const char *path;
    trace_builder *b;
    habitat_error *err;
    nsys_text *texts; /* StringIds, sorted by id */
    size_t text_count, text_capacity;
    bool any_known;  /* a table of Nsight Systems was found */
    bool by_process; /* activities say which process they are of */
} nsys;

/* One row of a query, and where it is from, for messages. */
typedef struct nsys_row {
    nsys *n;
    sqlite3_stmt *statement;
    const char *table;
    const char *const *columns;
    uint64_t number;
} nsys_row;

typedef habitat_status (*nsys_row_reader)(nsys_row *r);

/* The error of the database's last call, and that of memory. */
habitat_status nsys_database_error(nsys *n);
habitat_status nsys_no_memory(nsys *n);

/* Values of a row. False, error filled, for one that cannot be. */

/* A whole number of at most `limit`, 0 where there is none. */
bool nsys_take(nsys_row *r, int column, uint64_t limit, uint64_t *out);
bool nsys_take_small(nsys_row *r, int column, uint32_t *out);

/* start and end in the first two columns; *open if the end is missing. */
bool nsys_take_interval(nsys_row *r, uint64_t *start_ns, uint64_t *duration_ns, bool *open);

/* The text of a StringIds id, or of the column itself; NULL if there is none, or (*fine false) out
 * of memory. */
const char *nsys_take_text(nsys_row *r, int column, bool *fine);

/* The process in a number that Nsight makes of process and thread, and a correlation made unique
 * among processes by it. */
uint64_t nsys_process(uint64_t global);
uint64_t nsys_correlation(const nsys *n, uint64_t global, uint64_t correlation);

bool nsys_has_table(nsys *n, const char *table);
bool nsys_has_column(nsys *n, const char *table, const char *column);

/* Read all rows of a table, if there is one. The first `needed` columns must exist. */
habitat_status nsys_read_table(nsys *n, const char *table, const char *const *columns, size_t count,
                               size_t needed, nsys_row_reader reader);
#define READ_TABLE(n, table, columns, needed, reader)                                              \
    nsys_read_table(n, table, columns, sizeof(columns) / sizeof *(columns), needed, reader)

#endif
