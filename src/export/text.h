/* JSON text on its way to a caller's callback, in pieces. The first failure sticks. */
#ifndef HABITAT_EXPORT_TEXT_H
#define HABITAT_EXPORT_TEXT_H

#include <stdbool.h>

#include <habitat/export.h>

enum { EXPORT_PIECE_BYTES = 1 << 16 };

typedef struct export_text {
    habitat_export_write write;
    void *context;
    bool refused;
    size_t used;
    char data[EXPORT_PIECE_BYTES];
} export_text;

__attribute__((format(printf, 2, 3))) void export_print(export_text *t, const char *format, ...);

/* Bytes of the UTF-8 character at the start of a text; 0 if there is none. */
size_t export_character(const char *text);

/* A string with its quotes; what is no UTF-8 becomes U+FFFD. */
void export_string(export_text *t, const char *value);

/* Microseconds to the ns: 12.345 */
void export_us(export_text *t, uint64_t ns);

void export_flush(export_text *t);

#endif
