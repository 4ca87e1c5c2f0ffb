/* Each recorded rank as it was profiled: how long it computes, sends and waits, and which one the
 * others wait for. docs/iteration.md#recorded-ranks. */
#include <math.h>
#include <stdlib.h>

#include "ask/answer.h"
#include "base/constants_parallel.h"
#include "base/error.h"
#include "base/quantile.h"

/* What a GPU does at a time. Of a collective, first the waiting, then the message. */
typedef enum doing { COMPUTES, SENDS, WAITS, DOINGS } doing;

typedef struct edge {
    uint64_t at_ns;
    doing what;
    bool starts;
} edge;

static int by_time(const void *a, const void *b) {
    const edge *x = a, *y = b;
    return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

static bool is_own(const habitat_trace_info *t, const habitat_kernel *k) {
    return k->form->device == t->device && k->iteration != HABITAT_NONE;
}

static void add(edge *edges, size_t *count, doing what, uint64_t from_ns, uint64_t to_ns) {
    edges[(*count)++] = (edge){from_ns, what, true};
    edges[(*count)++] = (edge){to_ns, what, false};
}

/* Edges of all that the rank's GPU did, by time; NULL when out of memory. */
static edge *list_edges(const habitat_trace *trace, const rank_messages *m, size_t *count) {
    size_t all = 0, at = 0;
    const habitat_trace_info *t = habitat_trace_get_info(trace);
    const habitat_kernel *k = habitat_trace_kernels(trace, &all);
    edge *edges = malloc((4 * all + 1) * sizeof *edges);
    *count = 0;
    for (size_t i = 0; edges && i < all; i++) {
        uint64_t end = k[i].start_ns + k[i].duration_ns;
        if (!is_own(t, &k[i]))
            continue;
        if (k[i].form->kind != HABITAT_KERNEL_COLLECTIVE) {
            add(edges, count, COMPUTES, k[i].start_ns, end);
            continue;
        }
        uint64_t sends = end - m->message_ns[at++];
        add(edges, count, WAITS, k[i].start_ns, sends);
        add(edges, count, SENDS, sends, end);
    }
    if (edges)
        qsort(edges, *count, sizeof *edges, by_time);
    return edges;
}

/* Of all its iterations [ns]. */
static void measure(const edge *edges, size_t count, habitat_rank *r) {
    size_t running[DOINGS] = {0};
    for (size_t i = 0; i < count; i++) {
        double ns = i ? (double)(edges[i].at_ns - edges[i - 1].at_ns) : 0.0;
        r->compute_ms += running[COMPUTES] ? ns : 0.0;
        r->exposed_communication_ms += running[SENDS] && !running[COMPUTES] ? ns : 0.0;
        r->exposed_waiting_ms += running[WAITS] && !running[SENDS] && !running[COMPUTES] ? ns : 0.0;
        r->communication_ms += (double)running[SENDS] * ns;
        r->waiting_ms += (double)running[WAITS] * ns;
        running[edges[i].what] += edges[i].starts ? 1 : (size_t)-1;
    }
}

static void per_iteration(habitat_rank *r) {
    size_t count = 0;
    habitat_trace_iterations(r->trace, &count);
    double per = (double)(count ? count : 1) * HABITAT_NS_PER_MS;
    double *all[] = {&r->compute_ms, &r->communication_ms, &r->waiting_ms,
                     &r->exposed_communication_ms, &r->exposed_waiting_ms};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] /= per;
}

/* Between the starts of iterations; of a single one, the longer of its range and its GPU's span. */
static void set_iteration(habitat_rank *r) {
    size_t count = 0;
    const habitat_trace_info *t = habitat_trace_get_info(r->trace);
    const habitat_iteration *i = habitat_trace_iterations(r->trace, &count);
    r->iteration_recorded = t->iteration_ms > 0.0;
    r->iteration_ms = r->iteration_recorded ? t->iteration_ms
                      : count > 1
                          ? (double)(i[count - 1].start_ns - i[0].start_ns) / (double)(count - 1) /
                                HABITAT_NS_PER_MS
                          : fmax((double)i[0].duration_ns / HABITAT_NS_PER_MS, i[0].span_ms);
}

/* ---- between ranks ---- */

