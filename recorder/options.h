/* What the environment asks of the recorder. */
#ifndef HABITAT_RECORDER_OPTIONS_H
#define HABITAT_RECORDER_OPTIONS_H

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

#endif
