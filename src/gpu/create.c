/* A table as it is at first: the built-in GPUs, and those of the user's folder. */
#include "gpu/entry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

habitat_status habitat_gpu_user_dir(char *out, size_t size) {
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int length = -1;
    if (!out || !size)
        return HABITAT_E_ARG;
    char path[4096];
    if (config && *config == '/') /* the XDG rules: relative paths are to be ignored */
        length = snprintf(path, sizeof path, "%s/habitat/gpus", config);
    else if (home && *home)
        length = snprintf(path, sizeof path, "%s/.config/habitat/gpus", home);
    if (length < 0 || (size_t)length >= size || (size_t)length >= sizeof path)
        return HABITAT_E_ARG;
    memcpy(out, path, (size_t)length + 1);
    return HABITAT_OK;
}

habitat_status habitat_gpu_table_create(const char *user_dir, habitat_gpu_table **out,
                                        habitat_error *err) {
    if (!out)
        return habitat_fail(err, HABITAT_E_ARG, "a place for the table is needed");
    habitat_gpu_table *table = calloc(1, sizeof *table);
    if (!table)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    habitat_status status = gpu_add_built_in(table, err);
    if (status == HABITAT_OK && user_dir)
        status = gpu_add_folder(table, user_dir, err);
    if (status != HABITAT_OK) {
        habitat_gpu_table_free(table);
        return status;
    }
    *out = table;
    return HABITAT_OK;
}
