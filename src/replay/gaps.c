/* Pauses on the GPU, taken from the recording: between two kernels of which the second had long
 * been launched; and from a launch to its kernel where nothing else held it up. And of collectives,
 * what of their waiting lies beside other work.
 *
 * Pauses grow with how far the GPU is behind its CPU (1.4 us behind a launch just in time, 2.5 us
 * with hundreds of them waiting). Under the profiler the CPU is slow and the GPU often close behind
 * it; without it a GPU that binds is far behind. So the pauses of kernels launched far ahead count
 * for the others too, where there are enough of them. And they are longer where launched work of
 * other streams waits as well (1.6 and 2.7 us; docs/decisions/0385). */
#include <stdlib.h>

#include "base/constants_replay.h"
#include "base/error.h"
#include "base/list.h"
#include "base/quantile.h"
#include "replay/builder.h"

enum { ENOUGH = 20 };

/* What a recording has a usual value of. A kernel that waited for another stream too is ACROSS; one
 * that was launched far ahead is FAR, and if work of other streams was waiting then, BESIDE too. */
enum { SAME, ACROSS, LATENCY, FAR, BESIDE, KINDS };

typedef struct sample {
    double gap_ns; /* NAN: the recording does not show it */
    double latency_ns;
    bool crosses; /* it waited for another stream too */
    bool far;     /* launched far ahead */
    bool beside;  /* so was work of another stream, and waited */
} sample;

/* Beside what a kernel begins. Shape (node_count) each. */
typedef struct queues {
    int32_t *waiting; /* streams with launched kernels that have not begun, before each node */
    bool *shared; /* a kernel of another stream follows so soon that a CPU far ahead has launched
                     it by then */
} queues;

/* Kernels of a stream begin in the order of their launches: each waits from its launch, or from the
 * beginning of the one before it, until it begins. */
static bool find_waiting(const replay_builder *b, queues *q) {
    const replay_graph *g = b->graph;
    uint32_t *since = calloc(b->stream_count + 1, sizeof *since);
    q->waiting = calloc(g->node_count + 2, sizeof *q->waiting);
    for (size_t i = 0; since && q->waiting && i < g->node_count; i++) {
        const replay_node *n = &g->nodes[i];
        if (n->kind != REPLAY_KERNEL)
            continue;
        for (uint32_t e = n->first_edge; e < n[1].first_edge; e++) {
            if (!(replay_edge_flags(&g->edges[e]) & REPLAY_LAUNCH))
                continue;
            uint32_t launch = g->edges[e].from;
            q->waiting[(launch > since[n->place] ? launch : since[n->place]) + 1]++;
            q->waiting[i + 1]--;
        }
        since[n->place] = (uint32_t)i;
    }
    for (size_t i = 1; since && q->waiting && i < g->node_count; i++)
        q->waiting[i] += q->waiting[i - 1];
    bool fine = since != NULL && q->waiting != NULL;
    free(since);
    return fine;
}

/* From the last kernel to the first one, twice, as iterations follow each other; times are what is
 * left of both [ns]. */
static bool find_shared(const replay_builder *b, queues *q) {
    const replay_graph *g = b->graph;
    double at = 0.0, last = -INFINITY, other = -INFINITY;
    uint32_t stream = HABITAT_NONE;
    q->shared = calloc(g->node_count + 1, sizeof *q->shared);
    for (int round = 0; q->shared && round < 2; round++)
        for (size_t i = g->node_count; i-- > 0;) {
            const replay_node *n = &g->nodes[i];
            if (n->kind != REPLAY_KERNEL)
                continue;
            other = n->place == stream ? other : last;
            stream = n->place;
            last = at;
            q->shared[i] = at - other <= chosen_replay_far_ns;
            at += (double)b->own[n->index].kernel->duration_ns;
        }
    return q->shared != NULL;
}

static sample look_at(const replay_builder *b, const queues *q, size_t node) {
    const replay_graph *g = b->graph;
    const habitat_kernel *k = b->own[g->nodes[node].index].kernel;
    replay_reasons reasons;
    replay_find_reasons(b, node, g->nodes[node + 1].first_edge, &reasons);
    double ready = reasons.launch_ns, bound = reasons.kernels_ns, start = (double)k->start_ns;
    bool far = bound > ready + chosen_replay_far_ns;
    int32_t own = ready > -INFINITY ? 1 : 0; /* its own stream waited, too */
    sample out = {NAN, NAN, reasons.crosses, far, far && q->waiting[node] > own};
    if (b->own[g->nodes[node].index].shortened)
        return out; /* where it began is not known */
    if (bound > ready + fitted_replay_latency_ns && start >= bound &&
        start <= bound + chosen_replay_gap_most_ns)
        out.gap_ns = start - bound;
    if (bound < ready && start >= ready && start <= ready + chosen_replay_gap_most_ns)
        out.latency_ns = start - ready;
    return out;
}

static double middle(double *values, size_t count, double otherwise) {
    if (count < ENOUGH)
        return otherwise;
    habitat_sort_numbers(values, count);
    return habitat_quantile(values, count, 0.5);
}

/* The pause before a kernel: its own, if it was launched far ahead and beside others where it will
 * be, or the recording has too few that were; else the usual one. */
