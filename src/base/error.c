/* Status names and the error record. */
#define HABITAT_ERROR_BODY
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <habitat/text.h>

static const struct {
    habitat_status code;
    const char *name;
    const char *text;
} table[] = {
    {HABITAT_OK, "HABITAT_OK", "done"},
    {HABITAT_E_ARG, "HABITAT_E_ARG", "an argument is missing, out of range or inconsistent"},
    {HABITAT_E_MEMORY, "HABITAT_E_MEMORY", "out of memory"},
    {HABITAT_E_IO, "HABITAT_E_IO", "cannot open, read or write"},
    {HABITAT_E_PARSE, "HABITAT_E_PARSE", "malformed input"},
    {HABITAT_E_FORMAT, "HABITAT_E_FORMAT", "not the kind of file that was asked for"},
    {HABITAT_E_RANGE, "HABITAT_E_RANGE", "a value is negative, absurd or too large"},
    {HABITAT_E_NO_GPU, "HABITAT_E_NO_GPU", "no GPU activity in the trace"},
    {HABITAT_E_VERSION, "HABITAT_E_VERSION", "a format version this library does not read"},
    {HABITAT_E_UNKNOWN_GPU, "HABITAT_E_UNKNOWN_GPU", "unknown GPU"},
    {HABITAT_E_UNKNOWN_METHOD, "HABITAT_E_UNKNOWN_METHOD", "unknown method"},
    {HABITAT_E_NO_SPEC, "HABITAT_E_NO_SPEC", "the GPU lists no value for what was asked"},
    {HABITAT_E_UNSUPPORTED, "HABITAT_E_UNSUPPORTED", "no estimate"},
    {HABITAT_E_NOT_RESIDENT, "HABITAT_E_NOT_RESIDENT", "a block cannot run on this GPU"},
};

const char *habitat_status_name(habitat_status status) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].code == status)
            return table[i].name;
    return "HABITAT_E_?";
}

const char *habitat_status_text(habitat_status status) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].code == status)
            return table[i].text;
    return "unknown status";
}

static void fill(habitat_error *err, habitat_status code, const char *file, uint64_t byte,
                 uint64_t line, const char *format, va_list args) {
    memset(err, 0, sizeof *err);
    err->code = code;
    err->byte = byte;
    err->line = line;
    err->index = SIZE_MAX;
    if (file)
        snprintf(err->file, sizeof err->file, "%s", file);
    habitat_vformat(err->message, sizeof err->message, format, args);
}

habitat_status habitat_fail(habitat_error *err, habitat_status code, const char *format, ...) {
    if (err) {
        va_list args;
        va_start(args, format);
        fill(err, code, NULL, UINT64_MAX, 0, format, args);
        va_end(args);
    }
    return code;
}

habitat_status habitat_fail_at(habitat_error *err, habitat_status code, const char *file,
                               uint64_t byte, uint64_t line, const char *format, ...) {
    if (err) {
        va_list args;
        va_start(args, format);
        fill(err, code, file, byte, line, format, args);
        va_end(args);
    }
    return code;
}
