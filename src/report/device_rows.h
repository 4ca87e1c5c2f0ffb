/* Several devices in one recording: what each does. Parts of other reports; nothing where there is
 * one. */
#ifndef HABITAT_REPORT_DEVICE_ROWS_H
#define HABITAT_REPORT_DEVICE_ROWS_H

#include <habitat/ask.h>

#include "report/writer.h"

/* "by_device": [..] */
void json_device_rows(writer *w, size_t count, const habitat_device_time *devices);

/* "device.0.busy_ms": CSV of `info`. */
void csv_device_rows(writer *w, const habitat_answer *what);

/* How many there are, and what each did as recorded. */
void text_devices(writer *w, const habitat_answer *what);

/* A table of busy times, a row each prediction shown. rows: shape (count). */
void text_device_rows(writer *w, const habitat_answer_row *const *rows, size_t count);

#endif
