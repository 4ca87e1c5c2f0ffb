/* Linking of calls: the kernels each launched, the operation each lies in, and what each waits for.
 * Sorts of nearly sorted things and sweeps, as in link_all.c. */
#include "trace/link.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "trace/sort.h"

/* --- calls by their correlation ------------------------------------------------------------- */

/* Calls sorted by (correlation, start): first those that have none. */
typedef struct call_index {
    const habitat_call *calls;
    uint32_t *order;
    size_t first, count; /* those with a correlation: order[first, count) */
    size_t near;         /* where the last one was found: the next is often the one behind it */
} call_index;

static bool correlation_before(const void *context, uint32_t a, uint32_t b) {
    const habitat_call *x = (const habitat_call *)context + a;
    const habitat_call *y = (const habitat_call *)context + b;
    if (x->correlation != y->correlation)
        return x->correlation < y->correlation;
    return x->start_ns < y->start_ns;
}

static bool call_before(const void *context, uint32_t a, uint32_t b) {
    const habitat_call *x = (const habitat_call *)context + a;
    const habitat_call *y = (const habitat_call *)context + b;
    if (x->form->thread != y->form->thread)
        return x->form->thread < y->form->thread;
    return x->start_ns < y->start_ns;
}

static const habitat_call *call_at(const call_index *index, size_t at) {
    return &index->calls[index->order[at]];
}

static bool index_calls(const habitat_trace *t, call_index *index) {
    *index = (call_index){.calls = t->calls, .count = t->call_count};
    if (!t->call_count)
        return true;
    index->order = malloc(t->call_count * sizeof *index->order);
    if (!index->order || !sort_order(index->order, t->call_count, correlation_before, t->calls))
        return false;
    while (index->first < index->count && !call_at(index, index->first)->correlation)
        index->first++;
    index->near = index->first;
    return true;
}

/* First place of [first, count) with this correlation or a later one, looked for around `near` in
 * steps that double. */
static size_t lower_place(const call_index *index, uint64_t correlation, size_t near) {
    size_t low = index->first, high = index->count, step = 1;
    if (near < high && call_at(index, near)->correlation < correlation) {
        for (low = near + 1; low + step < high; step *= 2) {
            if (call_at(index, low + step)->correlation >= correlation)
                high = low + step;
            else
                low += step + 1;
        }
    } else if (near < high) {
        for (high = near; high > low + step; step *= 2) {
            if (call_at(index, high - step)->correlation < correlation)
                low = high - step + 1;
            else
                high -= step;
        }
    }
    LIST_FIRST_NOT(low, high, call_at(index, middle)->correlation < correlation);
    return low;
}

/* First place of [low, high) (one correlation, sorted by start) that starts after `time`. */
static size_t after_time(const call_index *index, size_t low, size_t high, uint64_t time) {
    LIST_FIRST_NOT(low, high, call_at(index, middle)->start_ns <= time);
    return low;
}

/* Of a call of the driver's and the runtime's around it, the outer. */
static uint32_t outer_call(const call_index *index, size_t at, size_t first) {
    if (at == first)
        return index->order[at];
    const habitat_call *inner = call_at(index, at), *outer = call_at(index, at - 1);
    bool around = inner->form->driver && !outer->form->driver &&
                  outer->form->thread == inner->form->thread &&
                  outer->start_ns + outer->duration_ns >= inner->start_ns;
    return index->order[around ? at - 1 : at];
}

/* The call with this correlation that something at `time` came from, or HABITAT_NONE. Where
 * processes share a file a correlation can occur several times: the last one before that time is
 * meant. */
static uint32_t call_of(call_index *index, uint64_t correlation, uint64_t time) {
    size_t first = correlation ? lower_place(index, correlation, index->near) : index->count;
    if (first == index->count || call_at(index, first)->correlation != correlation)
        return HABITAT_NONE;
    index->near = first;
    size_t end = first + 1;
    if (end < index->count && call_at(index, end)->correlation == correlation)
        end = correlation == UINT64_MAX ? index->count : lower_place(index, correlation + 1, end);
    size_t at = after_time(index, first, end, time);
    if (at == first)
        return index->order[first]; /* clocks disagree a little: the nearest one */
    return outer_call(index, at - 1, first);
}

/* --- what calls wait for -------------------------------------------------------------------- */

static void know(uint32_t *field, uint32_t value) {
    if (value != HABITAT_NONE)
        *field = value;
}

/* Give a call its device and stream: another form, of which a trace has few. */
static bool set_place(habitat_trace *t, habitat_call *c, uint32_t device, uint32_t stream) {
    habitat_call_form form;
    if (c->form->device == device && c->form->stream == stream)
        return true;
    memcpy(&form, c->form, sizeof form); /* to its last byte: forms are compared so */
    form.device = device;
    form.stream = stream;
    const habitat_call_form *stored = trace_store_form(t, &form, sizeof form);
    if (stored)
        c->form = stored;
    return stored != NULL;
}

