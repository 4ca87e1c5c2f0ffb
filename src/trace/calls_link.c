/* Linking of calls: the kernels each launched, the operation each lies in, and what each waits for.
 * Sorts of nearly sorted things and sweeps, as in link.c. */
#include "trace/link.h"

#include <stdlib.h>

#include "trace/sort.h"

/* --- calls by their correlation ------------------------------------------------------------- */

/* A call that has a correlation. */
typedef struct correlated {
    uint64_t correlation;
    uint64_t start_ns;
    uint32_t call;
} correlated;

/* Sorted by (correlation, start). */
typedef struct call_index {
    const habitat_call *calls;
    correlated *entries;
    size_t count;
} call_index;

static bool entry_before(const void *context, uint32_t a, uint32_t b) {
    const correlated *x = (const correlated *)context + a;
    const correlated *y = (const correlated *)context + b;
    if (x->correlation != y->correlation)
        return x->correlation < y->correlation;
    return x->start_ns < y->start_ns;
}

static bool call_before(const void *context, uint32_t a, uint32_t b) {
    const habitat_call *x = (const habitat_call *)context + a;
    const habitat_call *y = (const habitat_call *)context + b;
    if (x->thread != y->thread)
        return x->thread < y->thread;
    return x->start_ns < y->start_ns;
}

/* Sort an array in place. `spare` holds one element. */
static bool sort_array(void *array, size_t element_bytes, size_t count, sort_before before,
                       void *spare) {
    if (!count)
        return true;
    uint32_t *order = malloc(count * sizeof *order);
    bool fine = order && sort_order(order, count, before, array);
    if (fine)
        sort_apply(array, element_bytes, order, count, spare);
    free(order);
    return fine;
}

static bool index_calls(const habitat_trace *t, call_index *index) {
    correlated spare;
    *index = (call_index){t->calls, NULL, 0};
    if (!t->call_count)
        return true;
    index->entries = malloc(t->call_count * sizeof *index->entries);
    if (!index->entries)
        return false;
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].correlation)
            index->entries[index->count++] =
                (correlated){t->calls[i].correlation, t->calls[i].start_ns, (uint32_t)i};
    return sort_array(index->entries, sizeof spare, index->count, entry_before, &spare);
}

