/* Events in two parts, B and E: an E ends the innermost B of its name and thread (of a kernel: of
 * its device and stream) that is still open, and where it has no name, or none of that name is
 * open, the innermost. Where they are not in order of time, nobody can say which belong together.
 */
#include "trace/link.h"
#include "trace/reader.h"

static trace_open *room_for_one(trace_builder *b) {
    uint32_t at = b->open_free;
    if (at == HABITAT_NONE || !b->opens)
        return trace_add((void **)&b->opens, &b->open_total, &b->open_capacity, sizeof *b->opens);
    b->open_free = b->opens[at].around;
    return &b->opens[at];
}

static int out_of_order(reader *r) {
    return reader_bad_event(r, HABITAT_E_RANGE, "ts",
                            "is before that of an event of its thread that is open (\"ph\" B and E "
                            "have to come in order of time)");
}

int pair_begin(reader *r, uint32_t thread, trace_open_kind kind, size_t index) {
    trace_builder *b = r->b;
    if (thread == HABITAT_NONE)
        return reader_stop_memory(r);
    uint32_t around = b->threads[thread].open;
    const trace_open *outer = around == HABITAT_NONE ? NULL : &b->opens[around];
    uint64_t start_ns = r->e.time.value;
    if (outer && outer->kind != OPEN_SKIPPED && kind != OPEN_SKIPPED && start_ns < outer->start_ns)
        return out_of_order(r);
    const char *name = event_name(r);
    trace_open *open = name ? room_for_one(b) : NULL;
    if (!open)
        return reader_stop_memory(r);
    *open = (trace_open){name, start_ns, (uint32_t)index, around, kind};
    b->threads[thread].open = (uint32_t)(open - b->opens);
    return 1;
}

static int close_operation(reader *r, habitat_operation *o, uint64_t duration_ns) {
    o->duration_ns = duration_ns;
    if (o->form->kind == HABITAT_OPERATION_RANGE &&
        !trace_add_range(r->b, o->form->name, o->start_ns, duration_ns))
        return reader_stop_memory(r);
    return 1;
}

static int close_event(reader *r, const trace_open *open) {
    habitat_trace *t = r->b->trace;
    uint64_t duration_ns = r->e.time.value - open->start_ns;
    switch (open->kind) {
    case OPEN_OPERATION:
        return close_operation(r, &t->operations[open->index], duration_ns);
    case OPEN_KERNEL:
        t->kernels[open->index].duration_ns = duration_ns;
        return 1;
    case OPEN_CALL:
        t->calls[open->index].duration_ns = duration_ns;
        return 1;
    default:
        t->info.trace_skipped_events++;
        return 1;
    }
}

/* Where the number of the B event that this E ends stands: in `threads` or in another B event. */
static uint32_t *find_begin(reader *r, uint32_t thread, const char *name) {
    trace_builder *b = r->b;
    uint32_t *innermost = &b->threads[thread].open;
    for (uint32_t *at = innermost; *name && *at != HABITAT_NONE; at = &b->opens[*at].around)
        if (b->opens[*at].name == name)
            return at;
    return innermost;
}

int pair_end(reader *r, uint32_t thread) {
    trace_builder *b = r->b;
    const char *name = event_name(r);
    if (thread == HABITAT_NONE || !name)
        return reader_stop_memory(r);
    uint32_t *link = find_begin(r, thread, name), at = *link;
    if (at == HABITAT_NONE) { /* it began before the recording did */
        b->trace->info.trace_skipped_events++;
        return 1;
    }
    const trace_open open = b->opens[at];
    uint64_t end_ns = r->e.time.value;
    if (open.kind != OPEN_SKIPPED && end_ns < open.start_ns)
        return out_of_order(r);
    if (open.kind != OPEN_SKIPPED && end_ns - open.start_ns > TRACE_DURATION_LIMIT_NS)
        return reader_bad_event(r, HABITAT_E_RANGE, "ts",
                                "ends an event absurdly long after it began");
    *link = open.around;
    b->opens[at].around = b->open_free;
    b->open_free = at;
    return close_event(r, &open);
}

/* Operations that never ended tell nothing: they are left out. */
static void drop_open_operations(habitat_trace *t) {
    size_t kept = 0;
    for (size_t i = 0; i < t->operation_count; i++)
        if (t->operations[i].duration_ns != UINT64_MAX)
            t->operations[kept++] = t->operations[i];
    t->info.trace_skipped_events += t->operation_count - kept;
    t->operation_count = kept;
}

habitat_status trace_finish_pairs(trace_builder *b, habitat_error *err) {
    habitat_trace *t = b->trace;
    bool operations = false;
    for (size_t i = 0; i < b->thread_count; i++)
        for (uint32_t at = b->threads[i].open; at != HABITAT_NONE; at = b->opens[at].around) {
            const trace_open *open = &b->opens[at];
            operations |= open->kind == OPEN_OPERATION;
            if (open->kind == OPEN_KERNEL || open->kind == OPEN_CALL)
                return habitat_fail_at(
                    err, HABITAT_E_FORMAT, t->info.file, UINT64_MAX, 0,
                    "the event \"%.60s\" begins (\"ph\" B) and never ends: how long it takes is "
                    "not known; record it again, or remove that event",
                    open->kind == OPEN_KERNEL ? t->kernels[open->index].form->name
                                              : t->calls[open->index].form->name);
        }
    if (operations)
        drop_open_operations(t);
    return HABITAT_OK;
}
