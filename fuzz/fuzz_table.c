/* Any bytes as a table of operations: read record by record, and each row as a measurement, as one
 * that `habitat train` cuts into passes, and as an operation asked for in words. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/question.h>

#include "fuzz_file.h"
#include "question/measurement.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The fields as they stand, with commas between them, are the record. */
static void check_record(const habitat_csv_reader *reader, const char *record) {
    size_t count = 0, length = 0, at = 0;
    habitat_csv_columns(reader, &count);
    for (size_t i = 0; i < count; i++) {
        const char *raw = habitat_csv_raw(reader, i, &length);
        if ((i && record[at++] != ',') || memcmp(raw, record + at, length) != 0)
            abort();
        at += length;
    }
    if (record[at] != '\0')
        abort();
}

static void check_measurement(habitat_status status, const habitat_measurement *row,
                              const habitat_error *err) {
    if (status != HABITAT_OK && !err->message[0])
        abort(); /* a refusal without a word */
    if (status == HABITAT_OK &&
        (!row->work.known || !(row->work.read_bytes + row->work.write_bytes > 0) ||
         row->work.dtype == HABITAT_DTYPE_UNKNOWN))
        abort(); /* a measurement of nothing */
}

static void check_row(const habitat_csv_reader *reader) {
    habitat_measurement row;
    const char *gpu = NULL;
    for (unsigned part = 0; part < measurement_parts(reader); part++) {
        habitat_error err = {0};
        check_measurement(measurement_read(reader, part, &row, &gpu, &err), &row, &err);
    }
    habitat_error err = {0};
    check_measurement(habitat_csv_measurement(reader, &row, &gpu, &err), &row, &err);
    habitat_csv_number(reader, "time_ms");
}

/* The words asked as `habitat op` asks them: every part is one that models can be asked of. */
static void check_words(const habitat_csv_reader *reader) {
    habitat_measurement parts[HABITAT_OPERATION_PARTS_MAX];
    size_t count = 0;
    habitat_error err = {0};
    habitat_status status = habitat_operation_from_words(
        habitat_csv_text(reader, "op"), habitat_csv_text(reader, "shape"),
        habitat_csv_text(reader, "dtype"), habitat_csv_text(reader, "pass"), parts, &count, &err);
    if (status != HABITAT_OK) {
        check_measurement(status, NULL, &err);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        check_measurement(status, &parts[i], &err);
        if (habitat_strict_query(&parts[i]).arithmetic == HABITAT_DTYPE_UNKNOWN)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    habitat_csv_reader *reader = NULL;
    habitat_error err = {0};
    const char *record = "";
    habitat_status status = habitat_csv_open(fuzz_file(data, size), &reader, &err);
    while (status == HABITAT_OK && record) {
        status = habitat_csv_next(reader, &record, &err);
        if (status != HABITAT_OK || !record)
            break;
        check_record(reader, record);
        check_row(reader);
        check_words(reader);
    }
    if (status != HABITAT_OK && !err.message[0])
        abort();
    habitat_csv_close(reader);
    return 0;
}
