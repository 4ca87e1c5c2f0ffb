/* See kernel_kinds.h. A step repeats its layers, and their kernels with them. */
#include "predict/kernel_kinds.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"

/* NaN is as good as any number: nothing is known of either. */
static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t hash_of(const habitat_workload_kernel *kernel) {
    const habitat_kernel_facts *facts = &kernel->facts;
    uint64_t hash = habitat_hash_number(0, (uint64_t)kernel->launch << 32 ^ facts->blocks);
    return habitat_hash_number(habitat_hash_number(hash, bits_of(facts->flop)),
                               bits_of(facts->bytes));
}

/* Elements are numbers of kernels, one a kind. */
typedef struct kinds_so_far {
    const habitat_workload *w;
    const uint32_t *first;
} kinds_so_far;

static bool is_alike(const void *elements, uint32_t index, const void *key) {
    const kinds_so_far *kinds = elements;
    const habitat_workload_kernel *a = &kinds->w->kernels[kinds->first[index]], *b = key;
    return a->launch == b->launch && a->persistent == b->persistent &&
           a->facts.blocks == b->facts.blocks && a->facts.dtype == b->facts.dtype &&
           a->facts.matrix_unit == b->facts.matrix_unit &&
           bits_of(a->facts.flop) == bits_of(b->facts.flop) &&
           bits_of(a->facts.bytes) == bits_of(b->facts.bytes);
}

habitat_status kernel_kinds_find(const habitat_workload *w, kernel_kinds *out) {
    habitat_table table = {0};
    out->of = malloc((w->kernel_count + 1) * sizeof *out->of);
    out->first = malloc((w->kernel_count + 1) * sizeof *out->first);
    if (!out->of || !out->first || !habitat_table_reserve(&table, w->kernel_count))
        return HABITAT_E_MEMORY;
    kinds_so_far kinds = {w, out->first};
    for (size_t i = 0; i < w->kernel_count; i++) {
        uint64_t hash = hash_of(&w->kernels[i]);
        uint32_t at = habitat_table_find(&table, hash, is_alike, &kinds, &w->kernels[i]);
        if (at == HABITAT_NONE) {
            habitat_table_put(&table, hash, at = (uint32_t)out->count);
            out->first[out->count++] = (uint32_t)i;
        }
        out->of[i] = at;
    }
    habitat_table_free(&table);
    return HABITAT_OK;
}

void kernel_kinds_free(kernel_kinds *kinds) {
    free(kinds->of);
    free(kinds->first);
    *kinds = (kernel_kinds){0};
}