static bool know_place(habitat_trace *t, habitat_call *c, uint32_t device, uint32_t stream) {
    uint32_t on = c->form->device, in = c->form->stream;
    know(&on, device);
    know(&in, stream);
    return set_place(t, c, on, in);
}

/* What is being noted of calls: at most two for each wait. */
typedef struct wait_notes {
    trace_builder *b;
    call_index *index;
    uint32_t *note_of;       /* shape (call_count): index of its note, or HABITAT_NONE */
    const uint32_t *records; /* shape (record_count): waits that put an event, sorted by pair */
    size_t record_count;
} wait_notes;

static habitat_call_wait *note_of(wait_notes *n, uint32_t call) {
    habitat_trace *t = n->b->trace;
    uint32_t *at = &n->note_of[call];
    if (*at == HABITAT_NONE) {
        *at = (uint32_t)t->call_wait_count++;
        t->call_waits[*at] = (habitat_call_wait){call, HABITAT_NONE, HABITAT_NONE, HABITAT_NONE};
    }
    return &t->call_waits[*at];
}

/* The call that put the event there for which `wait` waits, or HABITAT_NONE. */
static uint32_t recorded_by(const wait_notes *n, const trace_wait *wait) {
    const trace_wait *all = n->b->waits;
    if (wait->record)
        return call_of(n->index, wait->record, wait->time_ns);
    size_t low = 0;
    LIST_FIRST_NOT(low, wait->pair ? n->record_count : 0,
                   all[n->records[middle]].pair < wait->pair);
    if (!wait->pair || low == n->record_count || all[n->records[low]].pair != wait->pair)
        return HABITAT_NONE;
    return call_of(n->index, all[n->records[low]].correlation, wait->time_ns);
}

static bool follow_wait(wait_notes *n, const trace_wait *wait) {
    habitat_trace *t = n->b->trace;
    uint32_t at = call_of(n->index, wait->correlation, wait->time_ns);
    if (at == HABITAT_NONE) { /* its call was not recorded: nobody can say who waited */
        t->info.trace_skipped_events++;
        return true;
    }
    habitat_call_wait *note = note_of(n, at);
    know(&note->event, wait->event);
    if (!know_place(t, &t->calls[at], wait->device, wait->stream))
        return false;
    if (wait->records)
        return true;
    know(&note->waits_stream, wait->on_stream);
    note->waits_call = recorded_by(n, wait);
    if (note->waits_call == HABITAT_NONE)
        return true;
    habitat_call *record = &t->calls[note->waits_call];
    know(&note_of(n, note->waits_call)->event, wait->event);
    if (!know_place(t, record, HABITAT_NONE, wait->on_stream))
        return false;
    know(&note->waits_stream, record->form->stream);
    return true;
}

static int by_call(const void *a, const void *b) {
    const habitat_call_wait *x = a, *y = b;
    return x->call < y->call ? -1 : x->call > y->call;
}

/* In the order of calls, without those that say nothing. */
static void settle_notes(habitat_trace *t) {
    size_t kept = 0;
    if (t->call_wait_count)
        qsort(t->call_waits, t->call_wait_count, sizeof *t->call_waits, by_call);
    for (size_t i = 0; i < t->call_wait_count; i++) {
        const habitat_call_wait *note = &t->call_waits[i];
        if (note->event != HABITAT_NONE || note->waits_stream != HABITAT_NONE ||
            note->waits_call != HABITAT_NONE)
            t->call_waits[kept++] = *note;
    }
    t->call_wait_count = kept;
}

static bool record_before(const void *context, uint32_t a, uint32_t b) {
    const trace_wait *x = (const trace_wait *)context + a, *y = (const trace_wait *)context + b;
    if (x->records != y->records)
        return x->records;
    return x->pair < y->pair;
}

static bool begin_notes(wait_notes *n) {
    habitat_trace *t = n->b->trace;
    n->note_of = malloc((t->call_count + 1) * sizeof *n->note_of);
    t->call_waits = malloc(2 * n->b->wait_count * sizeof *t->call_waits);
    for (size_t i = 0; n->note_of && i < t->call_count; i++)
        n->note_of[i] = HABITAT_NONE;
    return n->note_of && t->call_waits;
}

/* Calls that put events into streams first, so that what waits for them finds their streams. */
static bool follow_waits(trace_builder *b, call_index *index) {
    if (!b->wait_count)
        return true;
    uint32_t *order = malloc(b->wait_count * sizeof *order);
    wait_notes n = {.b = b, .index = index, .records = order};
    bool fine =
        order && sort_order(order, b->wait_count, record_before, b->waits) && begin_notes(&n);
    for (size_t i = 0; fine && i < b->wait_count; i++)
        n.record_count += b->waits[i].records;
    for (size_t i = 0; fine && i < b->wait_count; i++)
        fine = follow_wait(&n, &b->waits[order[i]]);
    if (fine)
        settle_notes(b->trace);
    free(order);
    free(n.note_of);
    return fine;
}

