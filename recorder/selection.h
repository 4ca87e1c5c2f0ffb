/* Which kernels are measured: by name and launch configuration, as they stand in a trace. */
#ifndef HABITAT_RECORDER_SELECTION_H
#define HABITAT_RECORDER_SELECTION_H

#include "cupti_abi.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct selection {
    char **keys; /* sorted; NULL: everything */
    size_t count;
} selection;

/** Reads the list of keys to measure, one a line. A list that cannot be read selects nothing. */
void selection_read(const char *path, selection *out);

/** Whether kernels of this key are to be measured. */
bool selection_has(const selection *s, const char *key);

/** A kernel's name and launch configuration as they stand in a trace; the caller frees it. NULL
 * when out of memory. */
char *selection_key(const char *symbol, const cuda_launch_config *c, uint32_t static_shared_bytes);

#endif
