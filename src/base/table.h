/* A hash table over elements that its owner keeps in an array: it finds the index of one.
 *
 * Open addressing; a slot holds an element's index and half of its hash. Elements are never equal
 * for their hash alone: the owner compares them. Nothing is ever taken out. Typical use:
 *
 *     uint32_t at = habitat_table_find(&table, hash, same, elements, key);
 *     if (at == HABITAT_NONE && habitat_table_put(&table, hash, at = count))
 *         elements[count++] = ...;
 */
#ifndef HABITAT_BASE_TABLE_H
#define HABITAT_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <habitat/units.h>

typedef struct habitat_table_slot {
    uint32_t hash;  /* folded */
    uint32_t index; /* plus 1; 0: empty */
} habitat_table_slot;

typedef struct habitat_table { /* all zero: empty */
    habitat_table_slot *slots;
    size_t capacity; /* power of two or 0; at most half of it is used */
    size_t count;
} habitat_table;

/* Is element `index` the one with this key? */
typedef bool (*habitat_table_same)(const void *elements, uint32_t index, const void *key);

static inline uint32_t habitat_table_fold(uint64_t hash) {
    return (uint32_t)(hash ^ hash >> 32);
}

/* Index of the element with this key, or HABITAT_NONE. Inline, so that the comparison can be. */
static inline uint32_t habitat_table_find(const habitat_table *table, uint64_t hash,
                                          habitat_table_same same, const void *elements,
                                          const void *key) {
    uint32_t folded = habitat_table_fold(hash);
    size_t mask = table->capacity - 1;
    if (!table->capacity)
        return HABITAT_NONE;
    for (size_t at = folded & mask; table->slots[at].index; at = (at + 1) & mask) {
        const habitat_table_slot *slot = &table->slots[at];
        if (slot->hash == folded && same(elements, slot->index - 1, key))
            return slot->index - 1;
    }
    return HABITAT_NONE;
}

/* Note an element that is not in the table. False, table unchanged, when out of memory. */
bool habitat_table_put(habitat_table *table, uint64_t hash, uint32_t index);

/* Room for so many elements in all: that many times habitat_table_put() cannot fail. False when out
 * of memory. */
bool habitat_table_reserve(habitat_table *table, size_t count);

/* Free the table; it is empty then. */
void habitat_table_free(habitat_table *table);

/* Hash of a number after others: start with 0. */
static inline uint64_t habitat_hash_number(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Hash of bytes, of which every one counts. */
uint64_t habitat_hash_bytes(const void *data, size_t size_bytes);

#endif
