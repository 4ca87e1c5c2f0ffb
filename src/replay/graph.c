/* A graph grows by edges; its nodes are made at once. */
#include "replay/graph.h"

#include <stdlib.h>

#include "base/list.h"

enum { LOOK_BACK = 4 }; /* usual pauses are not whole, and the same again and again */

/* Nearly all times are whole numbers below an eighth of a second. */
bool replay_set_way(replay_graph *g, uint32_t *way, double ns) {
    const uint32_t most = UINT32_MAX >> REPLAY_WAY_BITS;
    if (ns >= 0.0 && ns <= most && (double)(uint32_t)ns == ns) {
        *way |= (uint32_t)ns << REPLAY_WAY_BITS;
        return true;
    }
    for (size_t i = 1; i <= LOOK_BACK && i <= g->long_count; i++)
        if (g->long_ns[g->long_count - i] == ns) {
            *way |= REPLAY_WAY_LONG | (uint32_t)(g->long_count - i) << REPLAY_WAY_BITS;
            return true;
        }
    double *longer =
        list_grow(g->long_ns, g->long_count, &g->long_capacity, 64, most, sizeof *longer);
    if (!longer)
        return false;
    g->long_ns = longer;
    *way |= REPLAY_WAY_LONG | (uint32_t)g->long_count << REPLAY_WAY_BITS;
    g->long_ns[g->long_count++] = ns;
    return true;
}

bool replay_add_edge(replay_graph *g, uint32_t from, uint32_t flags, double cpu_ns) {
    replay_edge *edges = list_grow_by_half(g->edges, g->edge_count, &g->edge_capacity, 1024,
                                           UINT32_MAX - 1, sizeof *edges);
    if (!edges)
        return false;
    g->edges = edges;
    g->edges[g->edge_count] = (replay_edge){from, flags};
    if (!replay_set_way(g, &g->edges[g->edge_count].way, cpu_ns))
        return false;
    g->edge_count++;
    return true;
}

bool replay_add_waiting_edge(replay_graph *g, uint32_t from, uint32_t flags, replay_side side) {
    const double all[] = {side.cpu_ns, side.wait_ns, side.data_work_ns, side.data_wait_ns};
    enum { PARTS = sizeof all / sizeof *all };
    const uint32_t most = UINT32_MAX >> REPLAY_WAY_BITS;
    if (!(side.wait_ns > 0.0 || side.data_work_ns > 0.0))
        return replay_add_edge(g, from, flags, side.cpu_ns);
    for (int i = 0; i < PARTS; i++) {
        double *longer =
            list_grow(g->long_ns, g->long_count, &g->long_capacity, 64, most, sizeof *longer);
        if (!longer)
            return false;
        g->long_ns = longer;
        g->long_ns[g->long_count++] = all[i];
    }
    if (!replay_add_edge(g, from, flags, 0.0))
        return false;
    g->edges[g->edge_count - 1].way = flags | REPLAY_WAIT | REPLAY_WAY_LONG |
                                      (uint32_t)(g->long_count - PARTS) << REPLAY_WAY_BITS;
    g->has_waits = true;
    return true;
}

void replay_graph_free(replay_graph *g) {
    free(g->nodes);
    free(g->edges);
    free(g->long_ns);
    free(g->gaps);
    free(g->hidden_ns);
    free(g->slot);
}
