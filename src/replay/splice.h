/* New kernels among those of a graph: the graph stays as it is, a longer copy is made. */
#ifndef HABITAT_REPLAY_SPLICE_H
#define HABITAT_REPLAY_SPLICE_H

#include "replay/graph.h"

#define SPLICE_NEW                                                                                 \
    (UINT32_C(1) << 30) /* node `x - SPLICE_NEW` of the new ones, else an old one                  \
                         */

/* One kernel that is not in the recording. */
typedef struct splice_node {
    uint32_t at;     /* old node beside which it stands */
    bool before;     /* before it, and waits for all that it waits for; else behind it */
    bool launched;   /* before: not for its launch, as it has one of its own */
    bool in_stream;  /* behind: what follows `at` on its stream, or waits for it, follows this */
    uint32_t stream; /* as replay_node::place */
    double time_ns;
    int what; /* the caller's own, as is: */
    double bytes;
} splice_node;

typedef struct splice_edge {
    uint32_t from, to; /* nodes, old or new */
    uint32_t flags;
    double cpu_ns;
} splice_edge;

typedef struct splice {
    splice_node *nodes;
    size_t node_count, node_capacity;
    splice_edge *edges;
    size_t edge_count, edge_capacity;
    double *cpu_ns; /* shape (nodes of the old graph): what the CPU does behind a point, more */
} splice;

/* HABITAT_E_MEMORY. Free a splice in every case. */
bool splice_begin(splice *s, const replay_graph *old);
void splice_free(splice *s);

/* The new node as an edge names it; HABITAT_NONE when out of memory. */
uint32_t splice_add(splice *s, const splice_node *node);
/* `to` waits for `from`, unless that stands behind it. */
bool splice_link(splice *s, uint32_t from, uint32_t to, uint32_t flags);

/* The longer graph; kernels of the new nodes come behind those of the old graph, in the order in
 * which they were added. gap_ns: pause before each. HABITAT_E_MEMORY; free `out` in every case. */
habitat_status splice_make(const splice *s, const replay_graph *old, double gap_ns,
                           replay_graph *out, habitat_error *err);

#endif
