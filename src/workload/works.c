/* See works.h. */
#include "workload/works.h"

#include <stdlib.h>

#include "base/list.h"

/* What an entry's work is to what it is of; an operation's has the format of its lists above. */
typedef enum how { OF_OPERATION = 0, OF_KERNEL, BACKWARD, UNKNOWN, HOW_BITS = 2 } how;

static bool is_entry(const void *entries, uint32_t index, const void *key) {
    const works_entry *have = (const works_entry *)entries + index, *want = key;
    return have->of == want->of && have->how == want->how;
}

static uint64_t hash_of(const works_entry *e) {
    return habitat_hash_number(habitat_hash_number(0, (uintptr_t)e->of), e->how);
}

/* ---- what things compute; false: nothing is known ---- */

typedef struct listed_operation {
    const habitat_operation *op;
    habitat_dtype list_dtype;
} listed_operation;

static bool of_operation(const void *thing, habitat_work *out) {
    const listed_operation *l = thing;
    return l->op->form->kind == HABITAT_OPERATION_FRAMEWORK &&
           habitat_operation_work_typed(l->op, l->list_dtype, out) == HABITAT_OK;
}

static bool of_kernel(const void *thing, habitat_work *out) {
    return habitat_kernel_work(thing, out) == HABITAT_OK;
}

static bool backward(const void *thing, habitat_work *out) {
    *out = *(const habitat_work *)thing;
    out->pass = HABITAT_PASS_BACKWARD;
    out->known = out->known && out->varying;
    out->flop *= 2.0;
    out->read_bytes *= 2.0;
    out->write_bytes *= 2.0;
    return true;
}

static bool unknown(const void *thing, habitat_work *out) {
    *out = *(const habitat_work *)thing;
    out->known = false;
    return true;
}

/* ---- one of them, kept once ---- */

static const habitat_work *store(works *w, const habitat_work *work) {
    habitat_work *kept = habitat_arena_alloc(w->arena, sizeof *kept);
    if (kept)
        *kept = *work;
    return kept;
}

/* work_of(thing) is what the entry's work is, if it is not kept yet. */
static uint32_t find_or_keep(works *w, works_entry e, const void *thing,
                             bool (*work_of)(const void *thing, habitat_work *out)) {
    uint64_t hash = hash_of(&e);
    uint32_t found = habitat_table_find(&w->table, hash, is_entry, w->all, &e);
    habitat_work work;
    if (found != HABITAT_NONE)
        return found;
    if (work_of(thing, &work) && !(e.work = store(w, &work)))
        return HABITAT_NONE;
    works_entry *all = list_grow(w->all, w->count, &w->capacity, 256, HABITAT_NONE, sizeof *all);
    if (!all)
        return HABITAT_NONE;
    w->all = all;
    if (!habitat_table_put(&w->table, hash, w->count))
        return HABITAT_NONE;
    w->all[w->count] = e;
    return w->count++;
}

uint32_t works_of_operation(works *w, const habitat_operation *op, habitat_dtype list_dtype) {
    works_entry e = {op->form, OF_OPERATION | (uint32_t)list_dtype << HOW_BITS, NULL};
    return find_or_keep(w, e, &(listed_operation){op, list_dtype}, of_operation);
}

uint32_t works_of_kernel(works *w, const habitat_kernel *kernel) {
    return find_or_keep(w, (works_entry){kernel->form, OF_KERNEL, NULL}, kernel, of_kernel);
}

uint32_t works_backward(works *w, const habitat_work *forward) {
    return find_or_keep(w, (works_entry){forward, BACKWARD, NULL}, forward, backward);
}

uint32_t works_unknown(works *w, const habitat_work *whole) {
    return find_or_keep(w, (works_entry){whole, UNKNOWN, NULL}, whole, unknown);
}

void works_free(works *w) {
    free(w->all);
    habitat_table_free(&w->table);
}
