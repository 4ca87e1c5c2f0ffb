/* Points of a recorded iteration in the order of their time: where outermost operations begin and
 * end, calls that the GPU sees, the ends of those that wait, kernels. */
#include <stdlib.h>

#include "base/error.h"
#include "replay/builder.h"

static bool is_seen(habitat_call_kind kind) {
    return kind != HABITAT_CALL_OTHER && kind != HABITAT_CALL_ALLOCATE && kind != HABITAT_CALL_FREE;
}

bool replay_waits_gpu(const habitat_call *call) {
    return call->form->kind == HABITAT_CALL_SYNCHRONISE_DEVICE ||
           call->form->kind == HABITAT_CALL_SYNCHRONISE_STREAM ||
           call->form->kind == HABITAT_CALL_SYNCHRONISE_EVENT;
}

static bool launches(const habitat_call *call) {
    return call->form->kind == HABITAT_CALL_LAUNCH ||
           call->form->kind == HABITAT_CALL_LAUNCH_GRAPH || call->form->kind == HABITAT_CALL_COPY ||
           call->form->kind == HABITAT_CALL_SET;
}

/* Where nothing marks iterations, the wait behind the last launch is the profiler's own, or the
 * program's end. */
static uint64_t last_launch(const replay_builder *b) {
    uint64_t last = 0;
    if (habitat_trace_get_info(b->w->trace)->iterations_by != HABITAT_ITERATIONS_WHOLE)
        return UINT64_MAX;
    for (size_t i = 0; i < b->call_count; i++)
        if (launches(&b->calls[i]) && b->calls[i].start_ns > last)
            last = b->calls[i].start_ns;
    return last;
}

static bool is_outside(const replay_builder *b, const habitat_call *call) {
    return call->operation == HABITAT_NONE ||
           b->ops[call->operation].form->kind == HABITAT_OPERATION_RANGE;
}

/* Which calls have points. Of a call inside another only the outer counts. */
static void find_owners(replay_builder *b) {
    uint32_t outer = HABITAT_NONE;
    uint64_t last = last_launch(b);
    for (uint32_t i = 0; i < b->call_count; i++) {
        const habitat_call *c = &b->calls[i];
        b->owner[i] = HABITAT_NONE;
        if (c->iteration == HABITAT_NONE || !is_seen(c->form->kind) ||
            (replay_waits_gpu(c) && c->start_ns > last && is_outside(b, c)))
            continue;
        bool within = outer != HABITAT_NONE && b->calls[outer].form->thread == c->form->thread &&
                      c->start_ns < b->calls[outer].start_ns + b->calls[outer].duration_ns;
        outer = within ? outer : i;
        b->owner[i] = outer;
    }
}

static bool is_outermost(const replay_builder *b, const habitat_operation *o) {
    return o->form->kind != HABITAT_OPERATION_RANGE && o->iteration != HABITAT_NONE &&
           (o->parent == HABITAT_NONE || b->ops[o->parent].form->kind == HABITAT_OPERATION_RANGE);
}

static void put(replay_graph *g, replay_kind kind, uint64_t at_ns, uint32_t index, uint32_t place) {
    if (g->nodes)
        g->nodes[g->node_count] = (replay_node){at_ns, index, place, 0, kind, 0.0};
    g->node_count++;
}

static void put_operations(replay_builder *b) {
    uint64_t until = 0;
    uint32_t thread = HABITAT_NONE;
    for (uint32_t i = 0; i < b->op_count; i++) {
        const habitat_operation *o = &b->ops[i];
        uint64_t end = o->start_ns + o->duration_ns;
        if (!is_outermost(b, o) || (o->form->thread == thread && o->start_ns < until))
            continue;
        put(b->graph, REPLAY_SEGMENT_BEGIN, o->start_ns, i, o->form->thread);
        put(b->graph, REPLAY_SEGMENT_END, end, i, o->form->thread);
        until = end;
        thread = o->form->thread;
    }
}

/* A kernel never comes before its launch, whatever the clocks say. */
static uint64_t kernel_time(const replay_builder *b, uint32_t own) {
    const habitat_kernel *k = b->own[own].kernel;
    uint64_t at = k->start_ns + b->own[own].waiting_ns;
    if (k->call != HABITAT_NONE && b->calls[k->call].start_ns >= at)
        at = b->calls[k->call].start_ns + 1;
    return at;
}

