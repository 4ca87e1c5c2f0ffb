/* Where the CPU did nothing that the trace names: no operation or call begins or ends on any
 * thread, but those that are apart (cpu.c), and no call is open. Such a pause is the data loader's,
 * a file's, a sleep's; the profiler does not stretch it, and another host or precision does not
 * shorten it. Inside an operation that launches it is that operation's work; a call that takes so
 * long blocks. Either is left out where it happens once (first_use.c): then it sets the GPU or a
 * library up. */
#include "base/constants_replay.h"
#include "base/letter.h"
#include "base/list.h"
#include "replay/builder.h"

static const char loader_word[] = "dataloader"; /* in the names of PyTorch's and of Lightning's */

static bool is_loader(const char *name) {
    for (; *name; name++) {
        size_t i = 0;
        while (loader_word[i] && letter_lower(name[i]) == loader_word[i])
            i++;
        if (!loader_word[i])
            return true;
    }
    return false;
}

/* What is open on a thread: an operation, or a call. */
typedef struct open {
    uint64_t end_ns;
    uint32_t operation; /* HABITAT_NONE: a call */
    bool loader;
} open;

enum { DEPTH_MOST = 1024 }; /* deeper ones are not looked into */

typedef struct thread_walk {
    replay_builder *b;
    size_t op, op_end, call, call_end; /* not yet met */
    uint64_t last_ns;                  /* the latest point */
    uint32_t loaders, calls;           /* open */
    size_t depth;
    open stack[DEPTH_MOST];
    replay_pauses *out;
} thread_walk;

static bool add_pause(replay_pauses *all, replay_pause made) {
    replay_pause *grown =
        list_grow(all->list, all->count, &all->capacity, 16, SIZE_MAX, sizeof *grown);
    if (!grown)
        return false;
    all->list = grown;
    all->list[all->count++] = made;
    return true;
}

static uint64_t least_ns(bool loader) {
    return (uint64_t)(loader ? chosen_replay_loader_ns : chosen_replay_pause_ns);
}

static bool pause_until(thread_walk *t, uint64_t now) {
    uint64_t from = t->last_ns;
    t->last_ns = now > from ? now : from;
    if (t->calls || now <= from || now - from < least_ns(true))
        return true;
    replay_pause made = {.from_ns = from, .to_ns = now, .operation = HABITAT_NONE};
    made.loader = t->loaders > 0;
    if (t->depth)
        made.operation = t->stack[t->depth - 1].operation;
    return add_pause(t->out, made);
}

static bool close_until(thread_walk *t, uint64_t now) {
    bool fine = true;
    while (fine && t->depth && t->stack[t->depth - 1].end_ns <= now) {
        const open *top = &t->stack[t->depth - 1];
        fine = pause_until(t, top->end_ns);
        t->loaders -= top->loader;
        t->calls -= top->operation == HABITAT_NONE;
        t->depth--;
    }
    return fine;
}

static bool enter(thread_walk *t, uint64_t start_ns, open made) {
    bool fine = close_until(t, start_ns) && pause_until(t, start_ns);
    if (t->depth == DEPTH_MOST)
        return fine;
    if (t->depth && made.end_ns > t->stack[t->depth - 1].end_ns)
        made.end_ns = t->stack[t->depth - 1].end_ns;
    t->loaders += made.loader;
    t->calls += made.operation == HABITAT_NONE;
    t->stack[t->depth++] = made;
    return fine;
}

static bool next_operation(thread_walk *t) {
    uint32_t i = (uint32_t)t->op++;
    const habitat_operation *o = &t->b->ops[i];
    bool loader = is_loader(o->form->name);
    if (o->form->kind != HABITAT_OPERATION_FRAMEWORK && !loader)
        return true;
    return enter(t, o->start_ns, (open){o->start_ns + o->duration_ns, i, loader});
}

static bool next_call(thread_walk *t) {
    const habitat_call *c = &t->b->calls[t->call++];
    return enter(t, c->start_ns, (open){c->start_ns + c->duration_ns, HABITAT_NONE, false});
}

/* Pauses of one thread, from the beginning of the iterations to their end. */
static bool walk(thread_walk *t) {
    const replay_graph *g = t->b->graph;
    bool fine = true;
    while (fine && (t->op < t->op_end || t->call < t->call_end)) {
        bool call = t->op == t->op_end || (t->call < t->call_end && t->b->calls[t->call].start_ns <
                                                                        t->b->ops[t->op].start_ns);
        fine = call ? next_call(t) : next_operation(t);
    }
    return fine && close_until(t, g->end_ns) && pause_until(t, g->end_ns);
}

/* ---- of all threads together ---- */

