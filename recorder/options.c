/* The environment's words as options: numbers, names of files with the process's number in them. */
#define _GNU_SOURCE
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Copies `from` with %p replaced by the process id; other text stays as it is. */
static void expand(const char *from, char *out, size_t size) {
    size_t n = 0;
    for (; *from && n + 24 < size; from++) {
        if (from[0] == '%' && from[1] == 'p') {
            n += (size_t)snprintf(out + n, size - n, "%ld", (long)getpid());
            from++;
        } else {
            out[n++] = *from;
        }
    }
    out[n] = '\0';
}

static size_t size_from(const char *variable, size_t fallback, size_t least) {
    const char *text = getenv(variable);
    if (!text || !*text)
        return fallback;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || *end || *text == '-')
        return fallback;
    return value < least ? least : (size_t)value;
}

static const char *text_from(const char *variable) {
    const char *text = getenv(variable);
    return text && *text ? text : NULL;
}

bool recorder_options_read(recorder_options *o) {
    memset(o, 0, sizeof *o);
    const char *out = text_from("HABITAT_RECORD_OUT");
    if (!out)
        return false;
    expand(out, o->out, sizeof o->out);
    const char *status = text_from("HABITAT_RECORD_STATUS");
    if (status)
        expand(status, o->status, sizeof o->status);
    o->nvtx_range = text_from("HABITAT_RECORD_NVTX_RANGE");
    o->command = text_from("HABITAT_RECORD_COMMAND");
    o->cupti = text_from("HABITAT_RECORD_CUPTI");
    o->select = text_from("HABITAT_COUNTERS_SELECT");
    o->warmup = (unsigned)size_from("HABITAT_RECORD_WARMUP", 0, 0);
    o->iterations = (unsigned)size_from("HABITAT_RECORD_ITERATIONS", 0, 0);
    o->buffer_bytes = size_from("HABITAT_RECORD_BUFFER_BYTES", (size_t)4 << 20, 1024);
    o->buffers = size_from("HABITAT_RECORD_BUFFERS", 64, 1);
    o->wait_seconds = size_from("HABITAT_RECORD_WAIT_SECONDS", 10, 0);
    o->memory_bytes = size_from("HABITAT_RECORD_MEMORY_BYTES", (size_t)1 << 30, (size_t)64 << 10);
    const char *mode = text_from("HABITAT_RECORD_MODE");
    o->counters = mode && strcmp(mode, "counters") == 0;
    return true;
}
