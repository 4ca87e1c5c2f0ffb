/* See cpu_points.h. Operations and calls of a thread are sorted by their start: taken together in
 * that order, one that begins before the one before it has ended is inside it. */
#include "replay/cpu_points.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/list.h"
#include "base/quantile.h"
#include "replay/builder.h"
#include "replay/thread_speed.h"
#include "trace/calls.h"

/* Times, as many as it takes. */
typedef struct times {
    double *ns;
    size_t count, capacity;
} times;

/* One thread's: what was not yet met of it, and what is made of that. */
typedef struct thread {
    const habitat_operation *ops;
    const habitat_call *calls;
    size_t op_count, call_count;
    times points; /* starts and ends */
    replay_leaf *leaves;
    size_t leaf_count, leaf_capacity;
} thread;

/* An operation, or a call. */
typedef struct span {
    const char *name;
    uint64_t start_ns, end_ns;
    bool counts, call;
} span;

static bool op_counts(const habitat_operation *op) {
    return op->iteration != HABITAT_NONE && op->form->kind == HABITAT_OPERATION_FRAMEWORK;
}

static bool call_counts(const habitat_call *call) {
    return call->iteration != HABITAT_NONE && !trace_call_waits(call);
}

/* The next one by its start, ranges left out; of two that start together the operation, as calls
 * are inside operations. False where none is left. */
static bool next_span(thread *t, span *out) {
    while (t->op_count && t->ops->form->kind != HABITAT_OPERATION_FRAMEWORK)
        t->ops++, t->op_count--;
    if (t->op_count && (!t->call_count || t->ops->start_ns <= t->calls->start_ns)) {
        const habitat_operation *op = t->ops++;
        t->op_count--;
        *out = (span){op->form->name, op->start_ns, op->start_ns + op->duration_ns, op_counts(op),
                      false};
        return true;
    }
    if (!t->call_count)
        return false;
    const habitat_call *call = t->calls++;
    t->call_count--;
    *out = (span){call->form->name, call->start_ns, call->start_ns + call->duration_ns,
                  call_counts(call), true};
    return true;
}

static bool add(times *list, double value) {
    double *ns =
        list_grow_by_half(list->ns, list->count, &list->capacity, 64, SIZE_MAX, sizeof *ns);
    if (!ns)
        return false;
    list->ns = ns;
    ns[list->count++] = value;
    return true;
}

static bool add_leaf(thread *t, const span *s) {
    replay_leaf *leaves = list_grow_by_half(t->leaves, t->leaf_count, &t->leaf_capacity, 64,
                                            SIZE_MAX, sizeof *leaves);
    if (!leaves)
        return false;
    t->leaves = leaves;
    leaves[t->leaf_count++] = (replay_leaf){s->name, (double)(s->end_ns - s->start_ns)};
    return true;
}

/* Points and leaves of a thread. */
static bool walk(thread *t, replay_cpu_points *out) {
    span s, after;
    bool fine = true;
    for (bool any = next_span(t, &s), more = false; fine && any; any = more, s = after) {
        more = next_span(t, &after);
        if (!s.counts)
            continue;
        out->call_count += s.call;
        out->any_operation |= !s.call;
        fine = add(&t->points, (double)s.start_ns) && add(&t->points, (double)s.end_ns) &&
               ((more && after.start_ns < s.end_ns) || add_leaf(t, &s));
    }
    return fine;
}

/* The times between neighbouring points of a thread, were its core all its own. */
static bool add_steps(const thread *t, times *steps) {
    double share = 1.0;
    bool fine = replay_thread_speed(t->leaves, t->leaf_count, &share);
    habitat_sort_numbers(t->points.ns, t->points.count);
    for (size_t i = 1; fine && i < t->points.count; i++)
        fine = add(steps, share * (t->points.ns[i] - t->points.ns[i - 1]));
    return fine;
}

/* Takes the first thread's operations and calls off the two lists. */
static thread take_thread(const habitat_operation **ops, size_t *op_count,
                          const habitat_call **calls, size_t *call_count) {
    thread t = {.ops = *ops, .calls = *calls};
    uint32_t number = !*op_count || (*call_count && (*calls)->form->thread < (*ops)->form->thread)
                          ? (*calls)->form->thread
                          : (*ops)->form->thread;
    for (; *op_count && (*ops)->form->thread == number; ++*ops, --*op_count)
        t.op_count++;
    for (; *call_count && (*calls)->form->thread == number; ++*calls, --*call_count)
        t.call_count++;
    return t;
}

/* Of a thread's operations; `all` are those of the trace. */
static size_t count_outermost(const habitat_operation *all, const thread *t) {
    size_t count = 0;
    for (size_t i = 0; i < t->op_count; i++) {
        uint32_t parent = t->ops[i].parent;
        count += op_counts(&t->ops[i]) &&
                 (parent == HABITAT_NONE || all[parent].form->kind != HABITAT_OPERATION_FRAMEWORK);
    }
    return count;
}

static bool asks_gpu(const habitat_call *calls, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (calls[i].iteration != HABITAT_NONE && replay_is_seen(&calls[i]))
            return true;
    return false;
}

habitat_status replay_cpu_points_of(const habitat_trace *trace, replay_cpu_points *out,
                                    habitat_error *err) {
    size_t op_count = 0, call_count = 0;
    const habitat_operation *ops = habitat_trace_operations(trace, &op_count);
    const habitat_call *calls = habitat_trace_calls(trace, &call_count);
    const habitat_operation *all = ops;
    replay_cpu_points made = {0};
    times steps = {0};
    bool fine = true, any_asks = asks_gpu(calls, call_count);
    while (fine && (op_count || call_count)) {
        thread t = take_thread(&ops, &op_count, &calls, &call_count);
        if (any_asks && !asks_gpu(t.calls, t.call_count))
            continue;
        made.outermost_count += count_outermost(all, &t);
        fine = walk(&t, &made) && add_steps(&t, &steps);
        made.point_count += t.points.count;
        free(t.points.ns);
        free(t.leaves);
    }
    habitat_sort_numbers(steps.ns, steps.count);
    if (steps.count)
        made.usual_ns = habitat_quantile(steps.ns, steps.count, 0.5);
    free(steps.ns);
    if (!fine)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    *out = made;
    return HABITAT_OK;
}
