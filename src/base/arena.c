/* Arena and string table. */
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

enum { FIRST_CHUNK_BYTES = 1 << 14, LARGEST_CHUNK_BYTES = 1 << 20, ALIGNMENT = 16 };

struct habitat_arena_chunk {
    struct habitat_arena_chunk *next;
    size_t size, used;
    _Alignas(ALIGNMENT) unsigned char data[];
};

static struct habitat_arena_chunk *add_chunk(habitat_arena *arena, size_t need) {
    size_t size = arena->head ? arena->head->size * 2 : FIRST_CHUNK_BYTES;
    if (size > LARGEST_CHUNK_BYTES)
        size = LARGEST_CHUNK_BYTES;
    if (size < need)
        size = need;
    struct habitat_arena_chunk *chunk = malloc(sizeof *chunk + size);
    if (!chunk)
        return NULL;
    chunk->next = arena->head;
    chunk->size = size;
    chunk->used = 0;
    arena->head = chunk;
    return chunk;
}

void *habitat_arena_alloc(habitat_arena *arena, size_t size) {
    if (size > SIZE_MAX / 4)
        return NULL;
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    struct habitat_arena_chunk *chunk = arena->head;
    if (!chunk || chunk->size - chunk->used < size) {
        chunk = add_chunk(arena, size);
        if (!chunk)
            return NULL;
    }
    void *memory = chunk->data + chunk->used;
    chunk->used += size;
    arena->used_bytes += size;
    return memory;
}

char *habitat_arena_string(habitat_arena *arena, const char *text, size_t length) {
    char *copy = habitat_arena_alloc(arena, length + 1);
    if (!copy)
        return NULL;
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void habitat_arena_free(habitat_arena *arena) {
    while (arena->head) {
        struct habitat_arena_chunk *next = arena->head->next;
        free(arena->head);
        arena->head = next;
    }
    arena->used_bytes = 0;
}

/* Strings in the order in which they came. */
struct habitat_string {
    const char *text;
    size_t length;
};

static bool is_string(const void *elements, uint32_t index, const void *key) {
    const struct habitat_string *have = (const struct habitat_string *)elements + index;
    const struct habitat_string *want = key;
    return have->length == want->length && !memcmp(have->text, want->text, want->length);
}

static bool make_room(habitat_strings *strings) {
    struct habitat_string *list =
        list_grow(strings->list, strings->count, &strings->capacity, 256, SIZE_MAX, sizeof *list);
    if (list)
        strings->list = list;
    return list;
}

const char *habitat_strings_intern(habitat_strings *strings, const char *text, size_t length) {
    uint64_t hash = habitat_hash_bytes(text, length);
    struct habitat_string wanted = {text, length};
    uint32_t at = habitat_table_find(&strings->table, hash, is_string, strings->list, &wanted);
    if (at != HABITAT_NONE)
        return strings->list[at].text;
    char *copy = make_room(strings) ? habitat_arena_string(&strings->arena, text, length) : NULL;
    if (!copy || !habitat_table_put(&strings->table, hash, (uint32_t)strings->count))
        return NULL;
    strings->list[strings->count++] = (struct habitat_string){copy, length};
    return copy;
}

void habitat_strings_close(habitat_strings *strings) {
    free(strings->list);
    habitat_table_free(&strings->table);
    strings->list = NULL;
    strings->count = strings->capacity = 0;
}

void habitat_strings_free(habitat_strings *strings) {
    habitat_strings_close(strings);
    habitat_arena_free(&strings->arena);
    *strings = (habitat_strings){0};
}
