/* Nsight Systems' exports: the input is SQL that makes a database, whatever tables and values it
 * has; statements that SQLite does not take are left out. Bytes of a database would mostly test
 * SQLite itself. A first line "-- range NAME" or "-- iterations N" is how to read it. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include <habitat/trace.h>

#include "fuzz_path.h"
#include "trace_holds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS_MOST = 20000, LENGTH_MOST = 1 << 16, PAGES_MOST = 200 };

/* Tables and rows are made, nothing else: no other files, no settings. */
static int allow(void *context, int action, const char *a, const char *b, const char *c,
                 const char *d) {
    (void)context, (void)a, (void)b, (void)c, (void)d;
    return action == SQLITE_ATTACH || action == SQLITE_PRAGMA || action == SQLITE_RECURSIVE ||
                   action == SQLITE_CREATE_VTABLE
               ? SQLITE_DENY
               : SQLITE_OK;
}

static int enough(void *steps) {
    return ++*(int *)steps > STEPS_MOST / 100;
}

static void execute(sqlite3 *db, const char *sql) {
    while (*sql) {
        sqlite3_stmt *statement = NULL;
        const char *rest = NULL;
        if (sqlite3_prepare_v2(db, sql, -1, &statement, &rest) == SQLITE_OK && statement)
            while (sqlite3_step(statement) == SQLITE_ROW)
                ;
        sqlite3_finalize(statement);
        const char *end = strchr(sql, ';');
        sql = rest > sql ? rest : end ? end + 1 : sql + strlen(sql);
    }
}

/* The database as a file; NULL where there is none to make. */
static const char *make(const char *sql) {
    sqlite3 *db = NULL;
    int steps = 0;
    sqlite3_int64 size = 0;
    const char *path = NULL;
    if (sqlite3_open(":memory:", &db) == SQLITE_OK) {
        sqlite3_exec(db, "PRAGMA max_page_count = 200", NULL, NULL, NULL);
        sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LENGTH_MOST);
        sqlite3_set_authorizer(db, allow, NULL);
        sqlite3_progress_handler(db, 100, enough, &steps);
        execute(db, sql);
        sqlite3_progress_handler(db, 0, NULL, NULL);
        sqlite3_set_authorizer(db, NULL, NULL); /* what follows asks SQLite's settings itself */
        unsigned char *bytes = sqlite3_serialize(db, "main", &size, 0);
        if (bytes && size > 0)
            path = fuzz_path(bytes, (size_t)size);
        sqlite3_free(bytes);
    }
    sqlite3_close(db);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *sql = malloc(size + 1);
    if (!sql)
        abort();
    memcpy(sql, data, size);
    sql[size] = '\0';
    char range[64] = "";
    int iterations = 0;
    (void)(sscanf(sql, "-- range %63[^\n]", range) || sscanf(sql, "-- iterations %d", &iterations));
    habitat_read_options options = {.range = range[0] ? range : NULL,
                                    .iterations = iterations > 0 ? (size_t)iterations : 0};
    const char *path = make(sql);
    habitat_trace *t = NULL;
    habitat_error err = {0};
    habitat_status status =
        path ? habitat_trace_read_with(path, &options, &t, &err) : HABITAT_E_ARG;
    if (path && (status == HABITAT_OK) != (t != NULL))
        abort();
    if (t)
        check_trace(t);
    else if (path)
        check_refusal(status, &err);
    habitat_trace_free(t);
    free(sql);
    return 0;
}
