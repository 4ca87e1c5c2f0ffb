/* Kernels that wait for room: launched in time, and after all that their stream waits for, one
 * still begins late, because blocks of another stream's kernel fill the GPU. It begins when that
 * one has no more blocks to hand out, often before its end. The recording shows how long before.
 *
 * Under the profiler the CPU is slow, and kernels that would meet on a GPU far behind are launched
 * one after the other. Where two that meet then have more blocks together than the GPU holds at
 * once, nothing is gained: they take as long as one after the other, and the second one waits. What
 * the first one leaves idle are SMs that it has no block for. See docs/decisions/0385. */
#include "base/constants_replay.h"
#include "gpu/gpu.h"
#include "replay/builder.h"

void replay_find_reasons(const replay_builder *b, size_t node, size_t edge_end,
                         replay_reasons *out) {
    const replay_graph *g = b->graph;
    const replay_node *n = &g->nodes[node];
    *out = (replay_reasons){-INFINITY, -INFINITY, false, false};
    for (size_t e = n->first_edge; e < edge_end; e++) {
        const replay_edge *edge = &g->edges[e];
        if ((edge->from & REPLAY_CARRY) || (replay_edge_flags(edge) & REPLAY_ROOM))
            continue;
        const replay_node *from = &g->nodes[edge->from];
        if (from->kind == REPLAY_KERNEL) {
            const habitat_kernel *k = b->own[from->index].kernel;
            double end = (double)replay_kernel_end(k);
            if (end >= out->kernels_ns)
                out->message = k->form->kind == HABITAT_KERNEL_COLLECTIVE;
            out->kernels_ns = fmax(out->kernels_ns, end);
            out->crosses |= from->place != n->place;
        } else {
            out->launch_ns = (double)replay_point_ns(b, from) + replay_edge_cpu_ns(g, edge);
        }
    }
}

static bool takes_room(const habitat_kernel *k) {
    return !habitat_is_copy(k) && k->form->kind != HABITAT_KERNEL_COLLECTIVE;
}

/* What of a GPU a kernel's blocks take: 1 they leave no room at all; 0 not known. One of few blocks
 * is in nobody's way. */
static double share_of(const replay_builder *b, uint32_t own) {
    const habitat_workload_kernel *k = &b->own[own];
    uint64_t wave = k->launch == HABITAT_NONE ? 0 : b->w->origin_waves[k->launch];
    return wave > 0 ? fmin(1.0, (double)k->facts.blocks / (double)wave) : 0.0;
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
        if (takes_room(o) && share_of(b, other) >= 1.0 && end > could_ns &&
            end + chosen_replay_gap_most_ns >= (double)k->start_ns &&
            (found == HABITAT_NONE || o->start_ns >= b->own[found].kernel->start_ns))
            found = other;
    }
    return found;
}

static bool wait_for_room(replay_builder *b, size_t node) {
    const replay_node *n = &b->graph->nodes[node];
    const habitat_kernel *k = b->own[n->index].kernel;
    replay_reasons reasons;
    replay_find_reasons(b, node, b->graph->edge_count, &reasons);
    double could_ns = fmax(reasons.kernels_ns, reasons.launch_ns), start = (double)k->start_ns;
    if (!takes_room(k) || isinf(could_ns) || start <= could_ns + chosen_replay_gap_most_ns)
        return true;
    /* without the other ranks' delays it would meet other kernels than it did */
    if (b->own[n->index].shortened || (b->w->is_rank && reasons.message))
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

/* ---- one after the other ---- */

/* When the last node may happen, by its edges so far, if all is launched at once: pauses are not
 * known yet, and matter little. */
static double could_ns(const replay_builder *b, size_t node) {
    const replay_graph *g = b->graph;
    double at = 0.0;
    for (size_t e = g->nodes[node].first_edge; e < g->edge_count; e++) {
        const replay_edge *edge = &g->edges[e];
        uint32_t flags = replay_edge_flags(edge);
        if (edge->from & REPLAY_CARRY)
            continue;
        double from_ns = b->at_once_ns[edge->from];
        if (flags & REPLAY_GAP)
            from_ns += fitted_replay_gap_ns;
        if (flags & REPLAY_ROOM)
            from_ns -= replay_edge_cpu_ns(g, edge) *
                       (double)b->own[g->nodes[edge->from].index].kernel->duration_ns;
        at = fmax(at, from_ns);
    }
    return at;
}

void replay_at_once(replay_builder *b, size_t node) {
    const replay_node *n = &b->graph->nodes[node];
    double own_ns = n->kind == REPLAY_KERNEL ? (double)b->own[n->index].kernel->duration_ns : 0.0;
    b->at_once_ns[node] = could_ns(b, node) + own_ns;
}

/* What of a kernel's time the SMs that it leaves free could do: none with a block on each. */
static double left_of(const replay_builder *b, uint32_t own) {
    return fmax(0.0, 1.0 - (double)b->own[own].facts.blocks / b->w->origin->sm_count);
}

/* Until when `other` is in the way of a kernel that could begin at `at_ns`; before that: it is not.
 * It is where there is no room for both and it is at work then. What ran side by side in the
 * recording took as long as that takes. */
static double turn_ns(const replay_builder *b, uint32_t kernel, uint32_t other, double at_ns) {
    const habitat_kernel *k = b->own[kernel].kernel, *o = b->own[other].kernel;
    double end_ns = b->at_once_ns[b->kernel_node[other]], lasts_ns = (double)o->duration_ns;
    double share = share_of(b, other);
    bool meet = share > 0.0 && share + share_of(b, kernel) > 1.0 && takes_room(o) &&
                o->form->device == k->form->device && end_ns - lasts_ns <= at_ns &&
                replay_kernel_end(o) <= k->start_ns;
    return meet ? end_ns - left_of(b, other) * lasts_ns : -INFINITY;
}

static bool take_turns(replay_builder *b, size_t node) {
    const replay_node *n = &b->graph->nodes[node];
    double at_ns = could_ns(b, node), last_ns = at_ns;
    uint32_t found = HABITAT_NONE;
    if (!takes_room(b->own[n->index].kernel) || !(share_of(b, n->index) > 0.0))
        return true;
    for (uint32_t s = 0; s < b->stream_count; s++) {
        uint32_t others[] = {b->streams[s].last, b->streams[s].last_but_one};
        for (int i = 0; i < 2 && s != n->place; i++) {
            double ns =
                others[i] == HABITAT_NONE ? -INFINITY : turn_ns(b, n->index, others[i], at_ns);
            found = ns > last_ns ? others[i] : found;
            last_ns = fmax(last_ns, ns);
        }
    }
    return found == HABITAT_NONE ||
           replay_add_edge(b->graph, b->kernel_node[found], REPLAY_ROOM, left_of(b, found));
}

bool replay_kernel_room(replay_builder *b, size_t node) {
    return wait_for_room(b, node) && take_turns(b, node);
}
