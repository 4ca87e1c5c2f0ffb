/* Backward operations and the forward operations they belong to.
 *
 * PyTorch numbers the autograd nodes that a thread creates; a forward operation records the number
 * that its node will get, its node's backward call records the same number and the thread. Several
 * forward operations can carry one number: those nested in each other, and those before that made
 * no node. The one that made it is in the last chain; in it the outermost whose name is that of the
 * node ("ConvolutionBackward0": aten::convolution), else the outermost. */
#include "trace/link.h"

#include <stdlib.h>
#include <string.h>

#include "base/letter.h"
#include "base/list.h"
#include "trace/sort.h"

enum { CHAIN_MAX = 64 }; /* deeper nesting of one number is not looked through */

static bool is_backward(const habitat_operation *o) {
    trace_node node = trace_get_node(o);
    return node.numbered && node.backward && o->form->kind != HABITAT_OPERATION_RANGE;
}

static bool is_forward(const habitat_operation *o) {
    trace_node node = trace_get_node(o);
    return node.numbered && !node.backward && o->form->kind == HABITAT_OPERATION_FRAMEWORK;
}

static uint64_t sequence_of(const habitat_operation *o) {
    return trace_get_node(o).sequence;
}

/* Neither may have one. */
static bool has_same_number(const habitat_operation *a, const habitat_operation *b) {
    trace_node x = trace_get_node(a), y = trace_get_node(b);
    return x.numbered == y.numbered && x.sequence == y.sequence;
}

/* The forward operation that was found. The field of that name holds the autograd number until all
 * are found, so it is kept where kernels will be counted. */
static uint32_t *found_of(habitat_operation *o) {
    return &o->kernel_count;
}

/* Forward operations with a sequence number, sorted by (sequence, thread, start). */
typedef struct forwards {
    const habitat_operation *operations;
    uint32_t *index;
    size_t count;
} forwards;

static bool forward_before(const void *context, uint32_t a, uint32_t b) {
    const habitat_operation *o = context;
    uint64_t first = sequence_of(&o[a]), second = sequence_of(&o[b]);
    return first != second ? first < second : a < b; /* operations are sorted by (thread, start) */
}

static bool collect(const habitat_trace *t, forwards *f) {
    *f = (forwards){t->operations, NULL, 0};
    size_t count = 0;
    for (size_t i = 0; i < t->operation_count; i++)
        count += is_forward(&t->operations[i]);
    if (!count)
        return true;
    f->index = malloc(count * sizeof *f->index);
    for (size_t i = 0; f->index && i < t->operation_count; i++)
        if (is_forward(&t->operations[i]))
            f->index[f->count++] = (uint32_t)i;
    if (f->index && sort_indices(f->index, count, forward_before, t->operations))
        return true;
    free(f->index);
    return false;
}

static bool is_before(const habitat_operation *o, uint64_t sequence, uint32_t thread) {
    uint64_t here = sequence_of(o);
    return here < sequence || (here == sequence && o->form->thread < thread);
}

static size_t lower(const forwards *f, uint64_t sequence, uint32_t thread) {
    size_t low = 0;
    LIST_FIRST_NOT(low, f->count, is_before(&f->operations[f->index[middle]], sequence, thread));
    return low;
}

/* Does "aten::_log_softmax" belong to "LogSoftmaxBackward0"? Case and underscores aside. */
static bool same_family(const char *node, const char *operation) {
    const char *colon = strrchr(operation, ':');
    if (colon)
        operation = colon + 1;
    for (;;) {
        while (*operation == '_')
            operation++;
        if (!*operation)
            return !strncmp(node, "Backward", 8);
        if (letter_lower(*node) != letter_lower(*operation))
            return false;
        node++;
        operation++;
    }
}

/* Name of the autograd node in a backward operation's name. */
static const char *node_name(const char *name) {
    const char *colon = strstr(name, "evaluate_function: ");
    if (colon)
        name = colon + strlen("evaluate_function: ");
    const char *last = strrchr(name, ':');
    return last ? last + 1 : name;
}

/* Of the operations [low, high) of one number on one thread, the one that made the node. */
static uint32_t choose(const forwards *f, size_t low, size_t high, const char *node) {
    const habitat_operation *o = f->operations;
    size_t outer = high - 1; /* walk out of the last chain: each lies in the one before it */
    uint32_t named = HABITAT_NONE;
    if (same_family(node, o[f->index[outer]].form->name))
        named = f->index[outer];
    while (outer > low && high - outer < CHAIN_MAX) {
        const habitat_operation *before = &o[f->index[outer - 1]], *inner = &o[f->index[outer]];
        if (before->start_ns + before->duration_ns <= inner->start_ns)
            break;
        outer--;
        if (same_family(node, before->form->name))
            named = f->index[outer];
    }
    return named != HABITAT_NONE ? named : f->index[outer];
}

static uint32_t by_sequence(const forwards *f, const habitat_operation *backward, uint32_t thread) {
    uint64_t sequence = sequence_of(backward);
    size_t low = lower(f, sequence, thread), high = lower(f, sequence, thread + 1);
    return high > low ? choose(f, low, high, node_name(backward->form->name)) : HABITAT_NONE;
}

