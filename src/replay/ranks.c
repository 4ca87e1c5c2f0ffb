/* One graph of several ranks: their nodes one rank after another up to a message, then the message
 * of each rank, which comes after all that any rank's comes after. */
#include "replay/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "replay/state_sweep.h"
#include "workload/workload.h"

void replay_ranks_free(replay_ranks *ranks) {
    for (size_t r = 0; ranks->alone && r < ranks->count; r++)
        replay_graph_free(&ranks->alone[r]);
    free(ranks->alone);
    free(ranks->first_kernel);
    free(ranks->joint.recorded_ns);
    replay_graph_free(&ranks->joint.graph);
}

/* ---- making one graph ---- */

typedef struct rank {
    size_t first_node; /* of its nodes among the moved ones */
    size_t next;       /* node that was not yet put */
    size_t first_kernel, first_state, state_count;
    uint32_t last_message; /* kernel; or HABITAT_NONE */
} rank;

typedef struct merging {
    const replay_ranks *from;
    rank *ranks;     /* shape (from->count) */
    uint32_t *moved; /* where nodes went: those of one rank after another */
    replay_graph *out;
} merging;

static bool is_message(const merging *m, size_t r, const replay_node *n) {
    return n->kind == REPLAY_KERNEL &&
           m->from->workloads[r]->kernels[n->index].kernel->form->kind == HABITAT_KERNEL_COLLECTIVE;
}

/* A state that is not followed among so many ranks starts free. */
static bool take_edges(merging *m, size_t of, size_t node) {
    const rank *r = &m->ranks[of];
    const replay_graph *own = &m->from->alone[of];
    const replay_node *n = &own->nodes[node];
    bool fine = true;
    for (uint32_t e = n->first_edge; fine && e < n[1].first_edge; e++) {
        const replay_edge *edge = &own->edges[e];
        uint32_t state = edge->from ^ REPLAY_CARRY, from = 0;
        if (!(edge->from & REPLAY_CARRY))
            from = m->moved[r->first_node + edge->from];
        else if (state < r->state_count)
            from = REPLAY_CARRY | (uint32_t)(r->first_state + state);
        else
            continue;
        fine = replay_add_waiting_edge(m->out, from, replay_edge_flags(edge),
                                       replay_edge_side(own, edge));
    }
    return fine;
}

static bool put_node(merging *m, size_t of) {
    const rank *r = &m->ranks[of];
    replay_graph *g = m->out;
    replay_node *made = &g->nodes[g->node_count];
    m->moved[r->first_node + r->next] = (uint32_t)g->node_count++;
    *made = m->from->alone[of].nodes[r->next];
    made->first_edge = (uint32_t)g->edge_count;
    if (made->kind != REPLAY_KERNEL)
        return true;
    double gap_ns = replay_gap_ns(&m->from->alone[of], made->index);
    made->index += (uint32_t)r->first_kernel;
    return replay_set_way(g, &g->gaps[made->index], gap_ns);
}

/* Up to the rank's next message, or its end. */
static bool put_own(merging *m, size_t of) {
    rank *r = &m->ranks[of];
    const replay_graph *own = &m->from->alone[of];
    bool fine = true;
    for (; fine && r->next < own->node_count && !is_message(m, of, &own->nodes[r->next]);
         r->next++) {
        fine = put_node(m, of) && take_edges(m, of, r->next);
    }
    return fine;
}

/* Whether every rank is at its next message in the order of their starts. */
static bool all_at_next(const merging *m) {
    for (size_t i = 0; i < m->from->count; i++) {
        rank *r = &m->ranks[i];
        const replay_graph *own = &m->from->alone[i];
        if (r->next >= own->node_count)
            return false;
        uint32_t kernel = own->nodes[r->next].index;
        if (r->last_message != HABITAT_NONE && kernel < r->last_message)
            return false;
        r->last_message = kernel;
    }
    return true;
}

/* One message: on each rank it begins when all have come to it. */
static bool put_message(merging *m) {
    bool fine = true;
    for (size_t i = 0; fine && i < m->from->count; i++) {
        fine = put_node(m, i);
        for (size_t j = 0; fine && j < m->from->count; j++)
            fine = take_edges(m, j, m->ranks[j].next);
    }
    for (size_t i = 0; i < m->from->count; i++)
        m->ranks[i].next++;
    return fine;
}

static habitat_status put_all(merging *m, size_t messages, habitat_error *err) {
    bool fine = true;
    for (size_t k = 0; fine && k <= messages; k++) {
        for (size_t i = 0; fine && i < m->from->count; i++)
            fine = put_own(m, i);
        if (fine && k < messages && !all_at_next(m))
            return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                                "collectives overlap one another, or come in another order on some "
                                "rank; such ranks are not put together");
        fine = fine && (k == messages || put_message(m));
    }
    m->out->nodes[m->out->node_count].first_edge = (uint32_t)m->out->edge_count;
    return fine ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}

static void set_states(const merging *m) {
    replay_graph *g = m->out;
    for (size_t i = 0; i < REPLAY_ALL_STATES; i++)
        g->state_nodes[i] = HABITAT_NONE;
    for (size_t i = 0; i < m->from->count; i++)
        for (size_t s = 0; s < m->ranks[i].state_count; s++) {
            uint32_t node = m->from->alone[i].state_nodes[s];
            if (node != HABITAT_NONE)
                g->state_nodes[m->ranks[i].first_state + s] =
                    m->moved[m->ranks[i].first_node + node];
        }
}