/* Pauses that two threads share; both lists are sorted and their pauses apart. */
static bool share(const replay_pauses *x, const replay_pauses *y, replay_pauses *out) {
    bool fine = true;
    for (size_t i = 0, j = 0; fine && i < x->count && j < y->count;) {
        const replay_pause *p = &x->list[i], *q = &y->list[j];
        const replay_pause *named = q->operation == HABITAT_NONE || p->loader ? p : q;
        replay_pause made = *named;
        made.loader = p->loader || q->loader;
        made.from_ns = p->from_ns > q->from_ns ? p->from_ns : q->from_ns;
        made.to_ns = p->to_ns < q->to_ns ? p->to_ns : q->to_ns;
        if (made.to_ns > made.from_ns && made.to_ns - made.from_ns >= least_ns(true))
            fine = add_pause(out, made);
        p->to_ns < q->to_ns ? i++ : j++;
    }
    return fine;
}

static void find_thread(const replay_builder *b, uint32_t thread, thread_walk *t) {
    while (t->op_end < b->op_count && b->ops[t->op_end].form->thread <= thread)
        t->op_end++;
    while (t->call_end < b->call_count && b->calls[t->call_end].form->thread <= thread)
        t->call_end++;
}

static bool pauses_of_all(replay_builder *b, replay_pauses *all) {
    size_t op = 0, call = 0;
    bool fine = true, any = false;
    thread_walk *t = malloc(sizeof *t);
    for (uint32_t i = 0; fine && t && i < b->thread_count; i++) {
        replay_pauses own = {0}, both = {0};
        *t = (thread_walk){.b = b, .op = op, .op_end = op, .call = call, .call_end = call};
        t->last_ns = b->graph->begin_ns;
        t->out = &own;
        find_thread(b, i, t);
        bool has = !b->threads[i].apart && (t->op_end > op || t->call_end > call);
        op = t->op_end;
        call = t->call_end;
        fine = !has || (walk(t) && (!any || share(all, &own, &both)));
        if (has) {
            replay_pauses kept = any ? both : own;
            free(any ? own.list : NULL);
            free(all->list);
            *all = kept;
            any = true;
        }
    }
    fine = fine && t;
    free(t);
    return fine;
}

/* ---- what they are ---- */

/* Before the GPU was first asked for work, in a trace without marks, a program sets itself up. */
static uint64_t first_launch(const replay_builder *b) {
    uint64_t first = UINT64_MAX;
    if (!replay_is_unmarked(b))
        return 0;
    for (size_t i = 0; i < b->call_count; i++)
        if (b->calls[i].kernel_count && b->calls[i].start_ns < first)
            first = b->calls[i].start_ns;
    return first;
}

static bool is_of_gpu(const replay_builder *b, const replay_pause *p) {
    return !p->loader && p->operation != HABITAT_NONE && b->ops[p->operation].kernel_count;
}

static replay_slow slow_operation(const replay_builder *b, const replay_pause *p) {
    const habitat_operation *o = &b->ops[p->operation];
    return (replay_slow){o->form->name, p->from_ns, p->to_ns - p->from_ns, o->iteration};
}

static replay_slow slow_call(const habitat_call *c) {
    return (replay_slow){c->form->name, c->start_ns, c->duration_ns, c->iteration};
}

static bool happens_once(const replay_builder *b, const replay_pause *p, uint64_t first_ns) {
    if (p->loader || p->to_ns <= first_ns)
        return !p->loader;
    replay_slow s = {0};
    if (is_of_gpu(b, p))
        s = slow_operation(b, p);
    return s.name && replay_operation_is_once(b, p->operation, &s);
}

static void note_once(replay_builder *b, uint64_t from, uint64_t to, const char *name) {
    double ns = (double)(to - from);
    b->info->trace_once_ms += ns / HABITAT_NS_PER_MS;
    b->info->once_count++;
    if (ns > b->longest_once_ns) {
        b->longest_once_ns = ns;
        b->info->once_name = name;
    }
}

/* The time of a call that blocks stays as recorded. */
static void note_blocks(replay_builder *b, const habitat_call *c) {
    if ((double)c->duration_ns <= b->longest_block_ns)
        return;
    b->longest_block_ns = (double)c->duration_ns;
    b->info->blocking_name = c->form->name;
}

/* Far more than the profiler adds to an operation, too short to set anything up: it is what the
 * operation does on the CPU. */
static bool is_work(const replay_pause *p) {
    double ns = (double)(p->to_ns - p->from_ns);
    return !p->loader && p->operation != HABITAT_NONE && ns >= chosen_replay_operation_ns &&
           ns < chosen_replay_pause_ns;
}

