/* Writes a recording as a Chrome trace with Kineto's names. */
#ifndef HABITAT_RECORDER_TRACE_WRITE_H
#define HABITAT_RECORDER_TRACE_WRITE_H

#include "cupti_load.h"
#include "store.h"

#include <stdio.h>

typedef struct {
    const char *nvtx_range; /* iterations are the ranges of this name; NULL: the whole run is one */
    unsigned warmup;        /* ranges of that name to leave out at the start */
    unsigned iterations;    /* ranges to keep after those; 0: all */
    const char *command;    /* what was recorded, for a reader */
    const char *message;    /* what went wrong, NULL or "": nothing */
    const cupti_library *cupti; /* NULL when none could be loaded */
    uint64_t cupti_dropped;     /* records CUPTI dropped */
} trace_options;

typedef struct {
    uint64_t kernels, events, iterations;
} trace_counts;

/** Writes `s` to `path` through a temporary file beside it and a rename. Sorts, so it is called
 * once.
 *  @return 0; -1 with errno set, nothing left behind. */
int trace_write(const store *s, const trace_options *options, const char *path,
                trace_counts *counts);

/** Writes `text` as a JSON string; bytes that are no UTF-8 become U+FFFD. */
void json_string(FILE *file, const char *text);

/** A demangled copy of `name` (free it), or NULL to keep the name: no C++ runtime in reach, or no
 * mangled name. */
char *demangle(const char *name);

#endif
