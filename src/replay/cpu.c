/* CPU threads: each goes on in order, and one goes on after another where work is handed over.
 *
 * Between two segments (outermost operations) a thread either works on something the profiler does
 * not name, or waits for another thread: the thread that called backward() sleeps until the
 * autograd thread is done. It waited if the others were active for half of that time and more, but
 * for what all of them wait for outside, and then it goes on after what ended last on one of them.
 *
 * A thread that never asks the GPU for anything (one that writes a log, or reads files) is apart:
 * nobody waits for what it does, and it does not end the iteration. Where the others do wait for
 * it, their time stays their own. */
#include "replay/builder.h"
#include "base/constants_replay.h"

void replay_find_apart(replay_builder *b) {
    bool any = false;
    for (size_t i = 0; i < b->thread_count; i++)
        b->threads[i].apart = true;
    for (size_t i = 0; i < b->call_count; i++)
        if (b->owner[i] == i) {
            b->threads[b->calls[i].form->thread].apart = false;
            any = true;
        }
    for (size_t i = 0; i < b->thread_count; i++)
        b->threads[i].apart &= any;
}

/* What all threads have been active until `now`. */
static double active_before(const replay_builder *b, uint64_t now) {
    return (double)b->active_done_ns + (double)b->inside_count * (double)now -
           (double)b->active_starts_ns;
}

static double others_before(const replay_builder *b, const replay_thread *t, uint64_t now) {
    double own = (double)t->active_ns + (t->inside ? (double)(now - t->began_ns) : 0.0);
    return active_before(b, now) - own;
}

static void enter(replay_builder *b, replay_thread *t, uint64_t now) {
    if (t->apart)
        return;
    t->inside = true;
    t->began_ns = now;
    b->inside_count++;
    b->active_starts_ns += now;
}

static void leave(replay_builder *b, uint32_t thread, size_t node, uint64_t now) {
    replay_thread *t = &b->threads[thread];
    if (t->apart) {
        t->others_ns = others_before(b, t, now);
        return;
    }
    b->inside_count--;
    b->active_starts_ns -= t->began_ns;
    b->active_done_ns += now - t->began_ns;
    t->active_ns += now - t->began_ns;
    t->inside = false;
    t->others_ns = others_before(b, t, now);
    if (b->ended_thread[0] != thread) {
        b->ended_node[1] = b->ended_node[0];
        b->ended_thread[1] = b->ended_thread[0];
        b->ended_ns[1] = b->ended_ns[0];
    }
    b->ended_node[0] = (uint32_t)node;
    b->ended_thread[0] = thread;
    b->ended_ns[0] = now;
}

/* A way of the CPU. Waits for something outside are told apart, and what happens once is none. */
static bool pass(replay_builder *b, const replay_thread *t, uint32_t from, uint64_t since,
                 uint64_t now, uint64_t discount_ns) {
    if (now <= since)
        return replay_add_edge(b->graph, from, 0, 0.0);
    replay_split split = replay_split_way(b, (uint32_t)(t - b->threads), since, now);
    double own_ns =
        fmax(0.0, (double)(now - since) - split.wait_ns - split.once_ns - (double)discount_ns);
    replay_side side = {.cpu_ns = own_ns,
                        .wait_ns = split.wait_ns,
                        .data_work_ns = fmin(split.data_work_ns, own_ns),
                        .data_wait_ns = split.data_wait_ns};
    return replay_add_waiting_edge(b->graph, from, 0, side);
}

/* A thread goes on after itself. Where it waited for room in the GPU's queue, that is no work. */
static bool go_on(replay_builder *b, const replay_thread *t, uint64_t now) {
    return pass(b, t, t->last, t->last_ns, now, t->discount_ns);
}

/* How long a thread did nothing that the trace names, while something was going on [ns]. */
static double idle_ns(const replay_builder *b, uint32_t thread, uint64_t since, uint64_t now) {
    if (now <= since)
        return 0.0;
    replay_split split = replay_split_way(b, thread, since, now);
    return (double)(now - since) - split.wait_ns - split.once_ns;
}

