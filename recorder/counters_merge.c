/* Counters of one run into the trace of another, line by line. */
#define _GNU_SOURCE
#include "counters_merge.h"

#include "decimal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    char *key;     /* "name": ..., "shared memory": ..., "grid": ..., "block": ... */
    char *payload; /* "dram bytes": ..., ... */
    uint64_t length_ns;
} entry;

typedef struct {
    entry *items;
    size_t n, cap;
    char header[4096]; /* the first line of a counters file */
} table;

static void table_free(table *t) {
    for (size_t i = 0; i < t->n; i++) {
        free(t->items[i].key);
        free(t->items[i].payload);
    }
    free(t->items);
}

static entry *table_add(table *t, char *key) {
    if (t->n == t->cap) {
        size_t cap = t->cap * 2 + 256;
        entry *moved = key ? realloc(t->items, cap * sizeof *moved) : NULL;
        if (!moved) {
            free(key);
            return NULL;
        }
        t->items = moved;
        t->cap = cap;
    }
    if (!key)
        return NULL;
    t->items[t->n] = (entry){.key = key};
    return &t->items[t->n++];
}

static int by_key(const void *a, const void *b) {
    return strcmp(((const entry *)a)->key, ((const entry *)b)->key);
}

/* The end of the JSON string that begins at `from`, past its closing quote; NULL when it has none.
 */
static const char *string_end(const char *from) {
    for (const char *p = from + 1; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == '"')
            return p + 1;
    }
    return NULL;
}

