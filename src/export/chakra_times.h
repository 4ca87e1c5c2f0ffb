/* From a replay's graph, whose CPU time lies between two points, to nodes that last.
 *
 * A point of a CPU thread stands for what the CPU does from there on until whoever waits for it may
 * go on: the call of a launch lasts as long as the call, the beginning of an operation until its
 * first launch. What a node waits longer for than it takes is a node of its own. Ways through the
 * graph stay as long as they were, but for the latency from a launch's end to its kernel. */
#ifndef HABITAT_EXPORT_CHAKRA_TIMES_H
#define HABITAT_EXPORT_CHAKRA_TIMES_H

#include "replay/graph.h"

typedef struct chakra_times {
    const replay_graph *graph;
    const replay_times *times;
    double *tail_ns; /* shape (node_count): what a CPU's node takes behind its point */
} chakra_times;

/* recorded_count: kernels of the graph that were recorded; the launches of others shorten no call.
 * False when out of memory; free in every case. */
bool chakra_times_set(chakra_times *t, const replay_graph *graph, size_t recorded_count,
                      const replay_times *times);
void chakra_times_free(chakra_times *t);

/* What a CPU's node takes before its point. */
double chakra_lead_ns(const chakra_times *t, size_t node);

/* And what behind its point; 0 of a kernel. */
double chakra_tail_ns(const chakra_times *t, size_t node);

/* What lies between the two ends of an edge to a node that begins `lead_ns` before its point. */
double chakra_between_ns(const chakra_times *t, const replay_edge *edge, double lead_ns);

#endif
