/* The recordings of a folder, by name. */
#ifndef HABITAT_LAB_RECORDINGS_H
#define HABITAT_LAB_RECORDINGS_H

#include <stddef.h>

#include <habitat/status.h>

typedef struct recording_names {
    char **items; /* sorted */
    size_t count;
} recording_names;

/* Names of the files in `folder` that hold ".json". `out` zeroed; free in every case. HABITAT_E_IO
 * without such a folder; HABITAT_E_MEMORY. */
habitat_status recording_names_read(const char *folder, recording_names *out, habitat_error *err);
void recording_names_free(recording_names *n);

#endif
