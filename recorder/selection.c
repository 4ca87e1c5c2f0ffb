/* The list of kernels to measure. */
#define _GNU_SOURCE
#include "selection.h"
#include "message.h"
#include "trace_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void selection_read(const char *path, selection *out) {
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0, cap = 0;
    ssize_t length;
    out->keys = calloc(1, sizeof *out->keys);
    if (!file)
        recorder_fail("%s: %s", path, strerror(errno));
    while (file && out->keys && (length = getline(&line, &size, file)) > 0) {
        if (line[length - 1] == '\n')
            line[length - 1] = '\0';
        if (out->count == cap) {
            char **moved = realloc(out->keys, (cap += 256) * sizeof *moved);
            if (!moved)
                break;
            out->keys = moved;
        }
        out->keys[out->count] = strdup(line);
        if (out->keys[out->count])
            out->count++;
    }
    free(line);
    if (file)
        fclose(file);
    if (out->keys)
        qsort(out->keys, out->count, sizeof *out->keys, compare_text);
}

bool selection_has(const selection *s, const char *key) {
    return !s->keys ||
           (s->count && bsearch(&key, s->keys, s->count, sizeof *s->keys, compare_text));
}

char *selection_key(const char *symbol, const cuda_launch_config *c, uint32_t static_shared_bytes) {
    char *key = NULL, *plain = demangle(symbol);
    size_t size;
    FILE *text = open_memstream(&key, &size);
    if (text) {
        fputs("\"name\": ", text);
        json_string(text, plain ? plain : symbol);
        fprintf(text, ", \"shared memory\": %u, \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u]",
                static_shared_bytes + c->dynamic_shared_bytes, c->grid[0], c->grid[1], c->grid[2],
                c->block[0], c->block[1], c->block[2]);
        if (fclose(text) != 0) {
            free(key);
            key = NULL;
        }
    }
    free(plain);
    return key;
}