/* First entry with this correlation or a later one. */
static size_t lower_entry(const call_index *index, uint64_t correlation) {
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->entries[middle].correlation < correlation)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* First entry of [low, high) (one correlation, sorted by start) that starts after `time`. */
static size_t after_time(const correlated *entries, size_t low, size_t high, uint64_t time) {
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (entries[middle].start_ns <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of a call of the driver's and the runtime's around it, the outer. */
static uint32_t outer_call(const call_index *index, size_t at, size_t first) {
    uint32_t found = index->entries[at].call;
    if (at == first)
        return found;
    const habitat_call *inner = &index->calls[found];
    const habitat_call *outer = &index->calls[index->entries[at - 1].call];
    bool around = inner->driver && !outer->driver && outer->thread == inner->thread &&
                  outer->start_ns + outer->duration_ns >= inner->start_ns;
    return around ? index->entries[at - 1].call : found;
}

/* The call with this correlation that something at `time` came from, or HABITAT_NONE. Where
 * processes share a file a correlation can occur several times: the last one before that time is
 * meant. */
static uint32_t call_of(const call_index *index, uint64_t correlation, uint64_t time) {
    size_t first = correlation ? lower_entry(index, correlation) : index->count;
    if (first == index->count || index->entries[first].correlation != correlation)
        return HABITAT_NONE;
    size_t end = first + 1;
    if (end < index->count && index->entries[end].correlation == correlation)
        end = correlation == UINT64_MAX ? index->count : lower_entry(index, correlation + 1);
    size_t at = after_time(index->entries, first, end, time);
    if (at == first)
        return index->entries[first].call; /* clocks disagree a little: the nearest one */
    return outer_call(index, at - 1, first);
}

/* --- what calls wait for -------------------------------------------------------------------- */

static void know(uint32_t *field, uint32_t value) {
    if (value != HABITAT_NONE)
        *field = value;
}

/* The call that put the event there for which `wait` waits, or HABITAT_NONE. `records`: what was
 * noted of such calls, sorted by pair. */
static uint32_t recorded_by(const trace_builder *b, const call_index *index, const trace_wait *wait,
                            const uint32_t *records, size_t count) {
    if (wait->record)
        return call_of(index, wait->record, wait->time_ns);
    size_t low = 0, high = wait->pair ? count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (b->waits[records[middle]].pair < wait->pair)
            low = middle + 1;
        else
            high = middle;
    }
    if (!wait->pair || low == count || b->waits[records[low]].pair != wait->pair)
        return HABITAT_NONE;
    return call_of(index, b->waits[records[low]].correlation, wait->time_ns);
}

static void follow_wait(trace_builder *b, const call_index *index, const trace_wait *wait,
                        const uint32_t *records, size_t count) {
    habitat_trace *t = b->trace;
    uint32_t at = call_of(index, wait->correlation, wait->time_ns);
    if (at == HABITAT_NONE) { /* its call was not recorded: nobody can say who waited */
        t->info.trace_skipped_events++;
        return;
    }
    habitat_call *call = &t->calls[at];
    know(&call->device, wait->device);
    know(&call->stream, wait->stream);
    know(&call->event, wait->event);
    if (wait->records)
        return;
    know(&call->waits_stream, wait->on_stream);
    call->waits_call = recorded_by(b, index, wait, records, count);
    if (call->waits_call == HABITAT_NONE)
        return;
    habitat_call *record = &t->calls[call->waits_call];
    know(&record->stream, wait->on_stream);
    know(&record->event, wait->event);
    know(&call->waits_stream, record->stream);
}

static bool record_before(const void *context, uint32_t a, uint32_t b) {
    const trace_wait *x = (const trace_wait *)context + a, *y = (const trace_wait *)context + b;
    if (x->records != y->records)
        return x->records;
    return x->pair < y->pair;
}

/* Calls that put events into streams first, so that what waits for them finds their streams. */
static bool follow_waits(trace_builder *b, const call_index *index) {
    size_t records = 0;
    if (!b->wait_count)
        return true;
    uint32_t *order = malloc(b->wait_count * sizeof *order);
    bool fine = order && sort_order(order, b->wait_count, record_before, b->waits);
    for (size_t i = 0; fine && i < b->wait_count; i++)
        records += b->waits[i].records;
    for (size_t i = 0; fine && i < b->wait_count; i++)
        follow_wait(b, index, &b->waits[order[i]], order, records);
    free(order);
    return fine;
}

/* --- operations around calls ---------------------------------------------------------------- */

static bool holds_call(const habitat_operation *o, const habitat_call *c) {
    return o->form->thread == c->thread && o->start_ns + o->duration_ns > c->start_ns;
}

/* What is open on the thread that a sweep has come to. */
typedef struct open_operations {
    uint32_t next;      /* first one that has not started */
    uint32_t operation; /* innermost that is no range */
    uint32_t any;       /* innermost of all */
} open_operations;

/* Go on to where a call begins. */
static void advance(const habitat_trace *t, const habitat_call *c, open_operations *open) {
    for (; open->next < t->operation_count; open->next++) {
        const habitat_operation *o = &t->operations[open->next];
        if (o->form->thread > c->thread ||
            (o->form->thread == c->thread && o->start_ns > c->start_ns))
            break;
        open->any = open->next;
        if (o->form->kind != HABITAT_OPERATION_RANGE)
            open->operation = open->next;
    }
    while (open->any != HABITAT_NONE && !holds_call(&t->operations[open->any], c))
        open->any = t->operations[open->any].parent;
    while (open->operation != HABITAT_NONE && !holds_call(&t->operations[open->operation], c))
        open->operation = trace_outwards(t, open->operation);
}

/* Innermost operation of each call, or range where there is no operation, in one sweep over calls
 * and operations in the order of (thread, time). */
static void find_operations(habitat_trace *t) {
    open_operations open = {0, HABITAT_NONE, HABITAT_NONE};
    for (size_t i = 0; i < t->call_count; i++) {
        habitat_call *c = &t->calls[i];
        advance(t, c, &open);
        c->operation = open.operation != HABITAT_NONE ? open.operation : open.any;
    }
}

/* --- kernels -------------------------------------------------------------------------------- */

static void launched_by(habitat_trace *t, habitat_kernel *k, uint32_t at) {
    habitat_call *c = &t->calls[at];
    k->call = at;
    k->launch_thread = c->thread;
    k->launch_start_ns = c->start_ns;
    k->launch_duration_ns = c->duration_ns;
    k->in_graph |= c->kind == HABITAT_CALL_LAUNCH_GRAPH;
    c->kernel_count++;
}

static void link_kernels(habitat_trace *t, const call_index *index) {
    for (size_t i = 0; i < t->kernel_count; i++) {
        habitat_kernel *k = &t->kernels[i];
        uint32_t at = call_of(index, k->correlation, k->start_ns);
        if (at == HABITAT_NONE)
            t->info.trace_unlinked_kernels++;
        else
            launched_by(t, k, at);
    }
}

/* Device and stream of what it launched, where that is one. */
static void learn_stream(habitat_call *c, const habitat_kernel *k, bool first) {
    if (first) {
        c->device = k->form->device;
        c->stream = k->form->stream;
        return;
    }
    if (c->device != k->form->device)
        c->device = c->stream = HABITAT_NONE;
    if (c->stream != k->form->stream)
        c->stream = HABITAT_NONE;
}

/* Each call's kernels, in the order of kernels. */
static bool list_kernels(habitat_trace *t) {
    uint32_t *place = t->call_kernels = malloc((t->kernel_count + 1) * sizeof *place);
    if (!place)
        return false;
    for (size_t i = 0; i < t->call_count; i++) {
        habitat_call *c = &t->calls[i];
        c->kernels = place;
        place += c->kernel_count;
        c->kernel_count = 0; /* counted again below */
    }
    for (size_t i = 0; i < t->kernel_count; i++) {
        const habitat_kernel *k = &t->kernels[i];
        if (k->call == HABITAT_NONE)
            continue;
        habitat_call *c = &t->calls[k->call];
        t->call_kernels[(size_t)(c->kernels - t->call_kernels) + c->kernel_count] = (uint32_t)i;
        learn_stream(c, k, c->kernel_count++ == 0);
    }
    return true;
}

/* --- all together --------------------------------------------------------------------------- */

bool trace_link_calls(trace_builder *b) {
    habitat_trace *t = b->trace;
    habitat_call spare;
    call_index index;
    if (!sort_array(t->calls, sizeof spare, t->call_count, call_before, &spare))
        return false;
    bool fine = index_calls(t, &index);
    if (fine) {
        link_kernels(t, &index);
        find_operations(t);
        fine = list_kernels(t) && follow_waits(b, &index);
    }
    free(index.entries);
    return fine;
}