/* A pause without a name is only known where operations, and waits for the GPU, are recorded. */
static void classify(replay_builder *b, replay_pauses *all) {
    uint64_t first_ns = first_launch(b);
    bool known = b->waits_recorded && b->op_count;
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        replay_pause p = all->list[i];
        p.data =
            p.loader || (known && p.operation != HABITAT_NONE && replay_is_data(b, p.operation));
        if (known && is_work(&p) && p.from_ns >= first_ns) {
            b->graph->slow_work_ns += (double)(p.to_ns - p.from_ns);
            p.within = p.data;
            if (p.data)
                all->list[kept++] = p;
        }
        if (p.to_ns - p.from_ns < least_ns(p.loader) || (!p.loader && !known))
            continue;
        p.once = happens_once(b, &p, first_ns);
        if (!p.once && is_of_gpu(b, &p)) {
            b->graph->slow_work_ns += (double)(p.to_ns - p.from_ns);
            continue;
        }
        b->info->loader_waits |= p.loader;
        b->info->outside_waits |= !p.once && !p.loader;
        if (p.once)
            note_once(b, p.from_ns, p.to_ns,
                      p.operation == HABITAT_NONE ? "the start of the program"
                                                  : b->ops[p.operation].form->name);
        all->list[kept++] = p;
    }
    all->count = kept;
}

/* Calls that only ask, set or allocate, sorted by thread and time. */
static bool asks(const habitat_call *c) {
    habitat_call_kind kind = c->form->kind;
    return c->iteration != HABITAT_NONE &&
           (kind == HABITAT_CALL_OTHER || kind == HABITAT_CALL_ALLOCATE ||
            kind == HABITAT_CALL_FREE);
}

static bool add_calls(replay_builder *b) {
    uint64_t first_ns = first_launch(b);
    bool fine = true;
    for (uint32_t i = 0; fine && i < b->call_count; i++) {
        const habitat_call *c = &b->calls[i];
        uint64_t end_ns = c->start_ns + c->duration_ns;
        if (!asks(c) || c->duration_ns < least_ns(false))
            continue;
        replay_slow s = slow_call(c);
        bool once = end_ns <= first_ns || replay_call_is_once(b, &s);
        if (once)
            note_once(b, c->start_ns, end_ns, c->form->name);
        else
            note_blocks(b, c);
        fine = add_pause(&b->slow_calls, (replay_pause){.from_ns = c->start_ns,
                                                        .to_ns = end_ns,
                                                        .operation = i,
                                                        .thread = c->form->thread,
                                                        .once = once});
    }
    return fine;
}

static bool note_all_slow(replay_builder *b) {
    bool fine = true;
    for (size_t i = 0; fine && i < b->pauses.count; i++)
        if (is_of_gpu(b, &b->pauses.list[i]))
            fine = replay_note_slow(b, slow_operation(b, &b->pauses.list[i]));
    for (size_t i = 0; fine && i < b->call_count; i++)
        if (asks(&b->calls[i]) || b->calls[i].form->kind == HABITAT_CALL_LAUNCH)
            fine = replay_note_slow(b, slow_call(&b->calls[i]));
    return fine;
}

bool replay_find_pauses(replay_builder *b) {
    if (!b->graph->has_cpu)
        return true;
    if (!pauses_of_all(b, &b->pauses) || !note_all_slow(b) || !add_calls(b))
        return false;
    classify(b, &b->pauses);
    return true;
}

/* ---- what of a way they are ---- */

static double overlap(const replay_pause *p, uint64_t from, uint64_t to) {
    uint64_t begin = p->from_ns > from ? p->from_ns : from;
    uint64_t end = p->to_ns < to ? p->to_ns : to;
    return end > begin ? (double)(end - begin) : 0.0;
}

double replay_first_use(replay_builder *b, const habitat_call *launch) {
    double ns = (double)launch->duration_ns - b->usual_launch_ns;
    if (launch->form->kind != HABITAT_CALL_LAUNCH || ns < chosen_replay_pause_ns)
        return 0.0;
    replay_slow s = slow_call(launch);
    if (replay_recurs(b, &s))
        return 0.0;
    note_once(b, 0, (uint64_t)ns, launch->form->name);
    return ns;
}

replay_split replay_split_way(const replay_builder *b, uint32_t thread, uint64_t from,
                              uint64_t to) {
    replay_split out = {0};
    const replay_pauses *all = &b->pauses, *slow = &b->slow_calls;
    size_t at = 0;
    LIST_FIRST_NOT(at, all->count, all->list[middle].to_ns <= from);
    for (; at < all->count && all->list[at].from_ns < to; at++) {
        const replay_pause *p = &all->list[at];
        double ns = overlap(p, from, to);
        if (p->data && !p->once)
            *(p->within ? &out.data_work_ns : &out.data_wait_ns) += ns;
        if (!p->within)
            *(p->once ? &out.once_ns : &out.wait_ns) += ns;
    }
    at = 0;
    LIST_FIRST_NOT(at, slow->count,
                   slow->list[middle].thread < thread ||
                       (slow->list[middle].thread == thread && slow->list[middle].to_ns <= from));
    for (; at < slow->count && slow->list[at].thread == thread && slow->list[at].from_ns < to; at++)
        *(slow->list[at].once ? &out.once_ns : &out.wait_ns) += overlap(&slow->list[at], from, to);
    return out;
}
