/* Pauses on the GPU, taken from the recording: between two kernels of which the second had long
 * been launched; and from a launch to its kernel where nothing else held it up. And of collectives,
 * what of their waiting lies beside other work. */
#include <stdlib.h>

#include "base/constants.h"
#include "base/error.h"
#include "base/list.h"
#include "base/quantile.h"
#include "replay/builder.h"

enum { ENOUGH = 20 };

typedef struct sample {
    double gap_ns; /* NAN: the recording does not show it */
    double latency_ns;
    bool crosses; /* it waited for another stream too */
} sample;

static sample look_at(const replay_builder *b, size_t node) {
    const replay_graph *g = b->graph;
    const habitat_kernel *k = b->own[g->nodes[node].index].kernel;
    replay_reasons reasons;
    replay_find_reasons(b, node, g->nodes[node + 1].first_edge, &reasons);
    double ready = reasons.launch_ns, bound = reasons.kernels_ns, start = (double)k->start_ns;
    sample out = {NAN, NAN, reasons.crosses};
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

bool replay_set_gaps(replay_builder *b) {
    replay_graph *g = b->graph;
    /* where a recording has too few */
    const double defaults[3] = {fitted_replay_gap_ns, fitted_replay_gap_across_ns,
                                fitted_replay_latency_ns};
    double *values[3] = {0}, usual[3];
    size_t counts[3] = {0};
    g->gaps = calloc(b->own_count + 1, sizeof *g->gaps);
    bool fine = g->gaps != NULL;
    for (int i = 0; i < 3; i++)
        fine &= (values[i] = malloc((b->own_count + 1) * sizeof **values)) != NULL;
    for (size_t i = 0; fine && i < g->node_count; i++) {
        if (g->nodes[i].kind != REPLAY_KERNEL)
            continue;
        sample s = look_at(b, i);
        if (!isnan(s.gap_ns))
            values[s.crosses][counts[s.crosses]++] = s.gap_ns;
        if (!isnan(s.latency_ns))
            values[2][counts[2]++] = s.latency_ns;
    }
    for (int i = 0; fine && i < 3; i++)
        usual[i] = middle(values[i], counts[i], defaults[i]);
    for (size_t i = 0; fine && i < g->node_count; i++) {
        if (g->nodes[i].kind != REPLAY_KERNEL)
            continue;
        sample s = look_at(b, i);
        fine = replay_set_way(g, &g->gaps[g->nodes[i].index],
                              isnan(s.gap_ns) ? usual[s.crosses] : s.gap_ns);
    }
    if (fine) {
        g->latency_ns = usual[2];
        b->info->gap_ns = usual[0];
    }
    for (int i = 0; i < 3; i++)
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
