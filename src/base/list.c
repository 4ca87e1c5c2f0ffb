#include "base/list.h"

#include <stdlib.h>

void *list_grow(void *list, size_t count, size_t *capacity, size_t first, size_t most,
                size_t each) {
    if (count < *capacity)
        return list;
    size_t larger = *capacity ? 2 * *capacity : first;
    void *grown = larger <= most && larger <= SIZE_MAX / each ? realloc(list, larger * each) : NULL;
    if (grown)
        *capacity = larger;
    return grown;
}
