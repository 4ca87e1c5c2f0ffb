/* What a made trace says of memory, for tests. */
#ifndef HABITAT_TESTS_MADE_MEMORY_H
#define HABITAT_TESTS_MADE_MEMORY_H

#include <stdio.h>
#include <string.h>

#include <habitat/memory.h>
#include <habitat/trace.h>

#include "check.h"

static inline habitat_memory *made_memory_on(const char *text, const habitat_gpu *gpu) {
    habitat_trace *trace = NULL;
    habitat_memory *memory = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_trace_read_memory(text, strlen(text), "made", &trace, &err), HABITAT_OK);
    if (err.code)
        printf("# %s\n", err.message);
    CHECK_INT(habitat_memory_create(trace, gpu, &memory, &err), HABITAT_OK);
    habitat_trace_free(trace);
    return memory;
}

static inline habitat_memory *made_memory(const char *text) {
    return made_memory_on(text, NULL);
}

static inline habitat_memory_parts parts_at(const habitat_memory *memory, double factor,
                                            habitat_memory_format format) {
    habitat_memory_parts parts = {0};
    CHECK_INT(habitat_memory_predict(memory, factor, format, &parts), HABITAT_OK);
    return parts;
}

static inline double peak_at(const habitat_memory *memory, double factor,
                             habitat_memory_format format) {
    return parts_at(memory, factor, format).peak_bytes;
}

#endif