/* First counts, then (with room for them) writes. */
static void put_all(replay_builder *b) {
    replay_graph *g = b->graph;
    size_t iterations = 0;
    const habitat_iteration *marks = habitat_trace_iterations(b->w->trace, &iterations);
    g->node_count = 0;
    put(g, REPLAY_BEGIN, marks[0].start_ns, HABITAT_NONE, 0);
    put_operations(b);
    for (uint32_t i = 0; i < b->call_count; i++) {
        const habitat_call *c = &b->calls[i];
        if (b->owner[i] != i)
            continue;
        put(g, REPLAY_CALL, c->start_ns, i, c->form->thread);
        if (replay_waits_gpu(c))
            put(g, REPLAY_WAKE, c->start_ns + c->duration_ns, i, c->form->thread);
    }
    for (uint32_t i = 0; i < b->own_count; i++)
        put(g, REPLAY_KERNEL, kernel_time(b, i), i, b->slot[i]);
    const habitat_iteration *last = &marks[iterations - 1];
    put(g, REPLAY_END, last->start_ns + last->duration_ns, HABITAT_NONE, 0);
}

typedef struct keyed {
    replay_node node;
    uint32_t serial;
} keyed;

/* The beginning first and the end last; of equal times in the order in which they were put. */
static int by_time(const void *x, const void *y) {
    const keyed *a = x, *b = y;
    int from_a = (a->node.kind == REPLAY_END) - (a->node.kind == REPLAY_BEGIN);
    int from_b = (b->node.kind == REPLAY_END) - (b->node.kind == REPLAY_BEGIN);
    if (from_a != from_b)
        return from_a - from_b;
    if (a->node.at_ns != b->node.at_ns)
        return a->node.at_ns < b->node.at_ns ? -1 : 1;
    return a->serial < b->serial ? -1 : a->serial > b->serial;
}

static bool sort_points(replay_graph *g) {
    keyed *all = malloc(g->node_count * sizeof *all);
    if (!all)
        return false;
    for (size_t i = 0; i < g->node_count; i++)
        all[i] = (keyed){g->nodes[i], (uint32_t)i};
    qsort(all, g->node_count, sizeof *all, by_time);
    for (size_t i = 0; i < g->node_count; i++)
        g->nodes[i] = all[i].node;
    free(all);
    return true;
}

/* A trace that says "whole" begins with the first thing its CPU did and ends with the last. */
static void bound_whole(replay_builder *b) {
    replay_graph *g = b->graph;
    uint64_t first = UINT64_MAX, last = 0;
    bool whole = habitat_trace_get_info(b->w->trace)->iterations_by == HABITAT_ITERATIONS_WHOLE;
    for (size_t i = 0; i < g->node_count; i++) {
        const replay_node *n = &g->nodes[i];
        if (n->kind == REPLAY_KERNEL || n->kind == REPLAY_BEGIN || n->kind == REPLAY_END)
            continue;
        uint64_t until = n->at_ns;
        if (n->kind == REPLAY_CALL && !replay_waits_gpu(&b->calls[n->index]))
            until += b->calls[n->index].duration_ns;
        first = n->at_ns < first ? n->at_ns : first;
        last = until > last ? until : last;
        g->has_cpu = true;
    }
    replay_node *begin = &g->nodes[0], *end = &g->nodes[g->node_count - 1];
    if (g->has_cpu && (whole || first < begin->at_ns))
        begin->at_ns = first;
    if (g->has_cpu && (whole || last > end->at_ns))
        end->at_ns = last;
}

habitat_status replay_points(replay_builder *b, habitat_error *err) {
    replay_graph *g = b->graph;
    find_owners(b);
    put_all(b);
    if (g->node_count >= REPLAY_CARRY)
        return habitat_fail(err, HABITAT_E_RANGE, "more events than can be replayed");
    g->nodes = calloc(g->node_count + 1, sizeof *g->nodes);
    if (!g->nodes)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    put_all(b);
    bound_whole(b);
    if (!sort_points(g))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    return HABITAT_OK;
}
