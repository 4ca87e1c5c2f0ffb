/* Private part of the CSV reader. */
#ifndef HABITAT_BASE_CSV_H
#define HABITAT_BASE_CSV_H

#include <stdbool.h>

#include <habitat/csv.h>

/* habitat_csv_open() with another limit on the unpacked bytes of the table. */
habitat_status csv_open(const char *path, uint64_t most_bytes, habitat_csv_reader **out,
                        habitat_error *err);

/* Fields of the current record, quotes taken off, in the order of the columns. Borrowed until the
 * next call of habitat_csv_next(). */
const char *const *csv_fields(const habitat_csv_reader *reader);

/* What the table is called. */
const char *csv_path(const habitat_csv_reader *reader);

/* A whole text as a decimal number ("-1.5e-3"): no blanks, no hexadecimal, no "inf" or "nan".
 * `out` is untouched on false. */
bool csv_decimal(const char *text, double *out);

#endif
