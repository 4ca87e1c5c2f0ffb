/* Formats of tensors by their size; see tensor_sizes.h. */
#include "rescale/tensor_sizes.h"

#include <stdlib.h>

#include "base/list.h"

static bool same_size(const void *elements, uint32_t index, const void *key) {
    return ((const tensor_size *)elements)[index].elements == *(const uint64_t *)key;
}

static bool countable(double elements) {
    return elements > 0.0 && elements < 1e18;
}

static tensor_size *find(const tensor_sizes *of, double elements) {
    uint64_t key = countable(elements) ? (uint64_t)elements : 0;
    uint32_t at =
        habitat_table_find(&of->table, habitat_hash_number(0, key), same_size, of->all, &key);
    return at == HABITAT_NONE ? NULL : &of->all[at];
}

const tensor_size *tensor_sizes_find(const tensor_sizes *of, double elements) {
    return find(of, elements);
}

static tensor_size *add(tensor_sizes *of, uint64_t elements) {
    tensor_size *all = list_grow(of->all, of->count, &of->room, 64, SIZE_MAX, sizeof *all);
    of->out_of_memory |= !all;
    if (!all)
        return NULL;
    of->all = all;
    of->out_of_memory |=
        !habitat_table_put(&of->table, habitat_hash_number(0, elements), (uint32_t)of->count);
    all[of->count] = (tensor_size){.elements = elements};
    return &all[of->count++];
}

void tensor_sizes_note(tensor_sizes *of, double elements, habitat_dtype dtype) {
    tensor_size *found = find(of, elements);
    of->latest = dtype;
    if (!found && countable(elements))
        found = add(of, (uint64_t)elements);
    if (found) {
        found->latest = dtype;
        found->wide |= dtype == HABITAT_DTYPE_FP32;
    }
}

void tensor_sizes_clear(tensor_sizes *of) {
    bool out_of_memory = of->out_of_memory;
    free(of->all);
    habitat_table_free(&of->table);
    *of = (tensor_sizes){.out_of_memory = out_of_memory};
}
