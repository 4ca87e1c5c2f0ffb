/* Names and aliases of GPUs, compared without case, punctuation and vendor. */
#include "gpu/entry.h"

#include <string.h>

#include "base/letter.h"

void gpu_normalise(const char *name, char out[GPU_NAME_LENGTH]) {
    static const char *const vendors[] = {"nvidia", "amd"};
    size_t length = 0;
    for (; *name && length + 1 < GPU_NAME_LENGTH; name++)
        if (letter_is_alnum(*name))
            out[length++] = letter_lower(*name);
    out[length] = '\0';
    for (size_t v = 0; v < sizeof vendors / sizeof *vendors; v++) {
        size_t prefix = strlen(vendors[v]);
        if (length > prefix && memcmp(out, vendors[v], prefix) == 0) {
            memmove(out, out + prefix, length - prefix + 1);
            return;
        }
    }
}

/* Index of the alias that equals `wanted`: alias_count if none. */
size_t gpu_alias_index(const gpu_entry *entry, const char *wanted) {
    char plain[GPU_NAME_LENGTH];
    size_t i = 0;
    for (; i < entry->alias_count; i++) {
        gpu_normalise(entry->aliases[i], plain);
        if (strcmp(plain, wanted) == 0)
            break;
    }
    return i;
}

bool gpu_is_canonical(const gpu_entry *entry, const char *wanted) {
    char plain[GPU_NAME_LENGTH];
    gpu_normalise(entry->gpu.name, plain);
    return strcmp(plain, wanted) == 0;
}

const gpu_entry *gpu_named(const habitat_gpu_table *table, const char *name, bool *alias) {
    char wanted[GPU_NAME_LENGTH];
    gpu_normalise(name, wanted);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < table->count && *wanted; i++) {
            const gpu_entry *entry = table->entries[i];
            if (pass ? gpu_alias_index(entry, wanted) == entry->alias_count
                     : !gpu_is_canonical(entry, wanted))
                continue;
            *alias = pass == 1;
            return entry;
        }
    return NULL;
}
