/* What one recording holds in memory: events in chunks that never move, strings interned once, all
 * within a limit. */
#include "store.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_EVENTS = 4096 };

void store_init(store *s, size_t limit_bytes) {
    memset(s, 0, sizeof *s);
    s->limit_bytes = limit_bytes;
}

/* Accounts for `bytes` more; false when that would pass the limit. */
static bool take(store *s, size_t bytes) {
    if (bytes > s->limit_bytes - s->bytes)
        return false;
    s->bytes += bytes;
    return true;
}

/* Makes room for one more element; growth is by half so that the limit is approached, not leapt
 * over. */
static bool grow(store *s, void **array, size_t *cap, size_t count, size_t element) {
    if (count < *cap)
        return true;
    size_t wanted = *cap + *cap / 2 + 64;
    if (!take(s, (wanted - *cap) * element))
        return false;
    void *moved = realloc(*array, wanted * element);
    if (!moved) {
        s->bytes -= (wanted - *cap) * element;
        return false;
    }
    *array = moved;
    *cap = wanted;
    return true;
}

static uint64_t hash_text(const char *text) { /* FNV-1a */
    uint64_t h = 1469598103934665603u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 1099511628211u;
    return h;
}

static bool rehash(store *s) {
    uint32_t size = s->table_size ? s->table_size * 2 : 1024;
    if (!take(s, (size_t)(size - s->table_size) * sizeof *s->table))
        return false;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return false;
    for (uint32_t i = 0; i < s->n_strings; i++) {
        uint32_t at = (uint32_t)hash_text(s->strings[i]) & (size - 1);
        while (table[at])
            at = (at + 1) & (size - 1);
        table[at] = i + 1;
    }
    free(s->table);
    s->table = table;
    s->table_size = size;
    return true;
}

uint32_t store_string(store *s, const char *text) {
    if (!text)
        text = "";
    if (s->n_strings * 2 >= s->table_size && !rehash(s))
        return UINT32_MAX;
    uint32_t at = (uint32_t)hash_text(text) & (s->table_size - 1);
    for (; s->table[at]; at = (at + 1) & (s->table_size - 1))
        if (strcmp(s->strings[s->table[at] - 1], text) == 0)
            return s->table[at] - 1;
    size_t cap = s->cap_strings;
    void *strings = s->strings;
    if (!grow(s, &strings, &cap, s->n_strings, sizeof *s->strings))
        return UINT32_MAX;
    s->strings = strings;
    s->cap_strings = (uint32_t)cap;
    size_t length = strlen(text) + 1;
    if (!take(s, length))
        return UINT32_MAX;
    char *copy = malloc(length);
    if (!copy)
        return UINT32_MAX;
    memcpy(copy, text, length);
    s->strings[s->n_strings] = copy;
    s->table[at] = ++s->n_strings;
    return s->n_strings - 1;
}

event *store_event(store *s) {
    if (s->n_events == s->n_chunks * CHUNK_EVENTS) {
        void *chunks = s->chunks;
        event *chunk = NULL;
        if (grow(s, &chunks, &s->cap_chunks, s->n_chunks, sizeof *s->chunks)) {
            s->chunks = chunks;
            if (take(s, CHUNK_EVENTS * sizeof *chunk))
                chunk = calloc(CHUNK_EVENTS, sizeof *chunk);
        }
        if (!chunk) {
            s->dropped++;
            return NULL;
        }
        s->chunks[s->n_chunks++] = chunk;
    }
    event *e = store_at(s, s->n_events++);
    return e;
}

event *store_at(const store *s, size_t i) {
    return &s->chunks[i / CHUNK_EVENTS][i % CHUNK_EVENTS];
}

void store_external(store *s, uint32_t correlation, uint32_t kind, uint64_t id) {
    void *array = s->externals;
    if (!grow(s, &array, &s->cap_externals, s->n_externals, sizeof *s->externals)) {
        s->dropped++;
        return;
    }
    s->externals = array;
    s->externals[s->n_externals++] = (external_info){correlation, kind, id};
}

bool store_keep_half(store *s, range_half half) {
    void *array = s->open;
    if (!grow(s, &array, &s->cap_open, s->n_open, sizeof *s->open))
        return false;
    s->open = array;
    s->open[s->n_open++] = half;
    return true;
}

bool store_take_half(store *s, uint32_t id, bool end, range_half *out) {
    /* From the newest: ranges nest, so the match is nearly always the last one. */
    for (size_t i = s->n_open; i-- > 0;) {
        if (s->open[i].id != id || s->open[i].end != end)
            continue;
        *out = s->open[i];
        memmove(&s->open[i], &s->open[i + 1], (s->n_open - i - 1) * sizeof *s->open);
        s->n_open--;
        return true;
    }
    return false;
}
