/* See works.h. */
#include "workload/works.h"

#include <stdlib.h>

/* What an entry's work is to what it is of; an operation's has the format of its lists above. */
typedef enum how { OF_OPERATION = 0, OF_KERNEL, BACKWARD, UNKNOWN, HOW_BITS = 2 } how;

static bool is_entry(const void *entries, uint32_t index, const void *key) {
    const works_entry *have = (const works_entry *)entries + index, *want = key;
    return have->of == want->of && have->how == want->how;
}

static uint64_t hash_of(const works_entry *e) {
    return habitat_hash_number(habitat_hash_number(0, (uintptr_t)e->of), e->how);
}

static uint32_t find(const works *w, const works_entry *e) {
    return habitat_table_find(&w->table, hash_of(e), is_entry, w->all, e);
}

static bool make_room(works *w) {
    if (w->count < w->capacity)
        return true;
    uint32_t larger = w->capacity ? 2 * w->capacity : 256;
    works_entry *grown = realloc(w->all, larger * sizeof *grown);
    if (!grown)
        return false;
    w->all = grown;
    w->capacity = larger;
    return true;
}

/* work: NULL where nothing is known. */
static uint32_t keep(works *w, works_entry e, const habitat_work *work) {
    if (work) {
        habitat_work *kept = habitat_arena_alloc(w->arena, sizeof *kept);
        if (!kept)
            return HABITAT_NONE;
        *kept = *work;
        e.work = kept;
    }
    if (!make_room(w) || !habitat_table_put(&w->table, hash_of(&e), w->count))
        return HABITAT_NONE;
    w->all[w->count] = e;
    return w->count++;
}

uint32_t works_of_operation(works *w, const habitat_operation *op, habitat_dtype list_dtype) {
    works_entry e = {op->form, OF_OPERATION | (uint32_t)list_dtype << HOW_BITS, NULL};
    uint32_t found = find(w, &e);
    if (found != HABITAT_NONE)
        return found;
    habitat_work work;
    bool known = op->form->kind == HABITAT_OPERATION_FRAMEWORK &&
                 habitat_operation_work_typed(op, list_dtype, &work) == HABITAT_OK;
    return keep(w, e, known ? &work : NULL);
}

uint32_t works_of_kernel(works *w, const habitat_kernel *kernel) {
    works_entry e = {kernel->form, OF_KERNEL, NULL};
    uint32_t found = find(w, &e);
    if (found != HABITAT_NONE)
        return found;
    habitat_work work;
    bool known = habitat_kernel_work(kernel, &work) == HABITAT_OK;
    return keep(w, e, known ? &work : NULL);
}

uint32_t works_backward(works *w, const habitat_work *forward) {
    works_entry e = {forward, BACKWARD, NULL};
    uint32_t found = find(w, &e);
    if (found != HABITAT_NONE)
        return found;
    habitat_work work = *forward;
    work.pass = HABITAT_PASS_BACKWARD;
    work.known = work.known && work.varying;
    work.flop *= 2.0;
    work.read_bytes *= 2.0;
    work.write_bytes *= 2.0;
    return keep(w, e, &work);
}

uint32_t works_unknown(works *w, const habitat_work *whole) {
    works_entry e = {whole, UNKNOWN, NULL};
    uint32_t found = find(w, &e);
    if (found != HABITAT_NONE)
        return found;
    habitat_work work = *whole;
    work.known = false;
    return keep(w, e, &work);
}

void works_free(works *w) {
    free(w->all);
    habitat_table_free(&w->table);
}
