/* Streams: kernels of one in order; events that make one wait for another; calls in which the CPU
 * waits for them.
 *
 * Which stream an event was put into is often not recorded. Then whoever waits for it waits for
 * what each other stream had been given before the latest event was put anywhere, where the
 * recording shows that this was done in time. */
#include "replay/builder.h"
#include "base/list.h"

enum { CLOCK_SLACK_NS = 1000 };

/* Devices number their streams alike: without its device a number must be that of one stream. */
static uint32_t slot_of_number(const replay_builder *b, uint32_t device, uint32_t number) {
    uint32_t found = HABITAT_NONE;
    for (uint32_t s = 0; number != HABITAT_NONE && s < b->stream_count; s++) {
        bool here = device == HABITAT_NONE || !b->w->all_devices || b->streams[s].device == device;
        if (b->streams[s].number != number || !here)
            continue;
        if (found != HABITAT_NONE)
            return HABITAT_NONE;
        found = s;
    }
    return found;
}

static uint32_t *pending_of(const replay_builder *b, uint32_t stream, uint32_t on) {
    return &b->pending[(size_t)stream * b->stream_count + on];
}

static void wait_for(replay_builder *b, uint32_t stream, uint32_t kernel) {
    uint32_t on = b->slot[kernel];
    if (on == stream)
        return;
    uint32_t *held = pending_of(b, stream, on);
    b->streams[stream].pending_count += *held == HABITAT_NONE;
    *held = kernel; /* of one stream the later one decides */
}

static bool hold(replay_builder *b, uint32_t kernel, uint32_t awaited) {
    if (!b->held_first)
        b->held_first = replay_filled(b->own_count);
    if (!b->held_first)
        return false;
    replay_held *held =
        list_grow(b->held, b->held_count, &b->held_capacity, 256, SIZE_MAX, sizeof *held);
    if (!held)
        return false;
    b->held = held;
    b->held[b->held_count] = (replay_held){awaited, b->held_first[kernel]};
    b->held_first[kernel] = (uint32_t)b->held_count++;
    return true;
}

/* What the kernel's stream was told to wait for before it. */
static bool take_waits(replay_builder *b, uint32_t kernel) {
    uint32_t s = b->slot[kernel];
    bool fine = true;
    if (b->any_pending) {
        for (uint32_t u = 0; u < b->stream_count; u++)
            if (b->snapshot[u] != HABITAT_NONE)
                wait_for(b, s, b->snapshot[u]);
        b->any_pending = 0;
    }
    if (!b->streams[s].pending_count)
        return true;
    for (uint32_t u = 0; fine && u < b->stream_count; u++) {
        uint32_t *awaited = pending_of(b, s, u);
        if (*awaited != HABITAT_NONE)
            fine = hold(b, kernel, *awaited);
        *awaited = HABITAT_NONE;
    }
    b->streams[s].pending_count = 0;
    return fine;
}

static bool launch_all_of(replay_builder *b, uint32_t call) {
    const habitat_call *c = &b->calls[call];
    const uint32_t *kernels = habitat_trace_call_kernels(b->w->trace, c);
    bool fine = true;
    for (uint32_t i = 0; fine && i < c->kernel_count; i++) {
        uint32_t kernel = b->own_of ? b->own_of[kernels[i]] : kernels[i];
        if (kernel == HABITAT_NONE)
            continue;
        fine = take_waits(b, kernel);
        b->streams[b->slot[kernel]].launched = kernel;
        b->launched++;
        if (c->form->kind == HABITAT_CALL_COPY)
            b->threads[c->form->thread].copied_on = b->slot[kernel];
    }
    return fine;
}

/* Calls inside this one follow it in the list. */
bool replay_launch(replay_builder *b, uint32_t call) {
    bool fine = launch_all_of(b, call);
    for (uint32_t i = call + 1; fine && i < b->call_count && b->owner[i] == call; i++) {
        b->call_node[i] = b->call_node[call];
        fine = launch_all_of(b, i);
    }
    return fine;
}