/* The only thread that has forward operations of this number, or HABITAT_NONE. */
static uint32_t only_thread(const forwards *f, uint64_t sequence) {
    size_t low = lower(f, sequence, 0);
    if (!f->index || low >= f->count || sequence_of(&f->operations[f->index[low]]) != sequence)
        return HABITAT_NONE;
    uint32_t thread = f->operations[f->index[low]].form->thread;
    size_t next = lower(f, sequence, thread + 1);
    bool other = next < f->count && sequence_of(&f->operations[f->index[next]]) == sequence;
    return other ? HABITAT_NONE : thread;
}

/* --- flows: arrows drawn in the trace, which say on which thread the forward pass ran ------- */

static bool flow_before(const void *context, uint32_t a, uint32_t b) {
    const trace_flow *x = (const trace_flow *)context + a, *y = (const trace_flow *)context + b;
    if (x->id != y->id)
        return x->id < y->id;
    return x->finish < y->finish;
}

/* Last operation on the thread that starts at this very time: the innermost. Ranges aside. */
static uint32_t starting_at(const habitat_trace *t, uint32_t thread, uint64_t time_ns) {
    const habitat_operation *all = t->operations;
    size_t low = 0;
    LIST_FIRST_NOT(low, t->operation_count,
                   all[middle].form->thread < thread ||
                       (all[middle].form->thread == thread && all[middle].start_ns <= time_ns));
    for (; low; low--) {
        const habitat_operation *o = &t->operations[low - 1];
        if (o->form->thread != thread || o->start_ns != time_ns)
            return HABITAT_NONE;
        if (o->form->kind != HABITAT_OPERATION_RANGE)
            return (uint32_t)(low - 1);
    }
    return HABITAT_NONE;
}

/* Link one arrow. The forward operation is looked for by number on the arrow's thread, and is the
 * one at the arrow's tail where numbers do not help. */
static void follow(habitat_trace *t, const forwards *f, const trace_flow *tail,
                   const trace_flow *head) {
    uint32_t to = starting_at(t, head->thread, head->time_ns);
    if (to == HABITAT_NONE)
        return;
    uint32_t from = HABITAT_NONE;
    habitat_operation *backward = &t->operations[to];
    if (is_backward(backward))
        from = by_sequence(f, backward, tail->thread);
    if (from == HABITAT_NONE)
        from = starting_at(t, tail->thread, tail->time_ns);
    if (from != HABITAT_NONE && from != to)
        *found_of(backward) = from;
}

static bool follow_flows(trace_builder *b, const forwards *f) {
    if (!b->flow_count)
        return true;
    uint32_t *order = malloc(b->flow_count * sizeof *order);
    if (!order || !sort_order(order, b->flow_count, flow_before, b->flows)) {
        free(order);
        return false;
    }
    for (size_t i = 0; i + 1 < b->flow_count; i++) {
        const trace_flow *tail = &b->flows[order[i]], *head = &b->flows[order[i + 1]];
        if (tail->id == head->id && !tail->finish && head->finish)
            follow(b->trace, f, tail, head);
    }
    free(order);
    return true;
}

/* --- all together -------------------------------------------------------------------------- */

/* Backward operations that no arrow leads to: by their number, where one thread has it. */
static void follow_numbers(habitat_trace *t, const forwards *f) {
    for (size_t i = 0; i < t->operation_count; i++) {
        habitat_operation *o = &t->operations[i];
        uint32_t thread;
        if (*found_of(o) == HABITAT_NONE && is_backward(o) &&
            (thread = only_thread(f, sequence_of(o))) != HABITAT_NONE)
            *found_of(o) = by_sequence(f, o, thread);
    }
}

/* An outer call ("evaluate_function: ...") learns it from the node inside it of the same number,
 * then everything inside a backward operation from what is around it. */
static void spread(habitat_trace *t) {
    for (size_t i = t->operation_count; i-- > 0;) {
        habitat_operation *o = &t->operations[i];
        habitat_operation *parent = o->parent == HABITAT_NONE ? NULL : &t->operations[o->parent];
        if (parent && *found_of(parent) == HABITAT_NONE && *found_of(o) != HABITAT_NONE &&
            is_backward(parent) && has_same_number(parent, o))
            *found_of(parent) = *found_of(o);
    }
    for (size_t i = 0; i < t->operation_count; i++) {
        habitat_operation *o = &t->operations[i];
        if (*found_of(o) == HABITAT_NONE && o->parent != HABITAT_NONE)
            *found_of(o) = *found_of(&t->operations[o->parent]);
    }
}

/* What was found to its place; of the numbers stays whether they are the parent's. Backwards: an
 * operation comes behind its parent, whose number it is compared with. */
static void settle(habitat_trace *t) {
    for (size_t i = t->operation_count; i-- > 0;) {
        habitat_operation *o = &t->operations[i];
        if (o->parent != HABITAT_NONE && has_same_number(&t->operations[o->parent], o))
            t->numbered[i / 8] |= (uint8_t)(1u << i % 8);
        o->forward = *found_of(o);
        o->iteration = HABITAT_NONE;
        *found_of(o) = 0;
    }
}

bool trace_link_forward(trace_builder *b) {
    habitat_trace *t = b->trace;
    forwards f;
    t->numbered = calloc(t->operation_count / 8 + 1, 1);
    if (!t->numbered || !collect(t, &f))
        return false;
    for (size_t i = 0; i < t->operation_count; i++)
        *found_of(&t->operations[i]) = HABITAT_NONE;
    bool fine = follow_flows(b, &f);
    trace_drop_flows(b);
    if (fine) {
        follow_numbers(t, &f);
        spread(t);
        settle(t);
    }
    free(f.index);
    return fine;
}
