/* Kernels that wait for room: launched in time, and after all that their stream waits for, one
 * still begins late, because blocks of another stream's kernel fill the GPU. It begins when that
 * one has no more blocks to hand out, often before its end. The recording shows how long before. */
#include "base/constants.h"
#include "replay/builder.h"

void replay_find_reasons(const replay_builder *b, size_t node, size_t edge_end,
                         replay_reasons *out) {
    const replay_graph *g = b->graph;
    const replay_node *n = &g->nodes[node];
    *out = (replay_reasons){-INFINITY, -INFINITY, false};
    for (size_t e = n->first_edge; e < edge_end; e++) {
        const replay_edge *edge = &g->edges[e];
        if ((edge->from & REPLAY_CARRY) || (replay_edge_flags(edge) & REPLAY_ROOM))
            continue;
        const replay_node *from = &g->nodes[edge->from];
        if (from->kind == REPLAY_KERNEL) {
            out->kernels_ns =
                fmax(out->kernels_ns, (double)replay_kernel_end(b->own[from->index].kernel));
            out->crosses |= from->place != n->place;
        } else {
            out->launch_ns = (double)replay_point_ns(b, from) + replay_edge_cpu_ns(g, edge);
        }
    }
}

static bool takes_room(const habitat_kernel *k) {
    return !habitat_is_copy(k) && k->form->kind != HABITAT_KERNEL_COLLECTIVE;
}

/* Has it enough blocks to leave no room at all? One of few blocks is in nobody's way. */
static bool fills(const replay_builder *b, uint32_t own) {
    const habitat_workload_kernel *k = &b->own[own];
    uint64_t wave = k->launch == HABITAT_NONE ? 0 : b->w->origin_waves[k->launch];
    return wave > 0 && k->facts.blocks >= wave;
}

/* What began last on another stream, was there while the kernel waited, and had not ended long
 * before it began. */
static uint32_t in_the_way(const replay_builder *b, const replay_node *n, double could_ns) {
    const habitat_kernel *k = b->own[n->index].kernel;
    uint32_t found = HABITAT_NONE;
    for (uint32_t s = 0; s < b->stream_count; s++) {
        uint32_t other = b->streams[s].last;
        if (s == n->place || other == HABITAT_NONE || b->streams[s].device != k->form->device)
            continue;
        const habitat_kernel *o = b->own[other].kernel;
        double end = (double)replay_kernel_end(o);
        if (takes_room(o) && fills(b, other) && end > could_ns &&
            end + chosen_replay_gap_most_ns >= (double)k->start_ns &&
            (found == HABITAT_NONE || o->start_ns >= b->own[found].kernel->start_ns))
            found = other;
    }
    return found;
}

bool replay_room(replay_builder *b, size_t node) {
    const replay_node *n = &b->graph->nodes[node];
    const habitat_kernel *k = b->own[n->index].kernel;
    replay_reasons reasons;
    replay_find_reasons(b, node, b->graph->edge_count, &reasons);
    double could_ns = fmax(reasons.kernels_ns, reasons.launch_ns), start = (double)k->start_ns;
    if (!takes_room(k) || isinf(could_ns) || start <= could_ns + chosen_replay_gap_most_ns)
        return true;
    uint32_t other = in_the_way(b, n, could_ns);
    if (other == HABITAT_NONE)
        return true;
    const habitat_kernel *o = b->own[other].kernel;
    double left = (double)replay_kernel_end(o) - start;
    if (left <= 0.0)
        return replay_add_edge(b->graph, b->kernel_node[other], REPLAY_GAP, 0.0);
    return replay_add_edge(b->graph, b->kernel_node[other], REPLAY_ROOM,
                           left / (double)o->duration_ns);
}
