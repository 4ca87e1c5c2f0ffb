/* Messages on stderr: one line each, whatever names and texts they quote. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

enum { MESSAGE_BYTES = 2048 };

/* A name or message may hold anything; a message line holds no control characters, those of two
 * bytes (U+0080 to U+009F) included. */
static void print_line(char *text) {
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
            c[0] = c[1] = '?';
        if (*c < 0x20 || *c == 0x7f)
            *c = '?';
    }
    fflush(stdout);
    fprintf(stderr, "%s\n", text);
}

int cli_fail(int code, const char *subject, const char *format, ...) {
    char line[MESSAGE_BYTES];
    const char *name = subject && !*subject ? "\"\"" : subject; /* an empty name is seen */
    int used = subject ? snprintf(line, sizeof line, "habitat: %.1024s: ", name)
                       : snprintf(line, sizeof line, "habitat: ");
    va_list arguments;
    va_start(arguments, format);
    habitat_vformat(line + used, sizeof line - (size_t)used, format, arguments);
    va_end(arguments);
    print_line(line);
    return code;
}

int cli_fail_write(const char *path, int reason) {
    return cli_fail(CLI_FAILED, path, "cannot write: %s; choose another place", strerror(reason));
}

void cli_warn(const char *format, ...) {
    char line[MESSAGE_BYTES];
    int used = snprintf(line, sizeof line, "habitat: warning: ");
    va_list arguments;
    va_start(arguments, format);
    habitat_vformat(line + used, sizeof line - (size_t)used, format, arguments);
    va_end(arguments);
    print_line(line);
}

static int exit_code(habitat_status status) {
    switch (status) {
    case HABITAT_OK:
        return CLI_DONE;
    case HABITAT_E_ARG:
        return CLI_USAGE;
    case HABITAT_E_IO:
    case HABITAT_E_PARSE:
    case HABITAT_E_FORMAT:
    case HABITAT_E_RANGE:
    case HABITAT_E_NO_GPU:
    case HABITAT_E_VERSION:
        return CLI_INPUT;
    case HABITAT_E_UNKNOWN_GPU:
    case HABITAT_E_UNKNOWN_METHOD:
        return CLI_UNKNOWN;
    case HABITAT_E_MEMORY:
    case HABITAT_E_NO_SPEC:
    case HABITAT_E_UNSUPPORTED:
    case HABITAT_E_NOT_RESIDENT:
        return CLI_FAILED;
    }
    return CLI_FAILED;
}

/* The library leaves the position apart from the message: FILE:line, or FILE at a byte. */
int cli_fail_error(const habitat_error *error, const char *subject) {
    const char *message = error->message[0] ? error->message : habitat_status_text(error->code);
    const char *file = error->file[0] ? error->file : subject;
    int code = exit_code(error->code);
    /* Readers that say where in their own words have said it. */
    bool placed = strncmp(message, "line ", 5) == 0 || strncmp(message, "byte ", 5) == 0;
    if (file && !placed && error->line > 0)
        return cli_fail(code, file, "line %llu: %s", (unsigned long long)error->line, message);
    if (file && !placed && error->file[0] && error->byte != UINT64_MAX && error->byte != 0)
        return cli_fail(code, file, "byte %llu: %s", (unsigned long long)error->byte, message);
    return cli_fail(code, file, "%s", message);
}

int cli_fail_row(const habitat_error *error, const char *subject) {
    const char *file = error->file[0] ? error->file : subject;
    char place[sizeof error->file + 1024];
    if (error->line == 0 || !file)
        return cli_fail_error(error, subject);
    snprintf(place, sizeof place, "%.1024s:%llu", file, (unsigned long long)error->line);
    return cli_fail(exit_code(error->code), place, "%s", error->message);
}
