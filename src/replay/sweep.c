/* Running a graph: when each node happens, how long an iteration takes that follows itself again
 * and again, and what decides that.
 *
 * One iteration leaves states behind: the CPU may begin the next one, each stream is free again.
 * Every state is the latest of (a state before it + the longest way between the two). The time of
 * an iteration that repeats is the largest mean over the cycles of these ways (Karp, "A
 * characterization of the minimum cycle mean in a digraph", 1978): a CPU that runs ahead of its GPU
 * for good, and one that waits in every iteration, come out alike. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "replay/edge_times.h"
#include "replay/state_sweep.h"

/* fmax() without a call: what is no number is not later. */
static inline double later(double x, double y) {
    return y > x ? y : x;
}

double replay_own_ns(const replay_graph *g, const replay_times *t, const replay_node *n) {
    return own_ns(g, t, n);
}

static double from_ns(const replay_edge *edge, const double *carry, const double *value) {
    return edge->from & REPLAY_CARRY ? carry[edge->from ^ REPLAY_CARRY] : value[edge->from];
}

REPLAY_INLINE bool is_of_part(const replay_edge *edge, const uint32_t *part, size_t i) {
    return !part || (edge->from & REPLAY_CARRY ? part[i] == 0 : part[edge->from] == part[i]);
}

/* The same for node i of an iteration in parts, where what is of another one is over at 0. */
REPLAY_INLINE double part_from_ns(const replay_edge *edge, const double *carry, const double *value,
                                  const uint32_t *part, size_t i) {
    return is_of_part(edge, part, i) ? from_ns(edge, carry, value) : 0.0;
}

/* What something outside took before this part began. */
REPLAY_INLINE double over_ns(const replay_graph *g, const replay_times *t, const replay_edge *edge,
                             const uint32_t *part, size_t i) {
    return is_of_part(edge, part, i) ? 0.0 : replay_edge_outside_ns(g, edge, t);
}

REPLAY_INLINE void sweep(const replay_graph *g, const replay_times *t, const double *carry,
                         const uint32_t *part, double *value) {
    for (size_t i = 0; i < g->node_count; i++) {
        const replay_node *n = &g->nodes[i];
        double at = -INFINITY;
        for (uint32_t e = n->first_edge; e < n[1].first_edge; e++)
            at =
                later(at, part_from_ns(&g->edges[e], carry, value, part, i) +
                              way_ns(g, t, n, &g->edges[e]) - over_ns(g, t, &g->edges[e], part, i));
        value[i] = at + own_ns(g, t, n);
    }
}

void replay_sweep_parts(const replay_graph *g, const replay_times *t, const double *carry,
                        const uint32_t *part, double *value) {
    sweep(g, t, carry, part, value);
}

void replay_sweep(const replay_graph *g, const replay_times *t, const double *carry,
                  double *value) {
    sweep(g, t, carry, NULL, value);
}

void replay_from_idle(const replay_graph *g, const replay_times *t, double *value) {
    double carry[REPLAY_ALL_STATES] = {0.0};
    replay_sweep(g, t, carry, value);
    for (size_t i = 0; i < g->node_count; i++) /* streams that carry nothing start where they can */
        value[i] = fmax(value[i], 0.0);
}

/* Only one state is left by the iteration before. */
static void one_state(size_t state, double *carry) {
    for (size_t i = 0; i < REPLAY_ALL_STATES; i++)
        carry[i] = i == state ? 0.0 : -INFINITY;
}

/* Karp: with walk[k][v] the longest walk of k steps to v, the largest over v of the smallest over k
 * of (walk[n][v] - walk[k][v]) / (n - k). */
static double largest_mean(size_t n, replay_ways way) {
    double walk[REPLAY_ALL_STATES + 1][REPLAY_ALL_STATES] = {{0.0}}, most = 0.0;
    for (size_t k = 1; k <= n; k++)
        for (size_t v = 0; v < n; v++) {
            walk[k][v] = -INFINITY;
            for (size_t u = 0; u < n; u++)
                walk[k][v] = fmax(walk[k][v], walk[k - 1][u] + way[u][v]);
        }
    for (size_t v = 0; v < n; v++) {
        double least = INFINITY;
        for (size_t k = 0; k < n && walk[n][v] > -INFINITY; k++)
            if (walk[k][v] > -INFINITY)
                least = fmin(least, (walk[n][v] - walk[k][v]) / (double)(n - k));
        if (least < INFINITY)
            most = fmax(most, least);
    }
    return most;
}

