/* Where reports go: bytes through the caller's callback, JSON through yajl, CSV cells, numbers.
 * The first failure sticks; everything after it is dropped, and writer_finish() tells. */
#ifndef HABITAT_REPORT_WRITER_H
#define HABITAT_REPORT_WRITER_H

#include <stdbool.h>

#include <habitat/report.h>
#include <habitat/version.h>

#include "base/json.h"

enum { WRITER_JSON_BYTES = 4096 };

typedef struct writer {
    habitat_write write;
    void *context;
    habitat_status status;
    yajl_gen json; /* made by json_start(), in json_memory */
    json_memory json_memory;
    char json_room[WRITER_JSON_BYTES]; /* what yajl made and is not written yet */
    size_t json_used;
    bool row_open; /* CSV: a cell of this row was written */
    bool colour;
    unsigned width;
} writer;

/* Start a report. @return HABITAT_OK or HABITAT_E_ARG. */
habitat_status writer_start(writer *w, const habitat_report_options *options, habitat_error *err);
/* Free what the writer holds and say how it went. */
habitat_status writer_finish(writer *w, habitat_error *err);

/* Write nothing from here on: a report cut short must not end like a whole one. */
void writer_stop(writer *w, habitat_status status);

void writer_bytes(writer *w, const char *data, size_t size);
void writer_text(writer *w, const char *text);
__attribute__((format(printf, 2, 3))) void writer_printf(writer *w, const char *format, ...);

/* JSON. A NULL text, a NaN or infinite number, and fits < 0 become null. */
void json_start(writer *w);
void json_map(writer *w, const char *key);   /* key NULL inside arrays */
void json_array(writer *w, const char *key); /* key NULL inside arrays */
void json_end_map(writer *w);
void json_end_array(writer *w);
void json_text(writer *w, const char *key, const char *value);
void json_number(writer *w, const char *key, double value);
void json_integer(writer *w, const char *key, uint64_t value);
void json_known_integer(writer *w, const char *key, uint64_t value); /* 0 becomes null */
void json_boolean(writer *w, const char *key, bool value);
void json_tristate(writer *w, const char *key, int value); /* 1, 0, < 0 = null */

/* CSV. Control characters but line feed and tab are written as \x1b, bad UTF-8 as U+FFFD:
 * docs/decisions/0103-names-cannot-steer-a-terminal.md. */
void csv_text(writer *w, const char *value); /* NULL gives an empty cell */
void csv_number(writer *w, double value);    /* NaN gives an empty cell */
void csv_integer(writer *w, uint64_t value);
void csv_header(writer *w, const char *const *names, size_t count);
void csv_end_row(writer *w);

/* A copy of `text` that is valid UTF-8 without control characters, cut to fit: what a terminal can
 * be shown. @return bytes written without the NUL. */
size_t clean_text(char *out, size_t size, const char *text);

/* Length of the valid UTF-8 sequence at `s`, 0 if it is none. */
size_t utf8_length(const unsigned char *s);

/* Control characters: below 0x20, DEL, and U+0080 to U+009F, which terminals obey too. */
bool utf8_control(const unsigned char *s);

#endif
