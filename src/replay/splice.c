/* See splice.h. Nodes keep their order: a new one stands right before or behind an old one, and
 * whoever waits comes after all that it waits for. */
#include "replay/splice.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "replay/state_sweep.h"

bool splice_begin(splice *s, const replay_graph *old) {
    *s = (splice){.cpu_ns = calloc(old->node_count + 1, sizeof *s->cpu_ns)};
    return s->cpu_ns != NULL;
}

void splice_free(splice *s) {
    free(s->nodes);
    free(s->edges);
    free(s->cpu_ns);
}

static void *make_room(void *list, size_t count, size_t *capacity, size_t each) {
    return list_grow(list, count, capacity, 64, SPLICE_NEW - 1, each);
}

uint32_t splice_add(splice *s, const splice_node *node) {
    splice_node *nodes = make_room(s->nodes, s->node_count, &s->node_capacity, sizeof *nodes);
    if (!nodes)
        return HABITAT_NONE;
    s->nodes = nodes;
    s->nodes[s->node_count] = *node;
    return SPLICE_NEW | (uint32_t)s->node_count++;
}

bool splice_link(splice *s, uint32_t from, uint32_t to, uint32_t flags) {
    splice_edge *edges = make_room(s->edges, s->edge_count, &s->edge_capacity, sizeof *edges);
    if (!edges)
        return false;
    s->edges = edges;
    s->edges[s->edge_count++] = (splice_edge){from, to, flags, 0.0};
    return true;
}

/* ---- the longer graph ---- */

typedef struct making {
    const splice *s;
    const replay_graph *old;
    replay_graph *out;
    uint32_t *order;           /* shape (new nodes): in the order in which they stand */
    uint32_t *links;           /* shape (edges): ordered by the node that they lead to */
    uint32_t *old_to, *new_to; /* where nodes went, or HABITAT_NONE yet */
    uint32_t *tail;            /* shape (old nodes): the last new one behind it on its stream */
} making;

typedef struct place {
    uint64_t key;
    uint32_t index;
} place;

