/* One sweep that begins with every state at once.
 *
 * A sweep of its own for each of a dozen states asks a dozen times what every edge takes. Here a
 * node has a row of times, one for each state that the iteration began with, and what an edge takes
 * is asked once for all of them. A row is kept only until the last node that waits for it has
 * happened, and its slot then is another node's: rows of thousands of nodes lie in a few dozen
 * slots, near the processor. Of each state the sums, and the largest of them, are those of
 * replay_sweep(), in that order: no bit of an answer depends on how it was found. */
#include "replay/abreast.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "replay/way.h"

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

/* ---- two and eight states ---- */

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

typedef struct eight {
    pair a, b, c, d;
} eight;

static inline pair begins_with(size_t state, size_t first) {
    return pair_of(state == first ? 0.0 : -INFINITY, state == first + 1 ? 0.0 : -INFINITY);
}

/* ---- sweeps ---- */

/* Rows: of the states at the beginning, then of the slots. */
static inline size_t row_of(const replay_graph *g, uint32_t node) {
    return node & REPLAY_CARRY ? node ^ REPLAY_CARRY : g->state_count + g->slot[node];
}

/* row: shape (rows). */
static void sweep_two(const replay_graph *g, const replay_times *t, pair *row) {
    for (size_t s = 0; s < g->state_count; s++)
        row[s] = begins_with(s, 0);
    for (uint32_t i = 0; i < g->node_count; i++) {
        const replay_node *n = &g->nodes[i];
        pair at = pair_of(-INFINITY, -INFINITY);
        for (uint32_t e = n->first_edge; e < n[1].first_edge; e++) {
            double way = way_ns(g, t, n, &g->edges[e]);
            at = pair_most(pair_add(row[row_of(g, g->edges[e].from)], pair_of(way, way)), at);
        }
        double own = own_ns(g, t, n);
        row[row_of(g, i)] = pair_add(at, pair_of(own, own));
    }
}

/* row: shape (rows, blocks), from the one block on. way: shape (edges of the node). */
static inline eight eight_at(const replay_graph *g, const replay_node *n, const eight *row,
                             size_t blocks, const double *way_ns, double own_ns) {
    const pair none = pair_of(-INFINITY, -INFINITY), own = pair_of(own_ns, own_ns);
    eight at = {none, none, none, none};
    for (uint32_t e = n->first_edge; e < n[1].first_edge; e++) {
        const eight *from = &row[row_of(g, g->edges[e].from) * blocks];
        pair way = pair_of(way_ns[e - n->first_edge], way_ns[e - n->first_edge]);
        at.a = pair_most(pair_add(from->a, way), at.a);
        at.b = pair_most(pair_add(from->b, way), at.b);
        at.c = pair_most(pair_add(from->c, way), at.c);
        at.d = pair_most(pair_add(from->d, way), at.d);
    }
    return (eight){pair_add(at.a, own), pair_add(at.b, own), pair_add(at.c, own),
                   pair_add(at.d, own)};
}

/* row: shape (rows, blocks). way: shape (most_edges). */
static void sweep_eights(const replay_graph *g, const replay_times *t, eight *row, size_t blocks,
                         double *way) {
    for (size_t s = 0; s < g->state_count; s++)
        for (size_t b = 0; b < blocks; b++)
            row[s * blocks + b] = (eight){begins_with(s, 8 * b), begins_with(s, 8 * b + 2),
                                          begins_with(s, 8 * b + 4), begins_with(s, 8 * b + 6)};
    for (uint32_t i = 0; i < g->node_count; i++) {
        const replay_node *n = &g->nodes[i];
        for (uint32_t e = n->first_edge; e < n[1].first_edge; e++)
            way[e - n->first_edge] = way_ns(g, t, n, &g->edges[e]);
        double own = own_ns(g, t, n);
        for (size_t b = 0; b < blocks; b++)
            row[row_of(g, i) * blocks + b] = eight_at(g, n, row + b, blocks, way, own);
    }
}

bool replay_find_ways(const replay_graph *g, const replay_times *t, replay_ways out) {
    size_t blocks = (g->state_count + 7) / 8, width = g->state_count > 2 ? 8 * blocks : 2;
    double *rows = malloc((g->state_count + g->slot_count) * width * sizeof *rows);
    double *way = malloc((g->most_edges + 1) * sizeof *way);
    bool fine = rows && way;
    if (fine && width == 2)
        sweep_two(g, t, (pair *)(void *)rows);
    else if (fine)
        sweep_eights(g, t, (eight *)(void *)rows, blocks, way);
    for (size_t i = 0; fine && i < g->state_count; i++)
        for (size_t j = 0; j < g->state_count; j++)
            out[i][j] = g->state_nodes[j] == HABITAT_NONE
                            ? -INFINITY
                            : rows[row_of(g, g->state_nodes[j]) * width + i];
    free(rows);
    free(way);
    return fine;
}