static void record_event(replay_builder *b, uint32_t call) {
    uint32_t s = slot_of_number(b, b->calls[call].form->device, b->calls[call].form->stream);
    for (uint32_t u = 0; u < b->stream_count; u++)
        b->snapshot[u] = b->streams[u].launched;
    if (s != HABITAT_NONE && b->record_kernel)
        b->record_kernel[call] = b->streams[s].launched;
}

void replay_event(replay_builder *b, uint32_t call) {
    const habitat_call *c = &b->calls[call];
    if (c->form->kind == HABITAT_CALL_RECORD_EVENT) {
        record_event(b, call);
        return;
    }
    uint32_t s = slot_of_number(b, c->form->device, c->form->stream);
    if (s == HABITAT_NONE && b->waits_noted) /* the profiler leaves out streams without work */
        return;
    b->info->trace_wait_count++;
    uint32_t record = habitat_trace_call_wait(b->w->trace, call)->waits_call;
    if (s != HABITAT_NONE && record != HABITAT_NONE &&
        b->calls[record].form->stream != HABITAT_NONE) {
        if (b->record_kernel[record] != HABITAT_NONE)
            wait_for(b, s, b->record_kernel[record]);
        return;
    }
    b->info->trace_guessed_waits++;
    if (s == HABITAT_NONE) {
        b->any_pending++;
        return;
    }
    for (uint32_t u = 0; u < b->stream_count; u++)
        if (b->snapshot[u] != HABITAT_NONE)
            wait_for(b, s, b->snapshot[u]);
}

/* Which streams a call waits for: one, or all (HABITAT_NONE). */
static uint32_t awaited_stream(replay_builder *b, uint32_t call) {
    const habitat_call *c = &b->calls[call];
    uint32_t s = HABITAT_NONE;
    if (c->form->kind == HABITAT_CALL_SYNCHRONISE_DEVICE)
        return s;
    s = slot_of_number(b, c->form->device,
                       c->form->kind == HABITAT_CALL_SYNCHRONISE_EVENT
                           ? habitat_trace_call_wait(b->w->trace, call)->waits_stream
                           : c->form->stream);
    if (s == HABITAT_NONE) {
        b->info->trace_guessed_waits++;
        s = b->threads[c->form->thread].copied_on; /* .item(): a copy, and the wait for it */
    }
    return s;
}

/* A device waits for its own streams alone; one that was not noted, for those of all. */
static bool is_awaited(const replay_builder *b, const habitat_call *c, uint32_t one, uint32_t s) {
    bool elsewhere = b->w->all_devices && c->form->device != HABITAT_NONE &&
                     b->streams[s].device != c->form->device;
    return one == HABITAT_NONE ? !elsewhere : s == one;
}

/* The call goes on when all it waits for has been done, and then takes what it took after that. */
bool replay_wake(replay_builder *b, size_t node) {
    const replay_node *n = &b->graph->nodes[node];
    const habitat_call *c = &b->calls[n->index];
    uint32_t one = awaited_stream(b, n->index), from = b->call_node[n->index];
    uint64_t done = c->start_ns, now = replay_point_ns(b, n);
    b->info->trace_wait_count++;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t s = 0; s < b->stream_count; s++) {
            uint32_t kernel = b->streams[s].launched;
            if (!is_awaited(b, c, one, s) || kernel == HABITAT_NONE ||
                b->kernel_node[kernel] == HABITAT_NONE)
                continue;
            uint64_t end = replay_kernel_end(b->own[kernel].kernel);
            if (end > now + CLOCK_SLACK_NS)
                continue; /* the recording shows that it did not wait for this one */
            if (!pass)
                done = end > done ? end : done;
            else if (!replay_add_edge(b->graph, b->kernel_node[kernel], 0,
                                      now > done ? (double)(now - done) : 0.0))
                return false;
        }
    return from == HABITAT_NONE ||
           replay_add_edge(b->graph, from, 0, now > done ? (double)(now - done) : 0.0);
}

