/* What nodes and edges of a graph take with given times. Inline, all of them: sweeps ask for every
 * edge, on every GPU. */
#ifndef HABITAT_REPLAY_EDGE_TIMES_H
#define HABITAT_REPLAY_EDGE_TIMES_H

#include <math.h>

#include "replay/graph.h"

#define REPLAY_INLINE __attribute__((always_inline)) static inline

static inline double asked_ns(const replay_times *t, const replay_node *n) {
    return t->kernel_ns ? t->kernel_ns[n->index] : t->own[n->index].facts.time_ns;
}

/* A kernel of no time is run no more. */
static inline bool is_run(const replay_times *t, const replay_node *n) {
    return n->kind != REPLAY_KERNEL || asked_ns(t, n) > 0.0;
}

/* What a kernel's node lasts; 0 of others. */
REPLAY_INLINE double own_ns(const replay_graph *g, const replay_times *t, const replay_node *n) {
    if (n->kind != REPLAY_KERNEL || t->without_gpu)
        return 0.0;
    double ns = asked_ns(t, n);
    double hidden_ns = g->hidden_ns ? g->hidden_ns[n->index] : 0.0;
    return fmax(0.0, ns - hidden_ns) * t->kernel_scale;
}

/* What is between `from` and the node. */
REPLAY_INLINE double way_ns(const replay_graph *g, const replay_times *t, const replay_node *n,
                            const replay_edge *edge) {
    if (replay_edge_is_plain(edge)) /* most, and the same as below */
        return (double)(edge->way >> REPLAY_WAY_BITS) * t->cpu_scale;
    uint32_t flags = replay_edge_flags(edge);
    double ns = replay_edge_side_ns(g, edge, t);
    if (flags & REPLAY_ROOM)
        return t->without_gpu || t->with_room
                   ? -INFINITY
                   : -replay_edge_cpu_ns(g, edge) * own_ns(g, t, &g->nodes[edge->from]);
    if (t->without_gpu)
        return ns;
    if (flags & REPLAY_LAUNCH)
        ns += g->latency_ns;
    if (flags & REPLAY_GAP && is_run(t, n))
        ns += replay_gap_ns(g, n->index) * t->gap_scale;
    return ns;
}

#endif
