/* Pauses on the GPU, taken from the recording: between two kernels of which the second had long
 * been launched; and from a launch to its kernel where nothing else held it up. And of collectives,
 * what of their waiting lies beside other work.
 *
 * Pauses grow with how far the GPU is behind its CPU (1.4 us behind a launch just in time, 2.5 us
 * with hundreds of them waiting). Under the profiler the CPU is slow and the GPU often close behind
 * it; without it a GPU that binds is far behind. So the pauses of kernels launched far ahead count
 * for the others too, where there are enough of them. */
#include <stdlib.h>

#include "base/constants.h"
#include "base/error.h"
#include "base/list.h"
#include "base/quantile.h"
#include "replay/builder.h"

enum { ENOUGH = 20 };

/* What a recording has a usual value of. A kernel that waited for another stream too is ACROSS. */
enum { SAME, ACROSS, LATENCY, FAR, KINDS };

typedef struct sample {
    double gap_ns; /* NAN: the recording does not show it */
    double latency_ns;
    bool crosses; /* it waited for another stream too */
    bool far;     /* launched far ahead */
} sample;

static sample look_at(const replay_builder *b, size_t node) {
    const replay_graph *g = b->graph;
    const habitat_kernel *k = b->own[g->nodes[node].index].kernel;
    replay_reasons reasons;
    replay_find_reasons(b, node, g->nodes[node + 1].first_edge, &reasons);
    double ready = reasons.launch_ns, bound = reasons.kernels_ns, start = (double)k->start_ns;
    sample out = {NAN, NAN, reasons.crosses, bound > ready + chosen_replay_far_ns};
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

/* The pause before a kernel: its own, if it was launched far ahead or the recording has too few
 * that were; else the usual one. */
static double gap_of(const sample *s, const double usual[KINDS]) {
    double far = s->crosses ? NAN : usual[FAR];
    if (!isnan(s->gap_ns) && (s->far || isnan(far)))
        return s->gap_ns;
    return isnan(far) ? usual[s->crosses ? ACROSS : SAME] : far;
}

static void put(double *values[KINDS], size_t counts[KINDS], int kind, double ns) {
    if (!isnan(ns))
        values[kind][counts[kind]++] = ns;
}

static void gather(const replay_builder *b, double *values[KINDS], size_t counts[KINDS]) {
    for (size_t i = 0; i < b->graph->node_count; i++) {
        if (b->graph->nodes[i].kind != REPLAY_KERNEL)
            continue;
        sample s = look_at(b, i);
        put(values, counts, s.crosses ? ACROSS : SAME, s.gap_ns);
        put(values, counts, LATENCY, s.latency_ns);
        if (s.far && !s.crosses)
            put(values, counts, FAR, s.gap_ns);
    }
}

bool replay_set_gaps(replay_builder *b) {
    replay_graph *g = b->graph;
    /* where a recording has too few */
    const double defaults[KINDS] = {fitted_replay_gap_ns, fitted_replay_gap_across_ns,
                                    fitted_replay_latency_ns, NAN};
    double *values[KINDS] = {0}, usual[KINDS] = {0.0};
    size_t counts[KINDS] = {0};
    g->gaps = calloc(b->own_count + 1, sizeof *g->gaps);
    bool fine = g->gaps != NULL;
    for (int i = 0; i < KINDS; i++)
        fine &= (values[i] = malloc((b->own_count + 1) * sizeof **values)) != NULL;
    if (fine)
        gather(b, values, counts);
    for (int i = 0; fine && i < KINDS; i++)
        usual[i] = middle(values[i], counts[i], defaults[i]);
    for (size_t i = 0; fine && i < g->node_count; i++) {
        if (g->nodes[i].kind != REPLAY_KERNEL)
            continue;
        sample s = look_at(b, i);
        fine = replay_set_way(g, &g->gaps[g->nodes[i].index], gap_of(&s, usual));
    }
    if (fine) {
        g->latency_ns = usual[LATENCY];
        b->info->gap_ns = isnan(usual[FAR]) ? usual[SAME] : usual[FAR];
    }
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
