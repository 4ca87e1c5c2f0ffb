/* Steps of an optimiser that are handed a function with the forward and the backward pass (a
 * closure: LBFGS, and every step of PyTorch Lightning). torch.optim draws its range around all of
 * it, and what the function does is no work of the optimiser: it belongs to what is around the
 * step. A step that holds no module and no backward operation stays as it is. */
#include <stdlib.h>

#include "base/list.h"
#include "trace/link.h"
#include "trace/names.h"

typedef struct closure {
    uint64_t process;
    uint64_t start_ns, end_ns; /* of the outermost step */
    uint64_t until_ns;         /* end of the last thing that only its function does; 0: nothing */
} closure;

typedef struct closures {
    closure *steps; /* shape (count), by process and start */
    size_t count, room;
} closures;

static bool is_step(const habitat_operation *o) {
    return name_is_optimizer_step(o->form->name);
}

static bool is_of_function(const habitat_operation *o) {
    return o->forward != HABITAT_NONE || o->form->kind == HABITAT_OPERATION_MODULE ||
           name_is_engine(o->form->name);
}

static uint64_t process_of(const trace_builder *b, const habitat_operation *o) {
    return b->threads[o->form->thread].process;
}

static bool is_outermost_step(const habitat_trace *t, uint32_t i) {
    if (!is_step(&t->operations[i]))
        return false;
    for (i = t->operations[i].parent; i != HABITAT_NONE; i = t->operations[i].parent)
        if (is_step(&t->operations[i]))
            return false;
    return true;
}

static bool is_before(const closure *a, uint64_t process, uint64_t start_ns) {
    return a->process != process ? a->process < process : a->start_ns < start_ns;
}

static int by_start(const void *a, const void *b) {
    const closure *x = a, *y = b;
    return is_before(y, x->process, x->start_ns) - is_before(x, y->process, y->start_ns);
}

static bool collect(const trace_builder *b, closures *c) {
    const habitat_trace *t = b->trace;
    for (uint32_t i = 0; i < t->operation_count; i++) {
        const habitat_operation *o = &t->operations[i];
        if (!is_outermost_step(t, i))
            continue;
        closure *list = list_grow(c->steps, c->count, &c->room, 64, SIZE_MAX, sizeof *list);
        if (!list)
            return false;
        c->steps = list;
        c->steps[c->count++] = (closure){.process = process_of(b, o),
                                         .start_ns = o->start_ns,
                                         .end_ns = o->start_ns + o->duration_ns};
    }
    if (c->count)
        qsort(c->steps, c->count, sizeof *c->steps, by_start);
    return true;
}

/* The step of its process during which an operation begins, in whatever thread: autograd has its
 * own. */
static closure *step_around(const trace_builder *b, const closures *c, const habitat_operation *o) {
    uint64_t process = process_of(b, o);
    size_t after = 0;
    LIST_FIRST_NOT(after, c->count, is_before(&c->steps[middle], process, o->start_ns + 1));
    closure *s = after ? &c->steps[after - 1] : NULL;
    return s && s->process == process && o->start_ns < s->end_ns ? s : NULL;
}

static void find_ends(const trace_builder *b, const closures *c) {
    const habitat_trace *t = b->trace;
    for (size_t i = 0; i < t->operation_count; i++) {
        const habitat_operation *o = &t->operations[i];
        closure *s = is_of_function(o) ? step_around(b, c, o) : NULL;
        uint64_t end_ns = o->start_ns + o->duration_ns;
        if (s && end_ns > s->until_ns)
            s->until_ns = end_ns;
    }
}

/* What is around a step and the steps around that. */
static uint32_t outside_steps(const habitat_trace *t, uint32_t i) {
    while (i != HABITAT_NONE && is_step(&t->operations[i]))
        i = t->operations[i].parent;
    return i;
}

static void take_out(const trace_builder *b, const closures *c) {
    habitat_trace *t = b->trace;
    for (uint32_t i = 0; i < t->operation_count; i++) {
        habitat_operation *o = &t->operations[i];
        if (o->parent == HABITAT_NONE || is_step(o) || !is_step(&t->operations[o->parent]))
            continue;
        const closure *s = step_around(b, c, o);
        if (s && o->start_ns < s->until_ns)
            o->parent = outside_steps(t, o->parent);
    }
}

bool trace_link_closures(trace_builder *b) {
    closures c = {0};
    bool fine = collect(b, &c);
    if (fine && c.count) {
        find_ends(b, &c);
        take_out(b, &c);
    }
    free(c.steps);
    return fine;
}