/* Where each state is left when iterations begin a period apart, from 0 on: no cycle of ways is
 * longer than its periods, so after as many rounds as there are states nothing moves any more. */
static void settle(size_t n, replay_ways way, double period, double *carry) {
    for (size_t i = 0; i < REPLAY_ALL_STATES; i++)
        carry[i] = 0.0;
    for (size_t round = 0; round < n; round++)
        for (size_t v = 0; v < n; v++)
            for (size_t u = 0; u < n; u++)
                carry[v] = fmax(carry[v], carry[u] + way[u][v] - period);
}

habitat_status replay_steady(const replay_graph *g, const replay_times *t, double *out_ns,
                             size_t *critical, double *carry, habitat_error *err) {
    replay_ways way;
    size_t most = 0;
    if (!replay_find_ways(g, t, way))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 1; i < g->state_count; i++)
        if (way[i][i] > way[most][most])
            most = i;
    *critical = most;
    *out_ns = largest_mean(g->state_count, way);
    settle(g->state_count, way, *out_ns, carry);
    return HABITAT_OK;
}

habitat_status replay_period(const replay_graph *g, const replay_times *t, double *out_ns,
                             habitat_error *err) {
    replay_ways way;
    if (!replay_find_ways(g, t, way))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    *out_ns = largest_mean(g->state_count, way);
    return HABITAT_OK;
}

/* ---- what decides ---- */

/* The node before the first one of an iteration in parts; HABITAT_NONE: the way begins here. */
static uint32_t node_before(const replay_graph *g, const double *carry, const uint32_t *part,
                            size_t node, uint32_t from) {
    if (!(from & REPLAY_CARRY))
        return !part || part[from] == part[node] ? from : HABITAT_NONE;
    uint32_t state = from ^ REPLAY_CARRY;
    return part && part[node] == 0 && carry[state] > 0.0 ? g->state_nodes[state] : HABITAT_NONE;
}

void replay_walk_back(const replay_graph *g, const replay_times *t, const double *carry,
                      const uint32_t *part, const double *value, size_t node, replay_path *out) {
    for (;;) {
        const replay_node *n = &g->nodes[node];
        const replay_edge *best = NULL;
        double at = -INFINITY;
        for (uint32_t e = n->first_edge; e < n[1].first_edge; e++) {
            double ns = part_from_ns(&g->edges[e], carry, value, part, node) +
                        way_ns(g, t, n, &g->edges[e]) - over_ns(g, t, &g->edges[e], part, node);
            if (!best || ns > at) {
                best = &g->edges[e];
                at = ns;
            }
        }
        out->kernel_ns += own_ns(g, t, n);
        if (!best)
            return;
        bool room = replay_edge_flags(best) & REPLAY_ROOM;
        double cpu_ns = room ? 0.0 : replay_edge_side_ns(g, best, t);
        out->cpu_ns += cpu_ns - over_ns(g, t, best, part, node);
        *(room ? &out->kernel_ns : &out->gap_ns) += way_ns(g, t, n, best) - cpu_ns;
        uint32_t before = node_before(g, carry, part, node, best->from);
        if (before == HABITAT_NONE)
            return;
        node = before;
    }
}

habitat_status replay_follow(const replay_graph *g, const replay_times *t, size_t state,
                             replay_path *out, habitat_error *err) {
    double carry[REPLAY_ALL_STATES];
    double *value = malloc((g->node_count + 1) * sizeof *value);
    if (!value)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    one_state(state, carry);
    replay_sweep(g, t, carry, value);
    *out = (replay_path){0.0, 0.0, 0.0};
    if (g->state_nodes[state] != HABITAT_NONE && value[g->state_nodes[state]] > -INFINITY)
        replay_walk_back(g, t, carry, NULL, value, g->state_nodes[state], out);
    free(value);
    return HABITAT_OK;
}
