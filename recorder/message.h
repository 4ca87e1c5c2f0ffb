/* What went wrong in a recording, for the trace and for the program that started it. */
#ifndef HABITAT_RECORDER_MESSAGE_H
#define HABITAT_RECORDER_MESSAGE_H

#include "options.h"

enum { RECORDER_MESSAGE = 512 }; /* bytes */

/** Keeps the first thing that went wrong; later ones only count. Never prints. */
void recorder_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Copies what recorder_fail() kept; "" when nothing went wrong. */
void recorder_message(char *text, size_t size);

/** Writes `key value` lines for habitat record, "ok" first or the message. */
void recorder_write_status(const recorder_options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
