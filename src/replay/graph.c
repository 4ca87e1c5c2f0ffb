/* A graph grows by edges; its nodes are made at once. */
#include "replay/graph.h"

#include <stdlib.h>

/* Nearly all times are whole numbers below half a second. */
static bool set_way(replay_graph *g, replay_edge *edge, double cpu_ns) {
    const uint32_t most = UINT32_MAX >> REPLAY_WAY_BITS;
    if (cpu_ns >= 0.0 && cpu_ns <= most && (double)(uint32_t)cpu_ns == cpu_ns) {
        edge->way |= (uint32_t)cpu_ns << REPLAY_WAY_BITS;
        return true;
    }
    if (g->long_count == g->long_capacity) {
        size_t larger = g->long_capacity ? 2 * g->long_capacity : 64;
        double *grown = larger <= most ? realloc(g->long_ns, larger * sizeof *grown) : NULL;
        if (!grown)
            return false;
        g->long_ns = grown;
        g->long_capacity = larger;
    }
    edge->way |= REPLAY_WAY_LONG | (uint32_t)g->long_count << REPLAY_WAY_BITS;
    g->long_ns[g->long_count++] = cpu_ns;
    return true;
}

bool replay_add_edge(replay_graph *g, uint32_t from, uint32_t flags, double cpu_ns) {
    if (g->edge_count == g->edge_capacity) {
        size_t larger = g->edge_capacity ? g->edge_capacity + g->edge_capacity / 2 : 1024;
        replay_edge *grown = larger < UINT32_MAX ? realloc(g->edges, larger * sizeof *grown) : NULL;
        if (!grown)
            return false;
        g->edges = grown;
        g->edge_capacity = larger;
    }
    g->edges[g->edge_count] = (replay_edge){from, flags};
    if (!set_way(g, &g->edges[g->edge_count], cpu_ns))
        return false;
    g->edge_count++;
    return true;
}

void replay_graph_free(replay_graph *g) {
    free(g->nodes);
    free(g->edges);
    free(g->long_ns);
    free(g->gap_ns);
    free(g->hidden_ns);
}
