/* The user's folder of GPU files. One bad file must not stand in the way of every command: it is
 * skipped and noted, and asking for the GPU that it describes says so. Pipes, sockets and devices
 * are never waited for. */
#include "gpu/entry.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static int is_json(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 5 &&
           strcmp(entry->d_name + length - 5, ".json") == 0;
}

/* The text after `"key":` in what may not be JSON; its length in *length, NULL if there is none. */
static const char *text_of(const char *text, const char *key, size_t *length) {
    size_t key_length = strlen(key);
    for (const char *at = text; at && (at = strstr(at, key)); at += key_length) {
        if (at == text || at[-1] != '"' || at[key_length] != '"')
            continue;
        const char *value = at + key_length + 1;
        value += strspn(value, " \t\r\n");
        value += *value == ':' ? 1 + strspn(value + 1, " \t\r\n") : 0;
        *length = *value == '"' ? strcspn(value + 1, "\"\n") : 0;
        if (*length)
            return value + 1;
    }
    return NULL;
}

/* The GPU a bad file is about: the name in it, else its own name without ".json". */
static const char *described(habitat_arena *arena, const char *text, const char *file_name) {
    size_t length = 0;
    const char *name = text_of(text, "name", &length);
    if (!name)
        name = text_of(text, "calibration_of", &length);
    if (!name) {
        name = file_name;
        length = strcspn(name, ".");
    }
    return habitat_arena_string(arena, name, length);
}

/* Adds one file, or notes why not; only missing memory is a failure. */
static habitat_status add_or_skip(habitat_gpu_table *table, const char *folder,
                                  const char *file_name, habitat_error *err) {
    char path[4096], *text = NULL;
    size_t size = 0;
    habitat_error why = {0};
    int length = snprintf(path, sizeof path, "%s/%s", folder, file_name);
    habitat_status status = length < (int)sizeof path
                                ? gpu_read_file(path, true, &text, &size, &why)
                                : habitat_fail(&why, HABITAT_E_IO, "the path is too long");
    if (status == HABITAT_OK)
        status = habitat_gpu_table_add_text(table, text, size, path, NULL, &why);
    if (status == HABITAT_E_MEMORY)
        status = habitat_fail(err, status, "out of memory");
    else if (status != HABITAT_OK)
        status =
            gpu_note_skipped(table, path, described(&table->arena, text, file_name), &why, err);
    free(text);
    return status;
}

/* A folder that is not there is no fault; one that may not be read is noted as a file is. */
static habitat_status no_folder(habitat_gpu_table *table, const char *folder, habitat_error *err) {
    habitat_error why = {0};
    if (errno == ENOENT || errno == ENOTDIR)
        return HABITAT_OK;
    if (errno == ENOMEM)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    habitat_fail(&why, HABITAT_E_IO, "cannot read the folder of GPU files: %s", strerror(errno));
    return gpu_note_skipped(table, folder, "", &why, err);
}

habitat_status gpu_add_folder(habitat_gpu_table *table, const char *folder, habitat_error *err) {
    struct dirent **names = NULL;
    int count = scandir(folder, &names, is_json, alphasort);
    if (count < 0)
        return no_folder(table, folder, err);
    habitat_status status = HABITAT_OK;
    for (int i = 0; i < count; i++) {
        if (status == HABITAT_OK)
            status = add_or_skip(table, folder, names[i]->d_name, err);
        free(names[i]);
    }
    free(names);
    return status;
}