/* Each rank has its CPU, and of its streams the busiest. */
static bool set_up(merging *m) {
    replay_graph *g = m->out;
    size_t nodes = 0, count = m->from->count, most = REPLAY_ALL_STATES / count;
    g->has_cpu = true;
    for (size_t i = 0; i < count; i++) {
        const replay_graph *own = &m->from->alone[i];
        m->ranks[i] = (rank){.first_node = nodes,
                             .first_kernel = g->kernel_count,
                             .first_state = g->state_count,
                             .state_count = own->state_count < most ? own->state_count : most,
                             .last_message = HABITAT_NONE};
        m->from->first_kernel[i] = g->kernel_count;
        g->kernel_count += own->kernel_count;
        g->state_count += m->ranks[i].state_count;
        g->latency_ns += own->latency_ns / (double)count;
        g->slow_work_ns = fmax(g->slow_work_ns, own->slow_work_ns);
        g->has_cpu &= own->has_cpu;
        nodes += own->node_count;
    }
    m->from->first_kernel[count] = g->kernel_count;
    m->moved = malloc((nodes + 1) * sizeof *m->moved);
    g->nodes = calloc(nodes + 1, sizeof *g->nodes);
    g->gaps = calloc(g->kernel_count + 1, sizeof *g->gaps);
    return m->moved && g->nodes && g->gaps && nodes < REPLAY_CARRY;
}

static habitat_status merge(replay_ranks *ranks, habitat_error *err) {
    merging m = {.from = ranks, .out = &ranks->joint.graph};
    m.ranks = calloc(ranks->count, sizeof *m.ranks);
    habitat_status status = m.ranks && set_up(&m)
                                ? put_all(&m, ranks->workloads[0]->collective_count, err)
                                : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK) {
        set_states(&m);
        if (!replay_set_slots(m.out))
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    free(m.moved);
    free(m.ranks);
    return status;
}

/* ---- with its times ---- */

/* Counts are of all ranks; of times that are left out the largest stands, as ranks run at once. */
static void add_info(habitat_replay_info *all, const habitat_replay_info *one) {
    if (one->trace_once_ms > all->trace_once_ms) {
        all->trace_once_ms = one->trace_once_ms;
        all->once_name = one->once_name;
    }
    all->once_count += one->once_count;
    all->loader_waits |= one->loader_waits;
    all->outside_waits |= one->outside_waits;
    if (!all->blocking_name)
        all->blocking_name = one->blocking_name;
    all->trace_node_count += one->trace_node_count;
    all->trace_edge_count += one->trace_edge_count;
    all->stream_count += one->stream_count;
    all->thread_count += one->thread_count;
    all->trace_handover_count += one->trace_handover_count;
    all->trace_wait_count += one->trace_wait_count;
    all->trace_guessed_waits += one->trace_guessed_waits;
    all->trace_unlaunched_count += one->trace_unlaunched_count;
    all->in_recorded_order |= one->in_recorded_order;
}

static habitat_status build_all(replay_ranks *ranks, habitat_error *err) {
    habitat_status status = HABITAT_OK;
    habitat_replay_info info;
    for (size_t r = 0; status == HABITAT_OK && r < ranks->count; r++) {
        memset(&info, 0, sizeof info);
        status = replay_build(ranks->workloads[r], &ranks->alone[r], &info, err);
        if (r == 0)
            ranks->joint.info = info;
        else
            add_info(&ranks->joint.info, &info);
    }
    return status == HABITAT_OK ? merge(ranks, err) : status;
}

static habitat_status set_recorded(replay_ranks *ranks, habitat_error *err) {
    habitat_replay *joint = &ranks->joint;
    joint->recorded_ns = malloc((joint->graph.kernel_count + 1) * sizeof *joint->recorded_ns);
    if (!joint->recorded_ns)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t r = 0; r < ranks->count; r++)
        for (size_t i = 0; i < ranks->alone[r].kernel_count; i++)
            joint->recorded_ns[ranks->first_kernel[r] + i] =
                ranks->workloads[r]->kernels[i].facts.time_ns;
    joint->iterations = (double)joint->workload->info.iteration_count;
    return HABITAT_OK;
}

static habitat_status calibrate(habitat_replay *joint, habitat_error *err) {
    habitat_status status = replay_calibrate(joint, err);
    if (status == HABITAT_OK)
        status = replay_iteration_ms(joint, NULL, 1.0, 1.0, &joint->info.iteration_ms, err);
    if (status == HABITAT_OK && replay_knows_origin(joint))
        joint->info.iteration_ms = joint->workload->info.iteration_ms; /* to the bit */
    return status;
}

habitat_status replay_ranks_create(const habitat_workload *const *workloads, size_t count,
                                   const habitat_replay_options *options, replay_ranks *out,
                                   habitat_error *err) {
    *out = (replay_ranks){.count = count, .workloads = workloads};
    if (!count)
        return habitat_fail(err, HABITAT_E_ARG, "no ranks are given");
    out->joint.workload = workloads[0];
    if (options)
        out->joint.options = *options;
    out->alone = calloc(count, sizeof *out->alone);
    out->first_kernel = calloc(count + 1, sizeof *out->first_kernel);
    if (!out->alone || !out->first_kernel)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    habitat_status status = build_all(out, err);
    if (status == HABITAT_OK)
        status = set_recorded(out, err);
    return status == HABITAT_OK ? calibrate(&out->joint, err) : status;
}
