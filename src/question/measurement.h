/* Rows of tables as measured operations, and the questions that they answer. */
#ifndef HABITAT_QUESTION_MEASUREMENT_H
#define HABITAT_QUESTION_MEASUREMENT_H

#include <stdint.h>

#include <habitat/question.h>

/* Measurements one row of this table holds: 3 where forward and gradients share a row. */
unsigned measurement_parts(const habitat_csv_reader *reader);

/* Measurement `part` of the current row, as habitat_csv_measurement() (which takes part 0). */
habitat_status measurement_read(const habitat_csv_reader *reader, unsigned part,
                                habitat_measurement *out, const char **gpu, habitat_error *err);

/* The same from columns and fields that no file holds, shape (count): what a GPU file says of its
 * operations. `path` and `line` are for messages. No GPU is named. */
habitat_status measurement_of_fields(const char *path, uint64_t line, size_t count,
                                     const char *const *columns, const char *const *fields,
                                     habitat_measurement *out, habitat_error *err);

#endif
