/* Which kernels were launched before, and how: so that what is not measured costs little. */
#ifndef HABITAT_RECORDER_SEEN_H
#define HABITAT_RECORDER_SEEN_H

#include "cupti_abi.h"

#include <stdbool.h>

enum { SEEN_SIZE = 1 << 16 };

/* One function and launch configuration; no function: an empty slot. */
typedef struct {
    const void *function;
    uint32_t grid[3], block[3], shared_bytes;
} seen_launch;

/** Whether this launch is the first of its kind; remembers it. When the table is full everything
 * counts as seen.
 *  @param table  SEEN_SIZE slots, zeroed at first. */
bool seen_first(seen_launch *table, const void *function, const cuda_launch_config *config);

#endif