/* ---- kernels ---- */

/* What began last on a stream and was done by then; HABITAT_NONE. */
static uint32_t done_by(const replay_builder *b, uint32_t stream, uint64_t now) {
    uint32_t kernels[2] = {b->streams[stream].last, b->streams[stream].last_but_one};
    for (int i = 0; i < 2; i++)
        if (kernels[i] != HABITAT_NONE && replay_kernel_end(b->own[kernels[i]].kernel) <= now)
            return kernels[i];
    return HABITAT_NONE;
}

/* What is known of a kernel's reasons is too little where its launch is not recorded, or stands for
 * many, or where no event or synchronisation is recorded that would say which streams wait; and a
 * collective waits for what the others do meanwhile, if one rank alone is known. Then it goes on
 * after what the other streams had done. */
static bool follow_all(replay_builder *b, uint32_t kernel, uint64_t now) {
    uint32_t found = HABITAT_NONE;
    uint64_t latest = 0;
    for (uint32_t s = 0; s < b->stream_count; s++) {
        uint32_t other = s == b->slot[kernel] ? HABITAT_NONE : done_by(b, s, now);
        if (other == HABITAT_NONE || replay_kernel_end(b->own[other].kernel) < latest)
            continue;
        found = other;
        latest = replay_kernel_end(b->own[other].kernel);
    }
    return found == HABITAT_NONE ||
           replay_add_edge(b->graph, b->kernel_node[found], REPLAY_GAP, 0.0);
}

static bool follow_held(replay_builder *b, uint32_t kernel) {
    bool fine = true;
    const habitat_kernel *k = b->own[kernel].kernel;
    for (uint32_t i = b->held_first ? b->held_first[kernel] : HABITAT_NONE;
         fine && i != HABITAT_NONE; i = b->held[i].next) {
        uint32_t awaited = b->held[i].awaited;
        bool in_time = b->kernel_node[awaited] != HABITAT_NONE &&
                       replay_kernel_end(b->own[awaited].kernel) <= k->start_ns + CLOCK_SLACK_NS;
        if (in_time)
            fine = replay_add_edge(b->graph, b->kernel_node[awaited], REPLAY_GAP, 0.0);
    }
    return fine;
}

static bool follow_launch(replay_builder *b, const habitat_kernel *k) {
    if (k->call == HABITAT_NONE || b->call_node[k->call] == HABITAT_NONE) {
        b->info->trace_unlaunched_count++;
        return true;
    }
    const habitat_call *c = &b->calls[k->call];
    return replay_add_edge(b->graph, b->call_node[k->call], REPLAY_LAUNCH,
                           fmin((double)c->duration_ns, REPLAY_MUCH_LONGER * b->usual_launch_ns));
}

bool replay_kernel(replay_builder *b, size_t node) {
    const replay_node *n = &b->graph->nodes[node];
    const habitat_kernel *k = b->own[n->index].kernel;
    replay_stream *s = &b->streams[n->place];
    bool lone = k->call == HABITAT_NONE || k->in_graph || !b->waits_recorded ||
                (k->form->kind == HABITAT_KERNEL_COLLECTIVE && !b->w->is_rank);
    bool fine = follow_launch(b, k) && follow_held(b, n->index) &&
                (!lone || follow_all(b, n->index, replay_point_ns(b, n)));
    if (fine && s->last != HABITAT_NONE)
        fine = replay_add_edge(b->graph, b->kernel_node[s->last], REPLAY_GAP, 0.0);
    else if (fine && s->state)
        fine = replay_add_edge(b->graph, REPLAY_CARRY | s->state, REPLAY_GAP, 0.0);
    fine = fine && (lone || replay_kernel_room(b, node));
    s->last_but_one = s->last;
    s->last = n->index;
    b->kernel_node[n->index] = (uint32_t)node;
    return fine;
}