/* Its collectives, in the order of the messages. shape (m->count), or NULL: out of memory. */
static const habitat_kernel **list_messages(const habitat_trace *trace, const rank_messages *m) {
    size_t count = 0, at = 0;
    const habitat_trace_info *t = habitat_trace_get_info(trace);
    const habitat_kernel *k = habitat_trace_kernels(trace, &count);
    const habitat_kernel **out = calloc(m->count + 1, sizeof *out);
    for (size_t i = 0; out && i < count; i++)
        if (is_own(t, &k[i]) && k[i].form->kind == HABITAT_KERNEL_COLLECTIVE)
            out[at++] = &k[i];
    return out;
}

/* Whoever sends one way need not wait: only ends of what all send and receive are compared. */
static bool set_clock(const rank_messages *m, const habitat_kernel *const *first,
                      const habitat_kernel *const *own, const habitat_rank *of, habitat_rank *r) {
    uint64_t clocks[2] = {habitat_trace_get_info(of->trace)->clock_ns,
                          habitat_trace_get_info(r->trace)->clock_ns};
    size_t count = 0;
    double *offsets = malloc((m->count + 1) * sizeof *offsets);
    r->clock_offset_ms = NAN;
    for (size_t i = 0; offsets && clocks[0] && clocks[1] && i < m->count && own[i]; i++)
        if (own[i]->form->collective != HABITAT_COLLECTIVE_ONE_WAY)
            offsets[count++] =
                (double)(int64_t)(clocks[1] + own[i]->start_ns + own[i]->duration_ns -
                                  (clocks[0] + first[i]->start_ns + first[i]->duration_ns));
    if (count) {
        habitat_sort_numbers(offsets, count);
        r->clock_offset_ms = habitat_quantile(offsets, count, 0.5) / HABITAT_NS_PER_MS;
    }
    bool fine = offsets != NULL;
    free(offsets);
    return fine;
}

/* Who came last to each message, alone: whose collective is the shortest. */
static void count_last(const rank_messages *m, const habitat_kernel ***lists, size_t ranks,
                       habitat_rank *out) {
    for (size_t i = 0; i < m->count; i++) {
        size_t last = 0, shortest = 0;
        for (size_t r = 0; r < ranks; r++)
            if (lists[r][i]->duration_ns == m->message_ns[i]) {
                shortest++;
                last = r;
            }
        out[last].last_count += shortest == 1;
    }
}

static bool compare(const rank_messages *m, size_t ranks, habitat_rank *out) {
    const habitat_kernel **lists[WORKLOAD_RANKS_MAX] = {NULL};
    bool fine = true;
    for (size_t r = 0; fine && r < ranks; r++)
        fine = (lists[r] = list_messages(out[r].trace, m)) != NULL;
    for (size_t r = 0; fine && r < ranks; r++)
        fine = set_clock(m, (const habitat_kernel *const *)lists[0],
                         (const habitat_kernel *const *)lists[r], &out[0], &out[r]);
    if (fine)
        count_last(m, lists, ranks, out);
    for (size_t r = 0; r < ranks; r++)
        free(lists[r]);
    return fine;
}

/* The others' GPUs do nothing else but wait, on average longer than its own: for whom. */
static uint32_t find_slow(const habitat_rank *ranks, size_t count) {
    size_t least = 0;
    double all = 0.0;
    for (size_t r = 0; r < count; r++) {
        all += ranks[r].exposed_waiting_ms;
        if (ranks[r].exposed_waiting_ms < ranks[least].exposed_waiting_ms)
            least = r;
    }
    double own = ranks[least].exposed_waiting_ms, others = (all - own) / (double)(count - 1);
    bool much = others - own >= chosen_slow_rank_share * ranks[least].iteration_ms;
    return much ? (uint32_t)least : HABITAT_NONE;
}

habitat_status ranks_measure(const rank_messages *m, made_answer *out, habitat_error *err) {
    size_t count = out->rank_count;
    habitat_rank *made = habitat_arena_alloc(&out->arena, count * sizeof *made);
    bool fine = made != NULL;
    for (size_t r = 0; fine && r < count; r++) {
        size_t edge_count = 0;
        made[r] = (habitat_rank){.trace = out->rank_traces[r]};
        edge *edges = list_edges(made[r].trace, m, &edge_count);
        fine = edges != NULL;
        if (fine)
            measure(edges, edge_count, &made[r]);
        free(edges);
        per_iteration(&made[r]);
        set_iteration(&made[r]);
    }
    if (!fine || !compare(m, count, made))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    out->open.ranks = made;
    out->open.rank_count = count;
    out->open.message_count = m->count;
    out->open.slow_rank = find_slow(made, count);
    return HABITAT_OK;
}