/* --- operations around calls ---------------------------------------------------------------- */

static bool holds_call(const habitat_operation *o, const habitat_call *c) {
    return o->form->thread == c->form->thread && o->start_ns + o->duration_ns > c->start_ns;
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
        if (o->form->thread > c->form->thread ||
            (o->form->thread == c->form->thread && o->start_ns > c->start_ns))
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
    k->in_graph |= c->form->kind == HABITAT_CALL_LAUNCH_GRAPH;
    c->kernel_count++;
}

/* No call: its correlation, which linked kernels share with theirs, is kept for itself. */
static bool keep_loose(habitat_trace *t, size_t kernel, uint64_t correlation) {
    t->info.trace_unlinked_kernels++;
    if (!correlation)
        return true;
    trace_loose *loose =
        trace_add((void **)&t->loose, &t->loose_count, &t->loose_capacity, sizeof *t->loose);
    if (loose)
        *loose = (trace_loose){correlation, (uint32_t)kernel};
    return loose != NULL;
}

/* Correlations count launches: one below those of all calls of its process was given before any of
 * them was recorded. `process`: the bits that tell processes apart. */
static bool is_earlier(const call_index *index, uint64_t correlation, uint64_t process) {
    size_t at = lower_place(index, correlation, index->first);
    uint64_t own = correlation & process;
    bool below = at < index->count && (call_at(index, at)->correlation & process) == own;
    bool above = at > index->first && (call_at(index, at - 1)->correlation & process) == own;
    return below && !above;
}

/* A CPU runs ahead of its GPU: when a recording begins, kernels of the step before are still to
 * come, and are recorded without their calls. Where a call is missing among recorded ones, others
 * may be missing that were the first: then nothing is told apart. */
static void find_earlier(habitat_trace *t, const call_index *index, uint64_t process) {
    bool all = t->loose_count && t->info.trace_unlinked_kernels < t->kernel_count;
    for (size_t i = 0; all && i < t->loose_count; i++)
        all = is_earlier(index, t->loose[i].correlation, process);
    for (size_t i = 0; all && i < t->loose_count; i++)
        t->kernels[t->loose[i].kernel].earlier = true;
}

static bool link_kernels(habitat_trace *t, call_index *index) {
    for (size_t i = 0; i < t->kernel_count; i++) {
        habitat_kernel *k = &t->kernels[i];
        uint64_t correlation = trace_get_correlation(k);
        uint32_t at = call_of(index, correlation, k->start_ns);
        k->iteration = k->call = HABITAT_NONE;
        if (at != HABITAT_NONE)
            launched_by(t, k, at);
        else if (!keep_loose(t, i, correlation))
            return false;
    }
    return true;
}

/* Device and stream of what it launched, where that is one. */
static bool learn_stream(habitat_trace *t, habitat_call *c, const habitat_kernel *k, bool first) {
    uint32_t device = k->form->device, stream = k->form->stream;
    if (first)
        return set_place(t, c, device, stream);
    if (c->form->device != device)
        return set_place(t, c, HABITAT_NONE, HABITAT_NONE);
    return c->form->stream == stream || set_place(t, c, device, HABITAT_NONE);
}

/* Each call's kernels, in the order of kernels. */
static bool list_kernels(habitat_trace *t) {
    uint32_t place = 0;
    t->call_kernels = malloc((t->kernel_count + 1) * sizeof *t->call_kernels);
    if (!t->call_kernels)
        return false;
    for (size_t i = 0; i < t->call_count; i++) {
        habitat_call *c = &t->calls[i];
        c->first_kernel = place;
        place += c->kernel_count;
        c->kernel_count = 0; /* counted again below */
    }
    for (size_t i = 0; i < t->kernel_count; i++) {
        const habitat_kernel *k = &t->kernels[i];
        if (k->call == HABITAT_NONE)
            continue;
        habitat_call *c = &t->calls[k->call];
        t->call_kernels[c->first_kernel + c->kernel_count] = (uint32_t)i;
        if (!learn_stream(t, c, k, c->kernel_count++ == 0))
            return false;
    }
    return true;
}

/* --- all together --------------------------------------------------------------------------- */

bool trace_link_calls(trace_builder *b) {
    habitat_trace *t = b->trace;
    habitat_call spare;
    call_index index;
    if (!sort_elements(t->calls, sizeof spare, t->call_count, call_before, &spare))
        return false;
    bool fine = index_calls(t, &index) && link_kernels(t, &index);
    if (fine) {
        find_earlier(t, &index, b->correlation_bits ? ~b->correlation_bits : 0);
        find_operations(t);
        fine = list_kernels(t) && follow_waits(b, &index);
    }
    free(index.order);
    trace_drop_waits(b);
    return fine;
}
