/* The recordings of a folder. */
#include "lab/recordings.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void recording_names_free(recording_names *n) {
    for (size_t i = 0; i < n->count; i++)
        free(n->items[i]);
    free(n->items);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

habitat_status recording_names_read(const char *folder, recording_names *out, habitat_error *err) {
    DIR *dir = opendir(folder);
    habitat_status status = HABITAT_OK;
    if (!dir)
        return habitat_fail_at(err, errno == ENOMEM ? HABITAT_E_MEMORY : HABITAT_E_IO, folder,
                               UINT64_MAX, 0, "%s; name the folder with --recordings",
                               strerror(errno));
    for (struct dirent *found; status == HABITAT_OK && (found = readdir(dir));) {
        if (!strstr(found->d_name, ".json"))
            continue;
        char **grown = realloc(out->items, (out->count + 1) * sizeof *grown);
        if (grown)
            out->items = grown;
        char *name = grown ? strdup(found->d_name) : NULL;
        if (name)
            out->items[out->count++] = name;
        else
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    closedir(dir);
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, by_name);
    return status;
}
