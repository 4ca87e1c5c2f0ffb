#include "base/list.h"

#include <stdlib.h>

static void *resized(void *list, size_t *capacity, size_t larger, size_t most, size_t each) {
    void *grown = larger <= most && larger <= SIZE_MAX / each ? realloc(list, larger * each) : NULL;
    if (grown)
        *capacity = larger;
    return grown;
}

void *list_grow(void *list, size_t count, size_t *capacity, size_t first, size_t most,
                size_t each) {
    if (count < *capacity)
        return list;
    return resized(list, capacity, *capacity ? 2 * *capacity : first, most, each);
}

void *list_grow_by_half(void *list, size_t count, size_t *capacity, size_t first, size_t most,
                        size_t each) {
    if (count < *capacity)
        return list;
    return resized(list, capacity, *capacity ? *capacity + *capacity / 2 : first, most, each);
}

void *list_reserve(void *list, size_t wanted, size_t *capacity, size_t first, size_t most,
                   size_t each) {
    size_t larger = *capacity ? *capacity : first;
    if (list && wanted <= *capacity)
        return list;
    while (larger < wanted && larger <= most / 2)
        larger *= 2;
    return resized(list, capacity, larger < wanted ? wanted : larger, most, each);
}
