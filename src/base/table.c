/* The hash table's growing, and the hash of bytes. */
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

static void place(habitat_table_slot *slots, size_t capacity, habitat_table_slot slot) {
    size_t at = slot.hash & (capacity - 1);
    while (slots[at].index)
        at = (at + 1) & (capacity - 1);
    slots[at] = slot;
}

bool habitat_table_reserve(habitat_table *table, size_t count) {
    size_t capacity = table->capacity ? table->capacity : FIRST_CAPACITY;
    if (count >= HABITAT_NONE)
        return false;
    while (capacity < 2 * count)
        capacity *= 2;
    if (capacity == table->capacity)
        return true;
    habitat_table_slot *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i].index)
            place(slots, capacity, table->slots[i]);
    free(table->slots);
    table->slots = slots;
    table->capacity = capacity;
    return true;
}

bool habitat_table_put(habitat_table *table, uint64_t hash, uint32_t index) {
    if (!habitat_table_reserve(table, table->count + 1))
        return false;
    place(table->slots, table->capacity, (habitat_table_slot){habitat_table_fold(hash), index + 1});
    table->count++;
    return true;
}

void habitat_table_free(habitat_table *table) {
    free(table->slots);
    *table = (habitat_table){0};
}

/* FNV-1a over 8 bytes at a time: names are long and share prefixes, so every byte counts. */
uint64_t habitat_hash_bytes(const void *data, size_t size_bytes) {
    const unsigned char *bytes = data;
    uint64_t hash = 0xcbf29ce484222325u ^ size_bytes;
    for (; size_bytes >= 8; bytes += 8, size_bytes -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = habitat_hash_number(hash, word);
    }
    for (; size_bytes; bytes++, size_bytes--)
        hash = (hash ^ *bytes) * 0x100000001b3u;
    return hash ^ (hash >> 32);
}
