/* Points of a recorded iteration in the order of their time: where outermost operations begin and
 * end, calls that the GPU sees, the ends of those that wait, kernels. */
#include <stdlib.h>

#include "base/error.h"
#include "replay/builder.h"
#include "trace/calls.h"
#include "trace/sort.h"

bool replay_is_seen(const habitat_call *call) {
    habitat_call_kind kind = call->form->kind;
    return kind != HABITAT_CALL_OTHER && kind != HABITAT_CALL_ALLOCATE && kind != HABITAT_CALL_FREE;
}

static bool launches(const habitat_call *call) {
    return call->form->kind == HABITAT_CALL_LAUNCH ||
           call->form->kind == HABITAT_CALL_LAUNCH_GRAPH || call->form->kind == HABITAT_CALL_COPY ||
           call->form->kind == HABITAT_CALL_SET;
}

bool replay_is_unmarked(const replay_builder *b) {
    habitat_iterations_by by = habitat_trace_get_info(b->w->trace)->iterations_by;
    return by == HABITAT_ITERATIONS_WHOLE || by == HABITAT_ITERATIONS_COUNTED;
}

/* Where nothing marks iterations, the wait behind the last launch is the profiler's own, or the
 * program's end. */
static uint64_t last_launch(const replay_builder *b) {
    uint64_t last = 0;
    if (!replay_is_unmarked(b))
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
        if (c->iteration == HABITAT_NONE || !replay_is_seen(c) ||
            (trace_call_waits(c) && c->start_ns > last && is_outside(b, c)))
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

static void put(replay_graph *g, replay_kind kind, uint32_t index, uint32_t place) {
    if (g->nodes)
        g->nodes[g->node_count] = (replay_node){
            .index = index, .kind = (unsigned)kind & 7, .place = place & REPLAY_PLACE_MOST};
    g->node_count++;
}

static void put_operations(replay_builder *b) {
    uint64_t until = 0;
    uint32_t thread = HABITAT_NONE;
    for (uint32_t i = 0; i < b->op_count; i++) {
        const habitat_operation *o = &b->ops[i];
        if (!is_outermost(b, o) || (o->form->thread == thread && o->start_ns < until))
            continue;
        put(b->graph, REPLAY_SEGMENT_BEGIN, i, o->form->thread);
        put(b->graph, REPLAY_SEGMENT_END, i, o->form->thread);
        until = o->start_ns + o->duration_ns;
        thread = o->form->thread;
    }
}

/* First counts, then (with room for them) writes. */
static void put_all(replay_builder *b) {
    replay_graph *g = b->graph;
    g->node_count = 0;
    put(g, REPLAY_BEGIN, HABITAT_NONE, 0);
    put_operations(b);
    for (uint32_t i = 0; i < b->call_count; i++) {
        const habitat_call *c = &b->calls[i];
        if (b->owner[i] != i)
            continue;
        put(g, REPLAY_CALL, i, c->form->thread);
        if (trace_call_waits(c))
            put(g, REPLAY_WAKE, i, c->form->thread);
    }
    for (uint32_t i = 0; i < b->own_count; i++)
        put(g, REPLAY_KERNEL, i, b->slot[i]);
    put(g, REPLAY_END, HABITAT_NONE, 0);
}

/* ---- when they were ---- */

/* A kernel never comes before its launch, whatever the clocks say. */
static uint64_t kernel_time(const habitat_workload_kernel *own, const habitat_call *calls) {
    const habitat_kernel *k = own->kernel;
    uint64_t at = k->start_ns + own->waiting_ns;
    if (k->call != HABITAT_NONE && calls[k->call].start_ns >= at)
        at = calls[k->call].start_ns + 1;
    return at;
}

static uint64_t time_of(const replay_graph *g, const habitat_operation *ops,
                        const habitat_call *calls, const habitat_workload_kernel *own,
                        const replay_node *n) {
    switch (n->kind) {
    case REPLAY_BEGIN:
        return g->begin_ns;
    case REPLAY_SEGMENT_BEGIN:
        return ops[n->index].start_ns;
    case REPLAY_SEGMENT_END:
        return ops[n->index].start_ns + ops[n->index].duration_ns;
    case REPLAY_CALL:
        return calls[n->index].start_ns;
    case REPLAY_WAKE:
        return calls[n->index].start_ns + calls[n->index].duration_ns;
    case REPLAY_KERNEL:
        return kernel_time(&own[n->index], calls);
    default:
        return g->end_ns;
    }
}

uint64_t replay_point_ns(const replay_builder *b, const replay_node *n) {
    return time_of(b->graph, b->ops, b->calls, b->own, n);
}

uint64_t replay_recorded_ns(const habitat_workload *w, const replay_graph *g,
                            const replay_node *n) {
    size_t count = 0;
    const habitat_operation *ops = habitat_trace_operations(w->trace, &count);
    const habitat_call *calls = habitat_trace_calls(w->trace, &count);
    return time_of(g, ops, calls, habitat_workload_kernels(w, &count), n);
}

/* Of nodes behind the beginning. */
static bool is_before(const void *context, uint32_t x, uint32_t y) {
    const replay_builder *b = context;
    const replay_node *nodes = b->graph->nodes + 1;
    return replay_point_ns(b, &nodes[x]) < replay_point_ns(b, &nodes[y]);
}

/* The beginning first and the end last; of equal times in the order in which they were put. */
static bool sort_points(replay_builder *b) {
    replay_graph *g = b->graph;
    replay_node spare;
    size_t count = g->node_count - 2;
    uint32_t *order = malloc((count + 1) * sizeof *order);
    bool fine = order && sort_order(order, count, is_before, b);
    if (fine)
        sort_apply(g->nodes + 1, sizeof spare, order, count, &spare);
    free(order);
    return fine;
}

/* A trace without marks begins with the first thing its CPU did and ends with the last. */
static void set_bounds(replay_builder *b) {
    replay_graph *g = b->graph;
    uint64_t first = UINT64_MAX, last = 0;
    size_t iterations = 0;
    const habitat_iteration *marks = habitat_trace_iterations(b->w->trace, &iterations);
    bool whole = replay_is_unmarked(b);
    for (size_t i = 1; i + 1 < g->node_count; i++) {
        const replay_node *n = &g->nodes[i];
        if (n->kind == REPLAY_KERNEL)
            continue;
        uint64_t at = replay_point_ns(b, n), until = at;
        if (n->kind == REPLAY_CALL && !trace_call_waits(&b->calls[n->index]))
            until += b->calls[n->index].duration_ns;
        first = at < first ? at : first;
        last = until > last ? until : last;
        g->has_cpu = true;
    }
    g->begin_ns = marks[0].start_ns;
    g->end_ns = marks[iterations - 1].start_ns + marks[iterations - 1].duration_ns;
    if (g->has_cpu && (whole || first < g->begin_ns))
        g->begin_ns = first;
    if (g->has_cpu && (whole || last > g->end_ns))
        g->end_ns = last;
}

habitat_status replay_points(replay_builder *b, habitat_error *err) {
    replay_graph *g = b->graph;
    find_owners(b);
    put_all(b);
    if (g->node_count >= REPLAY_CARRY || b->thread_count > REPLAY_PLACE_MOST)
        return habitat_fail(err, HABITAT_E_RANGE, "more events than can be replayed");
    g->nodes = calloc(g->node_count + 1, sizeof *g->nodes);
    if (!g->nodes)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    put_all(b);
    set_bounds(b);
    if (!sort_points(b))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    return HABITAT_OK;
}
