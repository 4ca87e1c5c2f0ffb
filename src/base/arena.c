/* Arena and string table. */
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK_BYTES = 1 << 14, LARGEST_CHUNK_BYTES = 1 << 20, ALIGNMENT = 16 };

struct habitat_arena_chunk {
    struct habitat_arena_chunk *next;
    size_t size, used;
    _Alignas(ALIGNMENT) unsigned char data[];
};

struct habitat_string_slot {
    const char *text;
    size_t length;
    uint64_t hash;
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

/* FNV-1a over 8 bytes at a time: names are long and share prefixes, so every byte counts. */
static uint64_t hash_bytes(const char *text, size_t length) {
    uint64_t hash = 0xcbf29ce484222325u ^ length;
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t word;
        memcpy(&word, text + i, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    for (; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash ^ (hash >> 32);
}

static int grow(habitat_strings *strings) {
    size_t capacity = strings->capacity ? strings->capacity * 2 : 256;
    struct habitat_string_slot *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return 0;
    for (size_t i = 0; i < strings->capacity; i++) {
        if (!strings->slots[i].text)
            continue;
        size_t at = strings->slots[i].hash & (capacity - 1);
        while (slots[at].text)
            at = (at + 1) & (capacity - 1);
        slots[at] = strings->slots[i];
    }
    free(strings->slots);
    strings->slots = slots;
    strings->capacity = capacity;
    return 1;
}

const char *habitat_strings_intern(habitat_strings *strings, const char *text, size_t length) {
    if (strings->count * 2 >= strings->capacity && !grow(strings))
        return NULL;
    uint64_t hash = hash_bytes(text, length);
    size_t mask = strings->capacity - 1;
    size_t at = hash & mask;
    while (strings->slots[at].text) {
        const struct habitat_string_slot *slot = &strings->slots[at];
        if (slot->hash == hash && slot->length == length && !memcmp(slot->text, text, length))
            return slot->text;
        at = (at + 1) & mask;
    }
    char *copy = habitat_arena_string(&strings->arena, text, length);
    if (!copy)
        return NULL;
    strings->slots[at] = (struct habitat_string_slot){copy, length, hash};
    strings->count++;
    return copy;
}

void habitat_strings_free(habitat_strings *strings) {
    free(strings->slots);
    habitat_arena_free(&strings->arena);
    *strings = (habitat_strings){0};
}