/* A segment begins: after the thread's own last point, or where it waited, after another's. */
static bool start_segment(replay_builder *b, uint32_t thread, uint64_t now) {
    replay_thread *t = &b->threads[thread];
    int which = b->ended_thread[0] == thread;
    bool first = t->last == HABITAT_NONE;
    uint64_t since = first ? b->graph->begin_ns : t->last_ns;
    bool other = b->ended_node[which] != HABITAT_NONE && b->ended_ns[which] >= since;
    double others_ns = others_before(b, t, now) - t->others_ns;
    if (other && (first || 2.0 * others_ns >= idle_ns(b, thread, since, now))) {
        b->info->trace_handover_count++;
        return pass(b, t, b->ended_node[which], b->ended_ns[which], now, 0) &&
               (first || replay_add_edge(b->graph, t->last, 0, 0.0));
    }
    if (first)
        return pass(b, t, 0, since, now, 0);
    return go_on(b, t, now);
}

/* The GPU's queue holds about a thousand launches; a launch into a full one waits. Long ones are
 * taken to have waited from half of that on; clock.c asks whether all surely had room, which is
 * another question and number. */
static uint64_t waited_for_queue(const replay_builder *b, const habitat_call *c) {
    if (c->form->kind != HABITAT_CALL_LAUNCH && c->form->kind != HABITAT_CALL_COPY &&
        c->form->kind != HABITAT_CALL_SET)
        return 0;
    bool full = b->launched > b->ended + (size_t)chosen_replay_queue_full;
    double usual = b->usual_launch_ns;
    return full && (double)c->duration_ns > REPLAY_MUCH_LONGER * usual
               ? c->duration_ns - (uint64_t)usual
               : 0;
}

static bool call_point(replay_builder *b, size_t node) {
    const replay_node *n = &b->graph->nodes[node];
    const habitat_call *c = &b->calls[n->index];
    replay_thread *t = &b->threads[n->place];
    while (b->ended < b->own_count &&
           replay_kernel_end(b->own[b->by_end[b->ended]].kernel) <= c->start_ns)
        b->ended++;
    t->last = (uint32_t)node;
    t->last_ns = c->start_ns;
    t->discount_ns = waited_for_queue(b, c);
    if (!t->discount_ns)
        t->discount_ns = (uint64_t)replay_first_use(b, c);
    if (!t->inside)
        t->others_ns = others_before(b, t, c->start_ns);
    b->call_node[n->index] = (uint32_t)node;
    if (c->form->kind == HABITAT_CALL_RECORD_EVENT || c->form->kind == HABITAT_CALL_WAIT_EVENT)
        replay_event(b, n->index);
    return replay_launch(b, n->index);
}

/* The thread that did something last, and is not apart, ends the iteration. */
static bool end_point(replay_builder *b, uint64_t now) {
    const replay_thread *latest = NULL;
    for (size_t i = 0; i < b->thread_count; i++)
        if (b->threads[i].last != HABITAT_NONE && !b->threads[i].apart &&
            (!latest || b->threads[i].last_ns > latest->last_ns))
            latest = &b->threads[i];
    return latest ? go_on(b, latest, now) : replay_add_edge(b->graph, 0, 0, 0.0);
}

bool replay_cpu_point(replay_builder *b, size_t node) {
    const replay_node *n = &b->graph->nodes[node];
    replay_thread *t = &b->threads[n->place];
    uint64_t now = replay_point_ns(b, n);
    bool fine = true;
    if (n->kind == REPLAY_BEGIN)
        return replay_add_edge(b->graph, REPLAY_CARRY, 0, 0.0);
    if (n->kind == REPLAY_END)
        return end_point(b, now);
    if (n->kind == REPLAY_SEGMENT_BEGIN) {
        fine = start_segment(b, n->place, now);
        enter(b, t, now);
    } else if (n->kind == REPLAY_WAKE) {
        fine = replay_wake(b, node);
    } else if (n->kind == REPLAY_CALL && !t->inside) {
        fine = start_segment(b, n->place, now);
    } else {
        fine = go_on(b, t, now);
    }
    if (n->kind == REPLAY_CALL)
        return fine && call_point(b, node);
    t->last = (uint32_t)node;
    t->last_ns = now;
    t->discount_ns = 0;
    if (n->kind == REPLAY_SEGMENT_END)
        leave(b, n->place, node, now);
    return fine;
}
