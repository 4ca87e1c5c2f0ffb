/* Two recordings of one model: which group of the one is which of the other.
 *
 * Both run the same script, so that their operations come in the same order, with the same names in
 * the same modules; now and then one has a few more (a library that changes a layout). The lists
 * are walked together; where they part, the nearest place where both agree again is looked for. */
#include <stdlib.h>
#include <string.h>

#include "workload/scale.h"

enum { LOOK_AHEAD = 64, AGREE = 3 };

typedef struct walk {
    const habitat_workload *w;
    const habitat_operation *ops;
    size_t op_count;
    uint32_t *groups; /* shape (count): groups with an operation, by its start */
    size_t count;
} walk;

static const habitat_operation *op_at(const walk *a, size_t i) {
    return a->w->groups[a->groups[i]].operation;
}

typedef struct place {
    uint64_t start_ns;
    uint32_t group;
} place;

static int by_start(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->group < y->group ? -1 : x->group > y->group;
}

bool scale_order(const habitat_workload *w, uint32_t *out, size_t *count) {
    place *places = calloc(w->group_count + 1, sizeof *places);
    size_t found = 0;
    if (!places)
        return false;
    for (size_t g = 0; g < w->group_count; g++)
        if (w->groups[g].operation)
            places[found++] = (place){w->groups[g].operation->start_ns, (uint32_t)g};
    qsort(places, found, sizeof *places, by_start);
    for (size_t i = 0; i < found; i++)
        out[i] = places[i].group;
    free(places);
    *count = found;
    return true;
}

static bool set_up(const habitat_workload *w, walk *out) {
    *out = (walk){.w = w, .groups = calloc(w->group_count + 1, sizeof *out->groups)};
    out->ops = habitat_trace_operations(w->trace, &out->op_count);
    return out->groups && scale_order(w, out->groups, &out->count);
}

static const char *name_of(const walk *a, uint32_t op) {
    return op < a->op_count ? a->ops[op].name : "";
}

static bool same(const walk *a, size_t i, const walk *b, size_t j) {
    if (i >= a->count || j >= b->count)
        return i >= a->count && j >= b->count;
    const habitat_operation *x = op_at(a, i), *y = op_at(b, j);
    return strcmp(x->name, y->name) == 0 &&
           strcmp(name_of(a, x->parent), name_of(b, y->parent)) == 0 &&
           strcmp(name_of(a, x->module), name_of(b, y->module)) == 0;
}

static bool agree(const walk *a, size_t i, const walk *b, size_t j) {
    for (size_t k = 0; k < AGREE; k++)
        if (!same(a, i + k, b, j + k))
            return k > 0 && (i + k >= a->count || j + k >= b->count);
    return true;
}

/* The nearest (i, j) from here on where both agree; false where there is none in sight. */
static bool find_again(const walk *a, size_t *i, const walk *b, size_t *j) {
    for (size_t distance = 1; distance <= LOOK_AHEAD; distance++)
        for (size_t of_a = 0; of_a <= distance; of_a++)
            if (agree(a, *i + of_a, b, *j + distance - of_a)) {
                *i += of_a;
                *j += distance - of_a;
                return true;
            }
    return false;
}

habitat_status scale_match(const habitat_workload *w, const habitat_workload *other,
                           uint32_t *out) {
    walk a = {0}, b = {0};
    bool ok = set_up(w, &a);
    ok = set_up(other, &b) && ok;
    memset(out, 0xff, w->group_count * sizeof *out);
    for (size_t i = 0, j = 0; ok && i < a.count && j < b.count; i++, j++) {
        if (!same(&a, i, &b, j) && !find_again(&a, &i, &b, &j))
            continue;
        if (i < a.count && j < b.count)
            out[a.groups[i]] = b.groups[j];
    }
    free(a.groups);
    free(b.groups);
    return ok ? HABITAT_OK : HABITAT_E_MEMORY;
}
