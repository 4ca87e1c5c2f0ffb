/* The scaler of fp16 asks the GPU whether a gradient overflowed before an optimiser may begin. So
 * the CPU waits before each step of one, and the GPU is idle when it goes on: what it launches from
 * there to the next such wait begins together; behind the last one this is the rest of the
 * recording and the next iteration up to its first. Two sweeps: of all that lies between two waits,
 * and from what the last one leaves behind up to the first one. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "replay/marks.h"
#include "trace/names.h"
#include "workload/workload.h"

/* One kernel of all parameters is given the scale, and looks itself whether a gradient overflowed:
 * PyTorch's scaler asks nothing then. */
static bool is_fused(const char *name) {
    static const char *const optimisers[] = {"aten::_fused_adam", "aten::_fused_sgd",
                                             "aten::_fused_adagrad"};
    for (size_t i = 0; i < sizeof optimisers / sizeof *optimisers; i++)
        if (name_begins(name, optimisers[i]))
            return true;
    return false;
}

/* When the steps of optimisers began; one inside another is asked about with it. None where the
 * scaler asks about one of them nothing. False when out of memory. */
static bool find_waits(const habitat_replay *r, replay_marks *w) {
    size_t count = 0;
    const habitat_operation *ops = habitat_trace_operations(r->workload->trace, &count);
    uint64_t until = 0;
    uint32_t thread = HABITAT_NONE;
    for (size_t i = 0; i < count; i++) {
        const habitat_operation *op = &ops[i];
        if (op->iteration == HABITAT_NONE)
            continue;
        if (is_fused(op->form->name)) {
            w->count = 0;
            return true;
        }
        if (!name_is_optimizer_step(op->form->name) ||
            (op->form->thread == thread && op->start_ns < until))
            continue;
        if (!replay_mark(w, op->start_ns))
            return false;
        until = op->start_ns + op->duration_ns;
        thread = op->form->thread;
    }
    replay_sort_marks(w);
    return true;
}

static bool is_added(const habitat_replay *r, const replay_node *n) {
    return n->kind == REPLAY_KERNEL && n->index >= r->workload->kernel_count;
}

/* What several GPUs add (parallel.c) belongs to the gradients whose kernels it comes after: the
 * scaler waits for all of it, also for what is put in before a kernel of the optimiser. */
static uint32_t part_before(const replay_graph *g, const uint32_t *part, size_t i) {
    uint32_t latest = 0;
    for (uint32_t e = g->nodes[i].first_edge; e < g->nodes[i + 1].first_edge; e++) {
        uint32_t from = g->edges[e].from;
        if (!(from & REPLAY_CARRY) && g->nodes[from].kind == REPLAY_KERNEL && part[from] > latest)
            latest = part[from];
    }
    return latest;
}

static void set_parts(const habitat_replay *r, const uint64_t *waits_ns, size_t waits,
                      uint32_t *part) {
    const replay_graph *g = &r->graph;
    for (size_t i = 0; i < g->node_count; i++)
        part[i] = g->nodes[i].kind == REPLAY_END ? (uint32_t)waits
                  : is_added(r, &g->nodes[i])
                      ? part_before(g, part, i)
                      : replay_part_of(waits_ns, waits, replay_asked_ns(r, &g->nodes[i]));
}

/* What of a part is over last: a node, or something outside that the CPU waits for behind it. */
typedef struct part_end {
    uint32_t node; /* HABITAT_NONE: nothing is in the part */
    double outside_ns, at_ns;
} part_end;

static void put_end(part_end *end, uint32_t node, double outside_ns, const double *value) {
    double at_ns = value[node] + outside_ns;
    if (end->node == HABITAT_NONE || at_ns > end->at_ns)
        *end = (part_end){.node = node, .outside_ns = outside_ns, .at_ns = at_ns};
}

/* ends: shape (parts). */
static void find_ends(const replay_graph *g, const replay_times *t, const uint32_t *part,
                      size_t waits, const double *value, part_end *ends) {
    for (size_t i = 0; i <= waits; i++)
        ends[i] = (part_end){.node = HABITAT_NONE};
    for (size_t i = 0; i < g->node_count; i++) {
        put_end(&ends[part[i]], (uint32_t)i, 0.0, value);
        for (uint32_t e = g->nodes[i].first_edge; e < g->nodes[i + 1].first_edge; e++) {
            uint32_t from = g->edges[e].from;
            double outside_ns = replay_edge_outside_ns(g, &g->edges[e], t);
            if (outside_ns > 0.0 && !(from & REPLAY_CARRY) && part[from] != part[i])
                put_end(&ends[part[from]], from, outside_ns, value);
        }
    }
}

/* How long the parts between two waits take together; the one around the recording's end goes on
 * into the first one. value: shape (node_count). ends: shape (parts). */
static double parts_ns(const replay_graph *g, const replay_times *t, const uint32_t *part,
                       size_t waits, double *value, part_end *ends, replay_path *path) {
    double carry[REPLAY_ALL_STATES] = {0.0}, sum = 0.0;
    replay_sweep_parts(g, t, carry, part, value);
    for (size_t i = 0; i < g->state_count; i++) {
        uint32_t last = g->state_nodes[i];
        carry[i] = last != HABITAT_NONE && part[last] == waits ? value[last] : 0.0;
    }
    replay_sweep_parts(g, t, carry, part, value);
    find_ends(g, t, part, waits, value, ends);
    for (size_t i = 0; i < waits; i++)
        if (ends[i].node != HABITAT_NONE) {
            sum += ends[i].at_ns;
            path->cpu_ns += ends[i].outside_ns;
            replay_walk_back(g, t, carry, part, value, ends[i].node, path);
        }
    return sum;
}

habitat_status replay_scaler_ns(const habitat_replay *r, const replay_times *times, double *out_ns,
                                replay_path *path, habitat_error *err) {
    const replay_graph *g = &r->graph;
    replay_marks w = {0};
    bool fine = find_waits(r, &w);
    uint32_t *part = malloc((g->node_count + 1) * sizeof *part);
    part_end *ends = malloc((w.count + 1) * sizeof *ends);
    double *value = malloc((g->node_count + 1) * sizeof *value);
    fine = fine && part && ends && value;
    *out_ns = 0.0;
    *path = (replay_path){0.0, 0.0, 0.0};
    if (fine && w.count) {
        set_parts(r, w.at_ns, w.count, part);
        *out_ns = parts_ns(g, times, part, w.count, value, ends, path);
    }
    free(w.at_ns);
    free(part);
    free(ends);
    free(value);
    return fine ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}
