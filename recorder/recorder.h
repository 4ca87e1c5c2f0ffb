/* The recording inside one process: set up at CUDA's start, written at the process's end. */
#ifndef HABITAT_RECORDER_RECORDER_H
#define HABITAT_RECORDER_RECORDER_H

#include "cupti_load.h"

#include <stdbool.h>
#include <stddef.h>

/* What the environment asks for (docs/cuda-recorder.md). */
typedef struct {
    char out[1024];         /* HABITAT_RECORD_OUT, %p replaced by the process id */
    char status[1024];      /* HABITAT_RECORD_STATUS, likewise; "": none */
    const char *nvtx_range; /* HABITAT_RECORD_NVTX_RANGE */
    const char *command;    /* HABITAT_RECORD_COMMAND */
    const char *cupti;      /* HABITAT_RECORD_CUPTI */
    const char *select;     /* HABITAT_COUNTERS_SELECT */
    unsigned warmup, iterations;
    size_t buffer_bytes, buffers, memory_bytes;
    size_t wait_seconds; /* HABITAT_RECORD_WAIT_SECONDS */
    bool counters;       /* HABITAT_RECORD_MODE=counters */
} recorder_options;

/** Reads the environment. @return false when it asks for nothing (no HABITAT_RECORD_OUT). */
bool recorder_options_read(recorder_options *out);

/** Loads CUPTI once per process; later calls return the first call's answer. NULL when there is
 * none that fits. */
const cupti_library *recorder_cupti(const recorder_options *options);

/** Keeps the first thing that went wrong; later ones only count. Never prints. */
void recorder_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Copies what recorder_fail() kept; "" when nothing went wrong. */
void recorder_message(char *text, size_t size);

/** Writes `key value` lines for habitat record, "ok" first or the message. */
void recorder_write_status(const recorder_options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* counters.c */
void counters_start(const recorder_options *options, const cupti_library *cupti);
void counters_finish(const recorder_options *options);

#endif
