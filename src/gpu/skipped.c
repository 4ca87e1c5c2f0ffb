/* Files of the user's folder that cannot be used: what they describe, and why not. */
#include "gpu/entry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

habitat_status gpu_note_skipped(habitat_gpu_table *table, const char *path, const char *gpu,
                                const habitat_error *why, habitat_error *err) {
    char message[sizeof why->message + 32];
    if (why->line)
        snprintf(message, sizeof message, "line %llu: %s", (unsigned long long)why->line,
                 why->message);
    else
        snprintf(message, sizeof message, "%s", why->message);
    habitat_gpu_skipped *all =
        realloc(table->skipped, (table->skipped_count + 1) * sizeof *table->skipped);
    if (all)
        table->skipped = all;
    habitat_gpu_skipped one = {
        .file = habitat_arena_string(&table->arena, path, strlen(path)),
        .gpu = gpu,
        .message = habitat_arena_string(&table->arena, message, strlen(message)),
        .status = why->code,
    };
    if (!all || !one.file || !one.gpu || !one.message)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    all[table->skipped_count++] = one;
    return HABITAT_OK;
}

void gpu_supersede_skipped(habitat_gpu_table *table, const char *name) {
    for (size_t i = 0; i < table->skipped_count; i++)
        if (strcmp(table->skipped[i].gpu, name) == 0)
            table->skipped[i].gpu = "";
}

const habitat_gpu_skipped *gpu_skipped_for(const habitat_gpu_table *table, const char *name,
                                           const gpu_entry *found) {
    char wanted[GPU_NAME_LENGTH], plain[GPU_NAME_LENGTH];
    gpu_normalise(name, wanted);
    for (size_t i = 0; i < table->skipped_count; i++) {
        bool alias = false;
        gpu_normalise(table->skipped[i].gpu, plain);
        if (*plain && (strcmp(plain, wanted) == 0 ||
                       (found && gpu_named(table, table->skipped[i].gpu, &alias) == found)))
            return &table->skipped[i];
    }
    return NULL;
}

const habitat_gpu_skipped *habitat_gpu_skipped_files(const habitat_gpu_table *table,
                                                     size_t *count) {
    if (count)
        *count = table ? table->skipped_count : 0;
    return table ? table->skipped : NULL;
}
