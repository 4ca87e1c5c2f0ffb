/* Recordings of the repository as text, to write events into. Included once by a test. */
#ifndef HABITAT_TESTS_RECORDED_TEXT_H
#define HABITAT_TESTS_RECORDED_TEXT_H

#include <stdio.h>
#include <string.h>

#include <zlib.h>

#include "text_sink.h"

enum { CALLS_MAX = 1 << 16 };

typedef struct call { /* one that was recorded on the CPU */
    long pid, tid;
    double ts_us, dur_us;
} call;

static text_sink unpacked(const char *path) {
    text_sink t = {0};
    char piece[65536];
    int size;
    gzFile file = gzopen(path, "rb");
    while (file && (size = gzread(file, piece, sizeof piece)) > 0)
        append(&t, piece, (size_t)size);
    if (file)
        gzclose(file);
    return t;
}

static size_t find_calls(const text_sink *t, call *calls) {
    size_t count = 0;
    for (const char *at = t->data; (at = strstr(at, "\"cat\":\"cpu_op\"")) && count < CALLS_MAX;
         at++) {
        const char *pid = strstr(at, "\"pid\":");
        call *c = &calls[count];
        count += pid && sscanf(pid, "\"pid\":%ld,\"tid\":%ld,\"ts\":%lf,\"dur\":%lf", &c->pid,
                               &c->tid, &c->ts_us, &c->dur_us) == 4;
    }
    return count;
}

#endif
