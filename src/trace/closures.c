/* Steps of an optimiser that are handed a function with the forward and the backward pass (a
 * closure: LBFGS, and every step of PyTorch Lightning). torch.optim draws its range around all of
 * it, and what the function does is no work of the optimiser: it belongs to what is around the
 * step. A step that holds no module and no backward operation stays as it is. */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "trace/link.h"

typedef struct closure {
    uint64_t start_ns, end_ns; /* of the outermost step */
    uint64_t until_ns;         /* end of the last thing that only its function does; 0: nothing */
    uint32_t operation;
} closure;

typedef struct closures {
    closure *steps; /* shape (count), by start */
    size_t count, room;
} closures;

static bool is_step(const habitat_operation *o) {
    static const char prefix[] = "Optimizer.step";
    return strncmp(o->form->name, prefix, sizeof prefix - 1) == 0;
}

static bool is_of_function(const habitat_operation *o) {
    static const char node[] = "autograd::engine::evaluate_function";
    return o->forward != HABITAT_NONE || o->form->kind == HABITAT_OPERATION_MODULE ||
           strncmp(o->form->name, node, sizeof node - 1) == 0;
}

static uint32_t outermost_step(const habitat_trace *t, uint32_t i) {
    uint32_t found = HABITAT_NONE;
    for (; i != HABITAT_NONE; i = t->operations[i].parent)
        if (is_step(&t->operations[i]))
            found = i;
    return found;
}

static int by_start(const void *a, const void *b) {
    const closure *x = a, *y = b;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static bool collect(const habitat_trace *t, closures *c) {
    for (uint32_t i = 0; i < t->operation_count; i++) {
        const habitat_operation *o = &t->operations[i];
        if (!is_step(o) || outermost_step(t, i) != i)
            continue;
        closure *list = list_grow(c->steps, c->count, &c->room, 64, SIZE_MAX, sizeof *list);
        if (!list)
            return false;
        c->steps = list;
        c->steps[c->count++] = (closure){
            .start_ns = o->start_ns, .end_ns = o->start_ns + o->duration_ns, .operation = i};
    }
    if (c->count)
        qsort(c->steps, c->count, sizeof *c->steps, by_start);
    return true;
}

/* The step during which something happens, in whatever thread: autograd has its own. */
static closure *step_at(const closures *c, uint64_t time_ns) {
    size_t after = 0;
    LIST_FIRST_NOT(after, c->count, c->steps[middle].start_ns <= time_ns);
    closure *s = after ? &c->steps[after - 1] : NULL;
    return s && time_ns < s->end_ns ? s : NULL;
}

static void find_ends(const habitat_trace *t, const closures *c) {
    for (size_t i = 0; i < t->operation_count; i++) {
        const habitat_operation *o = &t->operations[i];
        closure *s = is_of_function(o) ? step_at(c, o->start_ns) : NULL;
        uint64_t end_ns = o->start_ns + o->duration_ns;
        if (s && end_ns > s->until_ns)
            s->until_ns = end_ns;
    }
}

static void take_out(habitat_trace *t, const closures *c) {
    for (uint32_t i = 0; i < t->operation_count; i++) {
        habitat_operation *o = &t->operations[i];
        if (o->parent == HABITAT_NONE || is_step(o) || !is_step(&t->operations[o->parent]))
            continue;
        const closure *s = step_at(c, o->start_ns);
        if (s && o->start_ns < s->until_ns)
            o->parent = t->operations[s->operation].parent;
    }
}

bool trace_link_closures(habitat_trace *t) {
    closures c = {0};
    bool fine = collect(t, &c);
    if (fine && c.count) {
        find_ends(t, &c);
        take_out(t, &c);
    }
    free(c.steps);
    return fine;
}
