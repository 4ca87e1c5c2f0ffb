/* Lists: one that grows, and a place in a sorted one. */
#ifndef HABITAT_BASE_LIST_H
#define HABITAT_BASE_LIST_H

#include <stddef.h>
#include <stdint.h>

/* Room for one more element; a full list becomes twice as long.
 * list: `count` elements, and room for *capacity; NULL with 0. first: room that a new one begins
 * with; most: the elements that it may have; each: bytes of one.
 * Returns the list, which takes the place of the old one; NULL without memory, or where it would be
 * longer than `most`: the old one is as it was. */
void *list_grow(void *list, size_t count, size_t *capacity, size_t first, size_t most, size_t each);

/* The same for lists of millions: a full one becomes half as long again. */
void *list_grow_by_half(void *list, size_t count, size_t *capacity, size_t first, size_t most,
                        size_t each);

/* Room for `wanted` elements, `first` or more of them. */
void *list_reserve(void *list, size_t wanted, size_t *capacity, size_t first, size_t most,
                   size_t each);

/* Moves `low` to the first place of [low, high) where `before`, an expression in `middle`, does not
 * hold; to `high` where it holds for all. It holds for none behind the first for which it does not.
 */
#define LIST_FIRST_NOT(low, high, before)                                                          \
    do {                                                                                           \
        for (size_t list_end = (high); (low) < list_end;) {                                        \
            size_t middle = (low) + (list_end - (low)) / 2;                                        \
            if (before)                                                                            \
                (low) = middle + 1;                                                                \
            else                                                                                   \
                list_end = middle;                                                                 \
        }                                                                                          \
    } while (0)

#endif
