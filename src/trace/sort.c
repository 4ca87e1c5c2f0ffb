/* Natural merge sort of indices. */
#include "trace/sort.h"

#include <stdlib.h>
#include <string.h>

/* Merge [low, middle) and [middle, high) of `from` into `to`. */
static void merge(const uint32_t *from, uint32_t *to, size_t low, size_t middle, size_t high,
                  sort_before before, const void *context) {
    size_t left = low, right = middle;
    for (size_t at = low; at < high; at++) {
        bool take_right =
            right < high && (left >= middle || before(context, from[right], from[left]));
        to[at] = take_right ? from[right++] : from[left++];
    }
}

bool sort_indices(uint32_t *order, size_t count, sort_before before, const void *context) {
    size_t run_count = count > 0;
    for (size_t i = 1; i < count; i++)
        run_count += before(context, order[i], order[i - 1]);
    if (run_count <= 1)
        return true;
    uint32_t *other = malloc(count * sizeof *other);
    size_t *starts = malloc((run_count + 1) * sizeof *starts);
    if (!other || !starts) {
        free(other);
        free(starts);
        return false;
    }
    size_t runs = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || before(context, order[i], order[i - 1]))
            starts[runs++] = i;
    starts[runs] = count;
    uint32_t *from = order, *to = other;
    while (runs > 1) {
        size_t merged = 0;
        for (size_t i = 0; i < runs; i += 2) {
            size_t middle = starts[i + 1], high = i + 2 <= runs ? starts[i + 2] : middle;
            merge(from, to, starts[i], middle, high, before, context);
            starts[merged++] = starts[i];
        }
        starts[merged] = count;
        runs = merged;
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order)
        memcpy(order, from, count * sizeof *order);
    free(other);
    free(starts);
    return true;
}

bool sort_order(uint32_t *order, size_t count, sort_before before, const void *context) {
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    return sort_indices(order, count, before, context);
}

void sort_apply(void *array, size_t element_bytes, uint32_t *order, size_t count, void *spare) {
    unsigned char *base = array;
    for (size_t i = 0; i < count; i++) {
        if (order[i] == i)
            continue;
        memcpy(spare, base + i * element_bytes, element_bytes);
        size_t hole = i;
        while (order[hole] != i) { /* follow the cycle through i */
            size_t next = order[hole];
            memcpy(base + hole * element_bytes, base + next * element_bytes, element_bytes);
            order[hole] = (uint32_t)hole;
            hole = next;
        }
        memcpy(base + hole * element_bytes, spare, element_bytes);
        order[hole] = (uint32_t)hole;
    }
}

bool sort_elements(void *array, size_t element_bytes, size_t count, sort_before before,
                   void *spare) {
    size_t in_order = count > 0;
    while (in_order && in_order < count &&
           !before(array, (uint32_t)in_order, (uint32_t)(in_order - 1)))
        in_order++;
    if (in_order == count)
        return true;
    uint32_t *order = malloc(count * sizeof *order);
    bool fine = order && sort_order(order, count, before, array);
    if (fine)
        sort_apply(array, element_bytes, order, count, spare);
    free(order);
    return fine;
}
