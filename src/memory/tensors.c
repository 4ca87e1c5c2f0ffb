/* Tensors by their number of elements. */
#include "memory/tensors.h"

#include <stdlib.h>
#include <string.h>

enum { LOOK_BACK = 64 }; /* tensors of one size that are looked at: keeps the cost linear */

static uint64_t hash_of(double elements) {
    uint64_t bits;
    memcpy(&bits, &elements, sizeof bits);
    return habitat_hash_number(0, bits);
}

static bool same_elements(const void *elements, uint32_t index, const void *key) {
    return ((const memory_tensor *)elements)[index].elements == *(const double *)key;
}

static uint32_t head_of(const memory_tensors *t, double elements) {
    return habitat_table_find(&t->heads, hash_of(elements), same_elements, t->all, &elements);
}

static bool grow(memory_tensors *t) {
    uint32_t larger = t->capacity ? t->capacity * 2 : 1024;
    memory_tensor *all = realloc(t->all, larger * sizeof *all);
    if (!all)
        return false;
    t->all = all;
    uint32_t *last = realloc(t->last, larger * sizeof *last);
    if (!last)
        return false;
    t->last = last;
    t->capacity = larger;
    return true;
}

bool memory_tensors_add(memory_tensors *t, const memory_tensor *tensor) {
    if (t->count == t->capacity && !grow(t))
        return false;
    uint32_t head = head_of(t, tensor->elements), index = t->count;
    if (head == HABITAT_NONE && !habitat_table_put(&t->heads, hash_of(tensor->elements), index))
        return false;
    t->all[index] = *tensor;
    t->all[index].before = head == HABITAT_NONE ? HABITAT_NONE : t->last[head];
    if (tensor->base == HABITAT_NONE)
        t->all[index].base = index;
    t->last[head == HABITAT_NONE ? index : head] = index;
    t->count++;
    return true;
}

static bool is_used(const uint32_t *used, uint32_t count, uint32_t index) {
    for (uint32_t i = 0; i < count; i++)
        if (used[i] == index)
            return true;
    return false;
}

static bool is_preferred(const memory_tensor *tensor, memory_preference preference) {
    if (tensor->square && tensor->read)
        return false;
    return preference == PREFER_STREAM        ? tensor->stream
           : preference == PREFER_UNPROJECTED ? !tensor->projected
           : preference == PREFER_UNREAD      ? !tensor->read
           : preference == PREFER_WHOLE       ? !tensor->multiple
                                              : true;
}

uint32_t memory_tensors_find(const memory_tensors *t, double elements, double element_bytes,
                             memory_preference preference, const uint32_t *used,
                             uint32_t used_count) {
    uint32_t head = head_of(t, elements), newest = HABITAT_NONE, alike = HABITAT_NONE;
    uint32_t at = head == HABITAT_NONE ? HABITAT_NONE : t->last[head];
    for (int looked = 0; at != HABITAT_NONE && looked < LOOK_BACK; at = t->all[at].before) {
        if (is_used(used, used_count, at))
            continue;
        bool same = element_bytes == 0 || t->all[at].element_bytes == element_bytes;
        if (same && is_preferred(&t->all[at], preference))
            return at;
        if (same && alike == HABITAT_NONE)
            alike = at;
        if (newest == HABITAT_NONE)
            newest = at;
        looked++;
    }
    return alike != HABITAT_NONE ? alike : newest;
}

bool memory_tensors_have(const memory_tensors *t, double elements, double element_bytes) {
    uint32_t head = head_of(t, elements);
    uint32_t at = head == HABITAT_NONE ? HABITAT_NONE : t->last[head];
    for (int looked = 0; at != HABITAT_NONE && looked < LOOK_BACK; at = t->all[at].before) {
        if (element_bytes == 0 || t->all[at].element_bytes == element_bytes)
            return true;
        looked++;
    }
    return false;
}

void memory_tensor_use(memory_tensor *tensor, uint64_t backward_ns) {
    if (backward_ns < tensor->used_ns)
        tensor->used_ns = backward_ns;
}

bool memory_tensors_list_waits(const memory_tensors *t, memory_steps *out) {
    out->waits = malloc((t->count + 1) * sizeof *out->waits);
    if (!out->waits)
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        const memory_tensor *one = &t->all[i];
        if (!one->weight && one->made_ns != UINT64_MAX && one->used_ns < one->made_ns)
            out->waits[out->wait_count++] =
                (memory_wait){one->used_ns, one->made_ns, one->elements * one->element_bytes};
    }
    return true;
}

bool memory_tensors_list_lives(const memory_tensors *t, memory_steps *out) {
    bool added = true;
    for (uint32_t i = 0; i < t->count && added; i++) {
        const memory_tensor *one = &t->all[i];
        double bytes = one->elements * one->element_bytes;
        if (one->base == i)
            added = memory_steps_add_life(out, &(memory_life){one->born_ns, one->until_ns,
                                                              one->weight ? 0 : bytes,
                                                              one->weight ? bytes : 0});
    }
    return added;
}

static bool same_size(const void *elements, uint32_t index, const void *key) {
    return ((const habitat_parameter *)elements)[index].elements == *(const uint64_t *)key;
}

bool memory_sizes_have(const habitat_table *sizes, const habitat_trace_memory *noted,
                       double elements) {
    uint64_t whole = elements < 1e18 ? (uint64_t)elements : 0;
    return habitat_table_find(sizes, habitat_hash_number(0, whole), same_size, noted->parameters,
                              &whole) != HABITAT_NONE;
}

bool memory_sizes_note(habitat_table *sizes, const habitat_trace_memory *noted) {
    for (size_t i = 0; i < noted->parameter_count; i++) {
        uint64_t elements = noted->parameters[i].elements;
        if (!memory_sizes_have(sizes, noted, (double)elements) &&
            !habitat_table_put(sizes, habitat_hash_number(0, elements), (uint32_t)i))
            return false;
    }
    return true;
}

void memory_tensors_free(memory_tensors *t) {
    free(t->all);
    free(t->last);
    habitat_table_free(&t->heads);
    *t = (memory_tensors){0};
}
