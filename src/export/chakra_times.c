/* See chakra_times.h. */
#include "export/chakra_times.h"

#include <math.h>
#include <stdlib.h>

static bool is_kernel(const replay_node *n) {
    return n->kind == REPLAY_KERNEL;
}

static bool is_carried(const replay_edge *e) {
    return e->from & REPLAY_CARRY;
}

/* The CPU's share of the way; pauses and latency are the GPU's. */
static double cpu_ns(const chakra_times *t, const replay_edge *e) {
    bool room = replay_edge_flags(e) & REPLAY_ROOM;
    return room ? 0.0 : replay_edge_side_ns(t->graph, e, t->times);
}

/* A point that the CPU reaches when the GPU is done has its time before it. */
static bool follows_gpu(const replay_graph *g, const replay_node *n) {
    bool follows = false;
    for (uint32_t e = n->first_edge; !is_kernel(n) && e < n[1].first_edge; e++)
        follows |= !is_carried(&g->edges[e]) && is_kernel(&g->nodes[g->edges[e].from]);
    return follows;
}

bool chakra_times_set(chakra_times *t, const replay_graph *g, size_t recorded_count,
                      const replay_times *times) {
    *t = (chakra_times){g, times, malloc((g->node_count + 1) * sizeof *t->tail_ns)};
    if (!t->tail_ns)
        return false;
    for (size_t i = 0; i < g->node_count; i++)
        t->tail_ns[i] = is_kernel(&g->nodes[i]) ? 0.0 : INFINITY;
    for (size_t i = 0; i < g->node_count; i++) {
        const replay_node *n = &g->nodes[i];
        bool before = follows_gpu(g, n), added = is_kernel(n) && n->index >= recorded_count;
        for (uint32_t e = n->first_edge; !added && e < n[1].first_edge; e++)
            if (!is_carried(&g->edges[e])) {
                double *tail = &t->tail_ns[g->edges[e].from];
                *tail = fmin(*tail, before ? 0.0 : cpu_ns(t, &g->edges[e]));
            }
    }
    for (size_t i = 0; i < g->node_count; i++)
        if (isinf(t->tail_ns[i]))
            t->tail_ns[i] = 0.0;
    return true;
}

void chakra_times_free(chakra_times *t) {
    free(t->tail_ns);
}

double chakra_lead_ns(const chakra_times *t, size_t node) {
    const replay_node *n = &t->graph->nodes[node];
    double least = INFINITY;
    for (uint32_t e = n->first_edge; e < n[1].first_edge; e++)
        if (!is_carried(&t->graph->edges[e]))
            least = fmin(least, chakra_between_ns(t, &t->graph->edges[e], 0.0));
    return isinf(least) ? 0.0 : least;
}

double chakra_tail_ns(const chakra_times *t, size_t node) {
    return t->tail_ns[node];
}

double chakra_between_ns(const chakra_times *t, const replay_edge *e, double lead_ns) {
    return fmax(0.0, cpu_ns(t, e) - t->tail_ns[e->from] - lead_ns);
}
