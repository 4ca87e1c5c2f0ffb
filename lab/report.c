/* Text of the laboratory's reports: lines of any length, and what went wrong with them. */
#include "lab/report.h"

#include <stdarg.h>
#include <stdlib.h>

#include <habitat/text.h>

#include "base/error.h"

static void pass_on(report_text *text, const char *line, int length) {
    if (length > 0 && text->sink(text->context, line, (size_t)length) != 0)
        text->failed = true;
}

void report_print(report_text *text, const char *format, ...) {
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    int length = habitat_vformat(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < (int)sizeof line) {
        pass_on(text, line, length);
        return;
    }
    char *longer = malloc((size_t)length + 1);
    text->no_memory |= !longer;
    if (longer) {
        va_start(arguments, format);
        pass_on(text, longer, habitat_vformat(longer, (size_t)length + 1, format, arguments));
        va_end(arguments);
    }
    free(longer);
}

habitat_status report_end(const report_text *text, habitat_status status, habitat_error *err) {
    if (status == HABITAT_OK && text->failed)
        status = habitat_fail(err, HABITAT_E_IO, "the output was refused");
    if (status == HABITAT_OK && text->no_memory)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    return status;
}