static double gap_of(const sample *s, bool shared, const double usual[KINDS]) {
    bool beside = shared && !isnan(usual[BESIDE]);
    double far = s->crosses ? NAN : usual[beside ? BESIDE : FAR];
    if (!isnan(s->gap_ns) && ((s->far && (s->beside || !beside)) || isnan(far)))
        return s->gap_ns;
    return isnan(far) ? usual[s->crosses ? ACROSS : SAME] : far;
}

static void put(double *values[KINDS], size_t counts[KINDS], int kind, double ns) {
    if (!isnan(ns))
        values[kind][counts[kind]++] = ns;
}

static void gather(const replay_builder *b, const queues *q, double *values[KINDS],
                   size_t counts[KINDS]) {
    for (size_t i = 0; i < b->graph->node_count; i++) {
        if (b->graph->nodes[i].kind != REPLAY_KERNEL)
            continue;
        sample s = look_at(b, q, i);
        put(values, counts, s.crosses ? ACROSS : SAME, s.gap_ns);
        put(values, counts, LATENCY, s.latency_ns);
        if (s.far && !s.crosses)
            put(values, counts, FAR, s.gap_ns);
        if (s.beside && !s.crosses)
            put(values, counts, BESIDE, s.gap_ns);
    }
}

bool replay_set_gaps(replay_builder *b) {
    replay_graph *g = b->graph;
    /* where a recording has too few */
    const double defaults[KINDS] = {fitted_replay_gap_ns, fitted_replay_gap_across_ns,
                                    fitted_replay_latency_ns, NAN, NAN};
    double *values[KINDS] = {0}, usual[KINDS] = {0.0};
    size_t counts[KINDS] = {0};
    queues q = {0};
    g->gaps = calloc(b->own_count + 1, sizeof *g->gaps);
    bool fine = g->gaps && find_waiting(b, &q) && find_shared(b, &q);
    for (int i = 0; i < KINDS; i++)
        fine &= (values[i] = malloc((b->own_count + 1) * sizeof **values)) != NULL;
    if (fine)
        gather(b, &q, values, counts);
    for (int i = 0; fine && i < KINDS; i++)
        usual[i] = middle(values[i], counts[i], defaults[i]);
    for (size_t i = 0; fine && i < g->node_count; i++) {
        if (g->nodes[i].kind != REPLAY_KERNEL)
            continue;
        sample s = look_at(b, &q, i);
        fine = replay_set_way(g, &g->gaps[g->nodes[i].index], gap_of(&s, q.shared[i], usual));
    }
    if (fine) {
        g->latency_ns = usual[LATENCY];
        b->info->gap_ns = !isnan(usual[BESIDE]) ? usual[BESIDE]
                          : isnan(usual[FAR])   ? usual[SAME]
                                                : usual[FAR];
    }
    free(q.waiting);
    free(q.shared);
    for (int i = 0; i < KINDS; i++)
        free(values[i]);
    return fine;
}

/* ---- collectives ---- */

/* The time in which anything but a collective runs, as stretches one after another. */
typedef struct stretch {
    uint64_t from_ns, to_ns;
    double before_ns; /* sum of all before it */
} stretch;

static size_t find_stretches(const replay_builder *b, stretch *out) {
    size_t count = 0;
    for (size_t i = 0; i < b->own_count; i++) {
        const habitat_kernel *k = b->own[i].kernel;
        uint64_t end = replay_kernel_end(k);
        if (k->form->kind == HABITAT_KERNEL_COLLECTIVE)
            continue;
        stretch *last = count ? &out[count - 1] : NULL;
        if (last && k->start_ns <= last->to_ns) {
            last->to_ns = end > last->to_ns ? end : last->to_ns;
            continue;
        }
        double before = last ? last->before_ns + (double)(last->to_ns - last->from_ns) : 0.0;
        out[count++] = (stretch){k->start_ns, end, before};
    }
    return count;
}

static double worked_before(const stretch *all, size_t count, uint64_t now) {
    size_t low = 0;
    LIST_FIRST_NOT(low, count, all[middle].from_ns <= now);
    if (!low)
        return 0.0;
    const stretch *s = &all[low - 1];
    return s->before_ns + (double)((now < s->to_ns ? now : s->to_ns) - s->from_ns);
}

habitat_status replay_set_hidden(replay_builder *b, habitat_error *err) {
    replay_graph *g = b->graph;
    bool any = false;
    for (size_t i = 0; i < b->own_count && !any; i++)
        any = b->own[i].waiting_ns > 0;
    if (!any)
        return HABITAT_OK;
    stretch *all = malloc((b->own_count + 1) * sizeof *all);
    g->hidden_ns = calloc(b->own_count + 1, sizeof *g->hidden_ns);
    if (all && g->hidden_ns) {
        size_t count = find_stretches(b, all);
        for (size_t i = 0; i < b->own_count; i++) {
            uint64_t start = b->own[i].kernel->start_ns;
            if (b->own[i].waiting_ns)
                g->hidden_ns[i] = worked_before(all, count, start + b->own[i].waiting_ns) -
                                  worked_before(all, count, start);
        }
    }
    bool fine = all && g->hidden_ns;
    free(all);
    return fine ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}
