/* CSV tables (RFC 4180), plain or gzip, record by record; a record keeps its bytes as they stand.
 */
#ifndef HABITAT_CLI_CSV_H
#define HABITAT_CLI_CSV_H

#include "cli.h"

typedef struct cli_csv cli_csv;

/* Open a table and read its header line. @return CLI_DONE, or an exit code after a message. */
int cli_csv_open(const char *path, cli_csv **out);
void cli_csv_close(cli_csv *table);

/* Next record; *more is false at the end of the table. Empty lines are skipped. */
int cli_csv_next(cli_csv *table, bool *more);

/* The record (after opening: the header) byte for byte, without its line end. */
const char *cli_csv_record(const cli_csv *table, size_t *length);

/* Its line end: "\n", "\r\n", or "" at the end of a file that lacks one. */
const char *cli_csv_line_end(const cli_csv *table);

/* Field of the record by column name, quotes taken off; NULL without such a column. */
const char *cli_csv_text(const cli_csv *table, const char *column);

/* Field as a number; NaN when empty, missing or not a number. */
double cli_csv_number(const cli_csv *table, const char *column);

/* Line of the file that the record begins on, 1-based. */
unsigned long long cli_csv_line(const cli_csv *table);

#endif
