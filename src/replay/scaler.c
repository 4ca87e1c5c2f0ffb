/* The scaler of fp16 asks the GPU whether a gradient overflowed before the optimiser may begin. So
 * the CPU waits there in every iteration, and the GPU is idle when it goes on: what it launches
 * from there to the end, and the next iteration up to there, begin together. Two sweeps: of all
 * that lies between two waits, and from what the last one leaves behind up to the first one. */
#include <stdlib.h>
#include <string.h>

#include <math.h>

#include "base/error.h"
#include "replay/graph.h"
#include "workload/workload.h"

/* One kernel of all parameters is given the scale, and looks itself whether a gradient overflowed:
 * PyTorch's scaler asks nothing then. */
static bool is_fused(const char *name) {
    static const char *const optimisers[] = {"aten::_fused_adam", "aten::_fused_sgd",
                                             "aten::_fused_adagrad"};
    for (size_t i = 0; i < sizeof optimisers / sizeof *optimisers; i++)
        if (strncmp(name, optimisers[i], strlen(optimisers[i])) == 0)
            return true;
    return false;
}

/* When the one optimiser of each iteration began its step, shape (iteration count); false where
 * none is asked about, or several are. */
static bool find_optimisers(const habitat_replay *r, uint64_t *out_ns) {
    size_t count = 0, found = 0, iterations = r->workload->info.iteration_count;
    const habitat_operation *ops = habitat_trace_operations(r->workload->trace, &count);
    memset(out_ns, 0, iterations * sizeof *out_ns);
    for (size_t i = 0; i < count; i++) {
        const char *name = ops[i].form->name;
        if (ops[i].iteration >= iterations) /* none */
            continue;
        if (is_fused(name))
            return false;
        if (strncmp(name, "Optimizer.step", 14) != 0)
            continue;
        if (out_ns[ops[i].iteration])
            return false;
        out_ns[ops[i].iteration] = ops[i].start_ns;
        found++;
    }
    return found == iterations;
}

static bool is_added(const habitat_replay *r, const replay_node *n) {
    return n->kind == REPLAY_KERNEL && n->index >= r->workload->kernel_count;
}

/* Of a kernel, when it was launched. */
static uint64_t asked_ns(const habitat_replay *r, const replay_node *n) {
    const habitat_workload *w = r->workload;
    if (n->kind != REPLAY_KERNEL)
        return replay_recorded_ns(w, &r->graph, n);
    const habitat_kernel *kernel = w->kernels[n->index].kernel;
    size_t count = 0;
    const habitat_call *calls = habitat_trace_calls(w->trace, &count);
    return kernel->call == HABITAT_NONE ? kernel->start_ns : calls[kernel->call].start_ns;
}

/* Waits that are over when a node is asked for. */
static uint32_t part_of(const uint64_t *waits_ns, size_t count, uint64_t at_ns) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (waits_ns[middle] <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
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
                  : is_added(r, &g->nodes[i])    ? part_before(g, part, i)
                                              : part_of(waits_ns, waits, asked_ns(r, &g->nodes[i]));
}

/* How long the parts between two waits take together; the one around the recording's end goes on
 * into the first one. value: shape (node_count). longest: shape (parts), all 0. */
static double parts_ns(const replay_graph *g, const replay_times *t, const uint32_t *part,
                       size_t waits, double *value, double *longest) {
    double carry[REPLAY_ALL_STATES] = {0.0}, sum = 0.0;
    replay_sweep_parts(g, t, carry, part, value);
    for (size_t i = 0; i < g->node_count; i++)
        longest[part[i]] = fmax(longest[part[i]], value[i]);
    for (size_t i = 1; i < waits; i++)
        sum += longest[i];
    for (size_t i = 0; i < g->state_count; i++) {
        uint32_t last = g->state_nodes[i];
        carry[i] = last != HABITAT_NONE && part[last] == waits ? value[last] : 0.0;
    }
    longest[0] = 0.0;
    replay_sweep_parts(g, t, carry, part, value);
    for (size_t i = 0; i < g->node_count; i++)
        longest[0] = part[i] == 0 ? fmax(longest[0], value[i]) : longest[0];
    return sum + longest[0];
}

habitat_status replay_scaler_ns(const habitat_replay *r, const replay_times *times, double *out_ns,
                                habitat_error *err) {
    const replay_graph *g = &r->graph;
    size_t waits = r->workload->info.iteration_count;
    uint64_t *waits_ns = malloc(waits * sizeof *waits_ns);
    uint32_t *part = malloc((g->node_count + 1) * sizeof *part);
    double *value = malloc((g->node_count + 1) * sizeof *value);
    double *longest = calloc(waits + 1, sizeof *longest);
    bool fine = waits_ns && part && value && longest;
    *out_ns = 0.0;
    if (fine && find_optimisers(r, waits_ns)) {
        set_parts(r, waits_ns, waits, part);
        *out_ns = parts_ns(g, times, part, waits, value, longest);
    }
    free(waits_ns);
    free(part);
    free(value);
    free(longest);
    return fine ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}
