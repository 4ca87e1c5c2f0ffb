/* One sweep that begins with every state at once.
 *
 * A sweep of its own for each of a dozen states asks a dozen times what every edge takes. Here a
 * node has a row of times, one for each state that the iteration began with, and what an edge takes
 * is asked once for all of them. A row is kept only until the last node that waits for it has
 * happened, and its slot then is another node's: rows of thousands of nodes lie in a few dozen
 * slots, near the processor. Of each state the sums, and the largest of them, are those of
 * replay_sweep(), in that order: no bit of an answer depends on how it was found. */
#include "replay/state_sweep.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "replay/edge_times.h"

/* ---- slots ---- */

typedef struct slots {
    uint32_t
        *last; /* shape (node_count): the last node that waits for it; HABITAT_NONE: it stays */
    uint32_t *spare; /* shape (spare_count): slots in no use; the one left last is taken first */
    size_t spare_count;
} slots;

static void find_last(const replay_graph *g, uint32_t *last) {
    for (uint32_t i = 0; i < g->node_count; i++) {
        last[i] = i;
        for (uint32_t e = g->nodes[i].first_edge; e < g->nodes[i + 1].first_edge; e++)
            if (!(g->edges[e].from & REPLAY_CARRY))
                last[g->edges[e].from] = i;
    }
    for (size_t s = 0; s < g->state_count; s++)
        if (g->state_nodes[s] != HABITAT_NONE)
            last[g->state_nodes[s]] = HABITAT_NONE;
}

/* Node i is the last that waits for it: the slot is free, for i itself first. */
static void leave(const replay_graph *g, slots *s, uint32_t node, uint32_t i) {
    if (s->last[node] != i)
        return;
    s->spare[s->spare_count++] = g->slot[node];
    s->last[node] = HABITAT_NONE; /* two edges may lead from it to i */
}

static void place_rows(replay_graph *g, slots *s) {
    for (uint32_t i = 0; i < g->node_count; i++) {
        uint32_t first = g->nodes[i].first_edge, end = g->nodes[i + 1].first_edge;
        for (uint32_t e = first; e < end; e++)
            if (!(g->edges[e].from & REPLAY_CARRY))
                leave(g, s, g->edges[e].from, i);
        g->slot[i] = s->spare_count ? s->spare[--s->spare_count] : (uint32_t)g->slot_count++;
        leave(g, s, i, i); /* for which none waits */
        g->most_edges = end - first > g->most_edges ? end - first : g->most_edges;
    }
}

bool replay_set_slots(replay_graph *g) {
    slots s = {.last = malloc((g->node_count + 1) * sizeof *s.last),
               .spare = malloc((g->node_count + 1) * sizeof *s.spare)};
    g->slot = malloc((g->node_count + 1) * sizeof *g->slot);
    g->slot_count = g->most_edges = 0;
    bool fine = s.last && s.spare && g->slot;
    if (fine) {
        find_last(g, s.last);
        place_rows(g, &s);
    }
    free(s.last);
    free(s.spare);
    return fine;
}

/* ---- pairs of states ---- */

/* Of a number and what is none the larger is the number, as of fmax(). */
#ifdef __SSE2__
typedef __m128d pair;
static inline pair pair_of(double a, double b) {
    return _mm_set_pd(b, a);
}
static inline pair pair_add(pair x, pair y) {
    return _mm_add_pd(x, y);
}
static inline pair pair_most(pair x, pair y) {
    return _mm_max_pd(x, y);
}
#else
typedef struct pair {
    double a, b;
} pair;
static inline pair pair_of(double a, double b) {
    return (pair){a, b};
}
static inline pair pair_add(pair x, pair y) {
    return (pair){x.a + y.a, x.b + y.b};
}
static inline pair pair_most(pair x, pair y) {
    return (pair){x.a > y.a ? x.a : y.a, x.b > y.b ? x.b : y.b};
}
#endif

/* In registers at once, beside what an edge takes: all states of one rank. */
enum { PAIRS_MOST = (REPLAY_STATES_MAX + 1) / 2 };
_Static_assert(PAIRS_MOST == 9, "sweep() has no case for so many pairs");

static inline pair begins_with(size_t state, size_t first) {
    return pair_of(state == first ? 0.0 : -INFINITY, state == first + 1 ? 0.0 : -INFINITY);
}

/* ---- sweeps ---- */