/* The key of a trace's kernel line, NULL for other lines; *tail is where further args go. */
static char *kernel_key(char *line, char **tail, uint64_t *length_ns) {
    static const char begin[] = "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": ";
    if (strncmp(line, begin, sizeof begin - 1) != 0)
        return NULL;
    const char *name = line + sizeof begin - 1;
    const char *end = *name == '"' ? string_end(name) : NULL;
    const char *configuration = end ? strstr(end, "\"shared memory\": ") : NULL;
    const char *length = end ? strstr(end, "\"dur\": ") : NULL;
    *tail = configuration ? strstr((char *)configuration, "]}}") : NULL;
    if (!*tail || !length || !decimal_read_ns(length + 7, length_ns))
        return NULL;
    ++*tail;
    char *key = NULL;
    if (asprintf(&key, "\"name\": %.*s, %.*s", (int)(end - name), name,
                 (int)(*tail - configuration), configuration) < 0)
        return NULL;
    return key;
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Reads the kernels of a trace. */
static int read_kernels(const char *path, table *t) {
    FILE *file = fopen(path, "re");
    char *line = NULL, *tail;
    size_t size = 0;
    uint64_t length_ns;
    if (!file)
        return -1;
    while (getline(&line, &size, file) > 0) {
        char *key = kernel_key(line, &tail, &length_ns);
        entry *e = key ? table_add(t, key) : NULL;
        if (e)
            e->length_ns = length_ns;
    }
    free(line);
    int failed = ferror(file) ? -1 : 0;
    fclose(file);
    return failed;
}

long counters_select(const char *trace, double percentile, const char *path) {
    table kernels = {0};
    long selected = -1;
    uint64_t *times = NULL;
    if (read_kernels(trace, &kernels) == 0 &&
        (times = malloc((kernels.n + 1) * sizeof *times)) != NULL) {
        for (size_t i = 0; i < kernels.n; i++)
            times[i] = kernels.items[i].length_ns;
        qsort(times, kernels.n, sizeof *times, by_number);
        /* Nearest rank: the least time that `percentile` percent of the kernels do not pass. */
        double rank = percentile / 100 * (double)kernels.n;
        size_t at = rank <= 1 ? 0 : (size_t)rank - ((double)(size_t)rank == rank);
        uint64_t threshold =
            kernels.n == 0 || percentile <= 0 ? 0 : times[at < kernels.n ? at : kernels.n - 1];
        if (kernels.n)
            qsort(kernels.items, kernels.n, sizeof *kernels.items, by_key);
        FILE *file = fopen(path, "we");
        const char *last = NULL;
        if (file) {
            selected = 0;
            for (size_t i = 0; i < kernels.n; i++) {
                const entry *e = &kernels.items[i];
                if (e->length_ns < threshold || (last && strcmp(last, e->key) == 0))
                    continue;
                fprintf(file, "%s\n", last = e->key);
                selected++;
            }
            if (fclose(file) != 0)
                selected = -1;
        }
    }
    free(times);
    table_free(&kernels);
    return selected;
}

/* Reads a counters file: the header line, then one kernel a line. */
static int read_measured(const char *path, table *t) {
    static const char middle[] = ", \"counters\": {";
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    if (!file)
        return -1;
    while (getline(&line, &size, file) > 0) {
        if (!t->header[0])
            snprintf(t->header, sizeof t->header, "%s", line);
        const char *end = strncmp(line, "{\"name\": \"", 10) == 0 ? string_end(line + 9) : NULL;
        const char *at = end ? strstr(end, middle) : NULL;
        const char *close = at ? strstr(at, "}}") : NULL;
        if (!close)
            continue;
        entry *e = table_add(t, strndup(line + 1, (size_t)(at - line - 1)));
        at += sizeof middle - 1;
        if (e)
            e->payload = strndup(at, (size_t)(close - at));
    }
    free(line);
    fclose(file);
    if (t->n)
        qsort(t->items, t->n, sizeof *t->items, by_key);
    return 0;
}

/* The header's fields, to stand in the trace's "habitat" object. */
static void write_header(FILE *out, const table *t, double percentile) {
    const char *end = strstr(t->header, ", \"kernels\": [");
    int length = end && t->header[0] == '{' ? (int)(end - t->header - 1) : 0;
    fprintf(out, "\"counters\": {%.*s%s\"percentile\": ", length, t->header + 1,
            length ? ", " : "");
    decimal_write(out, percentile);
    fprintf(out, ", \"measured\": %zu}, ", t->n);
}

static long copy_with(FILE *in, FILE *out, const table *t, double percentile) {
    static const char habitat[] = "\"habitat\": {";
    char *line = NULL, *tail;
    size_t size = 0;
    uint64_t length_ns;
    long merged = 0;
    while (getline(&line, &size, in) > 0) {
        char *key = kernel_key(line, &tail, &length_ns);
        entry wanted = {.key = key};
        const entry *found =
            key && t->n ? bsearch(&wanted, t->items, t->n, sizeof wanted, by_key) : NULL;
        if (found && found->payload && *found->payload) {
            fprintf(out, "%.*s, %s%s", (int)(tail - line), line, found->payload, tail);
            merged++;
        } else if (strncmp(line, habitat, sizeof habitat - 1) == 0) {
            fputs(habitat, out);
            write_header(out, t, percentile);
            fputs(line + sizeof habitat - 1, out);
        } else {
            fputs(line, out);
        }
        free(key);
    }
    free(line);
    return ferror(in) || ferror(out) ? -1 : merged;
}

long counters_merge(const char *trace, const char *measured, double percentile) {
    table t = {0};
    char *temporary = NULL;
    long merged = -1;
    if (read_measured(measured, &t) == 0 && asprintf(&temporary, "%s.merged", trace) > 0) {
        FILE *in = fopen(trace, "re"), *out = in ? fopen(temporary, "we") : NULL;
        if (in && out)
            merged = copy_with(in, out, &t, percentile);
        if (in)
            fclose(in);
        if (out && fclose(out) != 0)
            merged = -1;
        if (merged >= 0 && rename(temporary, trace) != 0)
            merged = -1;
        if (merged < 0 && out)
            unlink(temporary);
    }
    free(temporary);
    table_free(&t);
    return merged;
}
