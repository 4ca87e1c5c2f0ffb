/* The recordings of a folder; see recordings.h. */
#include "lab/recordings.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/letter.h"
#include "trace/source.h"

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
        if (strlen(found->d_name) >= RECORDING_NAME) {
            status = habitat_fail_at(err, HABITAT_E_RANGE, found->d_name, UINT64_MAX, 0,
                                     "a recording's name of more than %d characters; give it a "
                                     "shorter one",
                                     RECORDING_NAME - 1);
            break;
        }
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

/* ---- what a name says ---- */

size_t recording_stem_length(const char *file) {
    const char *end = strstr(file, ".json");
    return end ? (size_t)(end - file) : strlen(file);
}

size_t recording_step_length(const char *file) {
    const char *end = strstr(file, ".json");
    while (end && end > file && *end != '_')
        end--;
    return end ? (size_t)(end - file) : 0;
}

const char *recording_batch_part(const char *file) {
    const char *batch = NULL;
    for (const char *at = strstr(file, "_b"); at; at = strstr(at + 1, "_b"))
        batch = letter_is_digit(at[2]) ? at : batch;
    return batch;
}

/* ---- one recording ---- */

habitat_status recording_read(const habitat_gpu_table *gpus, const char *folder, const char *file,
                              recording *out, habitat_error *err) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    habitat_status status = habitat_trace_read(path, &out->trace, err);
    return status == HABITAT_OK
               ? habitat_gpu_match(gpus, &habitat_trace_get_info(out->trace)->device_facts,
                                   &out->gpu, err)
               : status;
}

habitat_status recording_open(const habitat_gpu_table *gpus, const char *folder, const char *file,
                              recording *out, habitat_error *err) {
    habitat_status status = recording_read(gpus, folder, file, out, err);
    return status == HABITAT_OK ? habitat_workload_create(out->trace, out->gpu, &out->workload, err)
                                : status;
}

/* ---- without the sizes of its operations ---- */

typedef struct text {
    char *bytes;
    size_t size, capacity;
} text;

static habitat_status read_text(const char *path, text *out, habitat_error *err) {
    trace_source *source = NULL;
    size_t got = 1;
    habitat_status status = source_open(path, SOURCE_LIMIT_BYTES, &source, err);
    while (status == HABITAT_OK && got) {
        if (out->capacity - out->size < SOURCE_PIECE_BYTES) {
            size_t larger = 2 * out->capacity + SOURCE_PIECE_BYTES;
            char *grown = realloc(out->bytes, larger);
            if (!grown) {
                status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
                break;
            }
            out->bytes = grown;
            out->capacity = larger;
        }
        status = source_read(source, (unsigned char *)out->bytes + out->size, SOURCE_PIECE_BYTES,
                             &got, err);
        out->size += status == HABITAT_OK ? got : 0;
    }
    source_close(source);
    return status;
}

/* Members of other names say nothing: "Input Dims" becomes "xnput Dims". */
static void take_shapes_out(const text *t) {
    static const char *const members[] = {"\"Input ", "\"Concrete "};
    for (size_t m = 0; m < sizeof members / sizeof *members; m++) {
        size_t length = strlen(members[m]);
        char *end = t->bytes + t->size;
        for (char *at = t->bytes; at && (at = memchr(at, '"', (size_t)(end - at))); at++)
            if ((size_t)(end - at) > length && memcmp(at, members[m], length) == 0)
                at[1] = 'x';
    }
}

habitat_status recording_open_bare(const habitat_gpu_table *gpus, const char *folder,
                                   const char *file, recording *out, habitat_error *err) {
    char path[4096];
    text t = {0};
    snprintf(path, sizeof path, "%s/%s", folder, file);
    habitat_status status = read_text(path, &t, err);
    if (status == HABITAT_OK) {
        take_shapes_out(&t);
        status = habitat_trace_read_memory(t.bytes, t.size, path, &out->trace, err);
    }
    free(t.bytes);
    if (status == HABITAT_OK)
        status = habitat_gpu_match(gpus, &habitat_trace_get_info(out->trace)->device_facts,
                                   &out->gpu, err);
    return status == HABITAT_OK ? habitat_workload_create(out->trace, out->gpu, &out->workload, err)
                                : status;
}

void recording_close(recording *r) {
    habitat_workload_free(r->workload);
    habitat_trace_free(r->trace);
    *r = (recording){0};
}