/* Rows: of the states at the beginning, then of the slots. */
static inline size_t row_of(const replay_graph *g, uint32_t node) {
    return node & REPLAY_CARRY ? node ^ REPLAY_CARRY : g->state_count + g->slot[node];
}

/* The latest of all ways into a node, and its own time on top, from column `first` of its row on.
 * row: shape (rows, pairs). `some` pairs at a time stay in registers: a constant where it is
 * inlined. way: shape (edges of the node), or NULL: asked here. */
REPLAY_INLINE void sweep_node(const replay_graph *g, const replay_times *t, uint32_t i, pair *row,
                              size_t pairs, size_t first, const size_t some, const double *way) {
    const replay_node *n = &g->nodes[i];
    pair at[PAIRS_MOST];
#pragma GCC unroll 9
    for (size_t k = 0; k < some; k++)
        at[k] = pair_of(-INFINITY, -INFINITY);
    for (uint32_t e = n->first_edge; e < n[1].first_edge; e++) {
        const pair *from = &row[row_of(g, g->edges[e].from) * pairs + first];
        double ns = way ? way[e - n->first_edge] : way_ns(g, t, n, &g->edges[e]);
#pragma GCC unroll 9
        for (size_t k = 0; k < some; k++)
            at[k] = pair_most(pair_add(from[k], pair_of(ns, ns)), at[k]);
    }
    double own = own_ns(g, t, n);
    pair *to = &row[row_of(g, i) * pairs + first];
#pragma GCC unroll 9
    for (size_t k = 0; k < some; k++)
        to[k] = pair_add(at[k], pair_of(own, own));
}

/* So few states that a row is in registers at once. row: shape (rows, pairs). */
REPLAY_INLINE void sweep_few(const replay_graph *g, const replay_times *t, pair *row,
                             const size_t pairs) {
    for (uint32_t i = 0; i < g->node_count; i++)
        sweep_node(g, t, i, row, pairs, 0, pairs, NULL);
}

/* row: shape (rows, pairs), pairs a multiple of PAIRS_MOST. way: shape (most_edges). */
static void sweep_many(const replay_graph *g, const replay_times *t, pair *row, size_t pairs,
                       double *way) {
    for (uint32_t i = 0; i < g->node_count; i++) {
        const replay_node *n = &g->nodes[i];
        for (uint32_t e = n->first_edge; e < n[1].first_edge; e++)
            way[e - n->first_edge] = way_ns(g, t, n, &g->edges[e]);
        for (size_t first = 0; first < pairs; first += PAIRS_MOST)
            sweep_node(g, t, i, row, pairs, first, PAIRS_MOST, way);
    }
}

static void sweep(const replay_graph *g, const replay_times *t, pair *row, size_t pairs,
                  double *way) {
    for (size_t s = 0; s < g->state_count; s++)
        for (size_t k = 0; k < pairs; k++)
            row[s * pairs + k] = begins_with(s, 2 * k);
    switch (pairs) {
#define FEW(pairs)                                                                                 \
    case pairs:                                                                                    \
        sweep_few(g, t, row, pairs);                                                               \
        break
        FEW(1);
        FEW(2);
        FEW(3);
        FEW(4);
        FEW(5);
        FEW(6);
        FEW(7);
        FEW(8);
        FEW(PAIRS_MOST);
#undef FEW
    default:
        sweep_many(g, t, row, pairs, way);
        break;
    }
}

/* Pairs of a row: of all states, and whole PAIRS_MOST where those are not enough. */
static size_t pairs_of(const replay_graph *g) {
    size_t pairs = g->state_count > 2 ? (g->state_count + 1) / 2 : 1;
    return pairs <= PAIRS_MOST ? pairs : (pairs + PAIRS_MOST - 1) / PAIRS_MOST * PAIRS_MOST;
}

bool replay_find_ways(const replay_graph *g, const replay_times *t, replay_ways out) {
    size_t pairs = pairs_of(g), width = 2 * pairs;
    double *rows = malloc((g->state_count + g->slot_count) * width * sizeof *rows);
    double *way = malloc((g->most_edges + 1) * sizeof *way);
    bool fine = rows && way;
    if (fine)
        sweep(g, t, (pair *)(void *)rows, pairs, way);
    for (size_t i = 0; fine && i < g->state_count; i++)
        for (size_t j = 0; j < g->state_count; j++)
            out[i][j] = g->state_nodes[j] == HABITAT_NONE
                            ? -INFINITY
                            : rows[row_of(g, g->state_nodes[j]) * width + i];
    free(rows);
    free(way);
    return fine;
}
