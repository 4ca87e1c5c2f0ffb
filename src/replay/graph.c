/* A graph grows by edges; its nodes are made at once. */
#include "replay/graph.h"

#include <stdlib.h>

bool replay_add_edge(replay_graph *g, uint32_t from, uint32_t flags, double cpu_ns) {
    if (g->edge_count == g->edge_capacity) {
        size_t larger = g->edge_capacity ? g->edge_capacity + g->edge_capacity / 2 : 1024;
        replay_edge *grown = larger < UINT32_MAX ? realloc(g->edges, larger * sizeof *grown) : NULL;
        if (!grown)
            return false;
        g->edges = grown;
        g->edge_capacity = larger;
    }
    g->edges[g->edge_count++] = (replay_edge){from, flags, cpu_ns};
    return true;
}

void replay_graph_free(replay_graph *g) {
    free(g->nodes);
    free(g->edges);
    free(g->hidden_ns);
}