static int by_key(const void *x, const void *y) {
    const place *a = x, *b = y;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static uint64_t node_key(const void *list, size_t i) {
    const splice_node *n = &((const splice_node *)list)[i];
    return 2 * (uint64_t)n->at + !n->before;
}

static uint64_t link_key(const void *list, size_t i) {
    return ((const splice_edge *)list)[i].to;
}

static uint32_t *ordered(const void *list, size_t count, uint64_t (*key)(const void *, size_t)) {
    place *all = malloc((count + 1) * sizeof *all);
    uint32_t *out = malloc((count + 1) * sizeof *out);
    for (size_t i = 0; all && i < count; i++)
        all[i] = (place){key(list, i), (uint32_t)i};
    if (all && out) {
        qsort(all, count, sizeof *all, by_key);
        for (size_t i = 0; i < count; i++)
            out[i] = all[i].index;
    }
    bool fine = all && out;
    free(all);
    if (!fine)
        free(out);
    return fine ? out : NULL;
}

static uint32_t moved(const making *m, uint32_t node) {
    if (node & REPLAY_CARRY)
        return node;
    return node & SPLICE_NEW ? m->new_to[node ^ SPLICE_NEW] : m->old_to[node];
}

/* Edges of old node `of`, as those of the node that is being made. */
static bool take_edges(making *m, size_t of, bool launch) {
    const replay_node *to = &m->old->nodes[of];
    for (uint32_t e = to->first_edge; e < to[1].first_edge; e++) {
        const replay_edge *edge = &m->old->edges[e];
        if (!launch && replay_edge_flags(edge) & REPLAY_LAUNCH)
            continue;
        replay_side side = replay_edge_side(m->old, edge);
        double recorded_ns = side.cpu_ns;
        uint32_t flags = replay_edge_flags(edge);
        bool carried = edge->from & REPLAY_CARRY;
        const replay_node *from = carried ? NULL : &m->old->nodes[edge->from];
        bool follows = from && (to->kind == REPLAY_WAKE ||
                                (to->kind == REPLAY_KERNEL && from->place == to->place));
        if (from && to->kind != REPLAY_KERNEL && from->place == to->place)
            side.cpu_ns += m->s->cpu_ns[edge->from];
        if (!replay_add_waiting_edge(m->out, moved(m, edge->from), flags, side))
            return false;
        if (follows && from->kind == REPLAY_KERNEL && m->tail[edge->from] != HABITAT_NONE &&
            !replay_add_edge(m->out, m->new_to[m->tail[edge->from]], flags, recorded_ns))
            return false;
    }
    return true;
}

/* Edges that the splice adds to node `to`; links are ordered by it. Where two threads launch at
 * once, or clocks are off, kernels may have run in another order than they were launched in: then
 * what is to be waited for may stand behind, and nobody waits for it. */
static bool take_links(making *m, uint32_t to) {
    size_t low = 0;
    LIST_FIRST_NOT(low, m->s->edge_count, m->s->edges[m->links[middle]].to < to);
    for (; low < m->s->edge_count && m->s->edges[m->links[low]].to == to; low++) {
        const splice_edge *e = &m->s->edges[m->links[low]];
        uint32_t from = moved(m, e->from);
        if (from != HABITAT_NONE && !replay_add_edge(m->out, from, e->flags, e->cpu_ns))
            return false;
    }
    return true;
}

static bool put_new(making *m, uint32_t i, double gap_ns) {
    const splice_node *n = &m->s->nodes[i];
    replay_graph *g = m->out;
    m->new_to[i] = (uint32_t)g->node_count;
    uint32_t index = (uint32_t)(m->old->kernel_count + i);
    g->nodes[g->node_count++] = (replay_node){.index = index,
                                              .place = n->stream & REPLAY_PLACE_MOST,
                                              .first_edge = (uint32_t)g->edge_count,
                                              .kind = REPLAY_KERNEL};
    if (n->in_stream)
        m->tail[n->at] = i;
    return replay_set_way(g, &g->gaps[index], gap_ns) &&
           (!n->before || take_edges(m, n->at, !n->launched)) && take_links(m, SPLICE_NEW | i);
}

static bool put_all(making *m, double gap_ns) {
    replay_graph *g = m->out;
    size_t next = 0;
    bool fine = true;
    for (size_t i = 0; fine && i < m->old->node_count; i++) {
        const splice_node *all = m->s->nodes;
        for (; fine && next < m->s->node_count && all[m->order[next]].at == i &&
               all[m->order[next]].before;
             next++)
            fine = put_new(m, m->order[next], gap_ns);
        m->old_to[i] = (uint32_t)g->node_count;
        g->nodes[g->node_count] = m->old->nodes[i];
        g->nodes[g->node_count++].first_edge = (uint32_t)g->edge_count;
        fine = fine && take_edges(m, i, true) && take_links(m, (uint32_t)i);
        for (; fine && next < m->s->node_count && all[m->order[next]].at == i; next++)
            fine = put_new(m, m->order[next], gap_ns);
    }
    g->nodes[g->node_count].first_edge = (uint32_t)g->edge_count;
    return fine;
}

static bool copy_gaps(const replay_graph *old, replay_graph *out) {
    bool fine = true;
    for (size_t i = 0; fine && i < old->kernel_count; i++)
        fine = replay_set_way(out, &out->gaps[i], replay_gap_ns(old, i));
    return fine;
}

static void set_states(const making *m) {
    replay_graph *g = m->out;
    for (size_t i = 0; i < g->state_count; i++) {
        uint32_t node = m->old->state_nodes[i];
        g->state_nodes[i] = node == HABITAT_NONE            ? HABITAT_NONE
                            : m->tail[node] != HABITAT_NONE ? m->new_to[m->tail[node]]
                                                            : m->old_to[node];
    }
}

habitat_status splice_make(const splice *s, const replay_graph *old, double gap_ns,
                           replay_graph *out, habitat_error *err) {
    size_t nodes = old->node_count + s->node_count, kernels = old->kernel_count + s->node_count;
    *out = *old;
    out->edges = NULL;
    out->slot = NULL;
    out->long_ns = out->hidden_ns = NULL;
    out->node_count = out->edge_count = out->edge_capacity = 0;
    out->long_count = out->long_capacity = 0;
    out->kernel_count = kernels;
    out->nodes = calloc(nodes + 1, sizeof *out->nodes);
    out->gaps = calloc(kernels + 1, sizeof *out->gaps);
    if (old->hidden_ns)
        out->hidden_ns = calloc(kernels + 1, sizeof *out->hidden_ns);
    making m = {.s = s, .old = old, .out = out};
    m.order = ordered(s->nodes, s->node_count, node_key);
    m.links = ordered(s->edges, s->edge_count, link_key);
    m.old_to = malloc((nodes + 1) * sizeof *m.old_to);
    m.new_to = malloc((nodes + 1) * sizeof *m.new_to);
    m.tail = malloc((old->node_count + 1) * sizeof *m.tail);
    bool fine = out->nodes && out->gaps && !old->hidden_ns == !out->hidden_ns && m.order &&
                m.links && m.old_to && m.new_to && m.tail && nodes < SPLICE_NEW;
    if (fine) {
        fine = copy_gaps(old, out);
        if (old->hidden_ns)
            memcpy(out->hidden_ns, old->hidden_ns, old->kernel_count * sizeof *out->hidden_ns);
        for (size_t i = 0; i < old->node_count; i++)
            m.tail[i] = m.old_to[i] = HABITAT_NONE;
        for (size_t i = 0; i < s->node_count; i++)
            m.new_to[i] = HABITAT_NONE;
        fine = fine && put_all(&m, gap_ns);
    }
    if (fine) {
        set_states(&m);
        fine = replay_set_slots(out);
    }
    free(m.order);
    free(m.links);
    free(m.old_to);
    free(m.new_to);
    free(m.tail);
    return fine ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}
