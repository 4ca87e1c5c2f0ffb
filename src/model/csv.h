/* Tables of measurements, row by row: private part of the CSV reader. */
#ifndef HABITAT_MODEL_CSV_H
#define HABITAT_MODEL_CSV_H

#include <habitat/learn.h>

enum { CSV_COLUMNS_MAX = 64 };

/* Field of the current row by column name; "" when empty; NULL without such a column. */
const char *cell_text(const habitat_csv_reader *reader, const char *column);

/* Field as a number; NaN when empty, missing or not a number. */
double cell_number(const habitat_csv_reader *reader, const char *column);

bool csv_has(const habitat_csv_reader *reader, const char *column);
uint64_t csv_line(const habitat_csv_reader *reader);
const char *csv_path(const habitat_csv_reader *reader);

/* Measurements one line of this table holds: 3 where forward and gradients share a line. */
unsigned csv_parts(const habitat_csv_reader *reader);

/* Measurement `part` of the current row, as habitat_csv_measurement() (which takes part 0). */
habitat_status csv_measurement(const habitat_csv_reader *reader, unsigned part,
                               habitat_measurement *out, const char **gpu, habitat_error *err);

/* The same from columns and fields that no file holds, shape (count): what a GPU file says of its
 * operations. `path` and `line` are for messages. No GPU is named. */
habitat_status csv_measurement_of(const char *path, uint64_t line, size_t count,
                                  const char *const *columns, const char *const *fields,
                                  habitat_measurement *out, habitat_error *err);

#endif
