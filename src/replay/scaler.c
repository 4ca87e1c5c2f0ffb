/* The scaler of fp16 asks the GPU whether a gradient overflowed before the optimiser may begin. So
 * the CPU waits there in every iteration, and the GPU is idle when it goes on: what it launches
 * from there to the end, and the next iteration up to there, begin together. Two sweeps: the rest
 * of the iteration behind that wait, and from what it leaves behind to the next one. */
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

/* When the one optimiser of the one iteration began its step; false where none is asked about. */
static bool find_optimiser(const habitat_replay *r, uint64_t *out_ns) {
    size_t count = 0, found = 0;
    const habitat_operation *ops = habitat_trace_operations(r->workload->trace, &count);
    for (size_t i = 0; i < count; i++) {
        const char *name = ops[i].form->name;
        if (ops[i].iteration == HABITAT_NONE)
            continue;
        if (is_fused(name))
            return false;
        if (strncmp(name, "Optimizer.step", 14) == 0) {
            *out_ns = ops[i].start_ns;
            found++;
        }
    }
    return found == 1 && r->workload->info.iteration_count == 1;
}

/* Of a kernel, when it was launched. Those that several GPUs add belong to the gradients: the
 * scaler waits for all of them (parallel.c). */
static uint64_t asked_ns(const habitat_replay *r, const replay_node *n) {
    const habitat_workload *w = r->workload;
    if (n->kind != REPLAY_KERNEL)
        return replay_recorded_ns(w, &r->graph, n);
    if (n->index >= w->kernel_count)
        return 0;
    const habitat_kernel *kernel = w->kernels[n->index].kernel;
    size_t count = 0;
    const habitat_call *calls = habitat_trace_calls(w->trace, &count);
    return kernel->call == HABITAT_NONE ? kernel->start_ns : calls[kernel->call].start_ns;
}

habitat_status replay_scaler_ns(const habitat_replay *r, const replay_times *times, double *out_ns,
                                habitat_error *err) {
    const replay_graph *g = &r->graph;
    double carry[REPLAY_ALL_STATES] = {0.0}, latest = 0.0;
    uint64_t at_ns = 0;
    *out_ns = 0.0;
    if (!find_optimiser(r, &at_ns))
        return HABITAT_OK;
    double *value = malloc((g->node_count + 1) * sizeof *value);
    bool *done = malloc((g->node_count + 1) * sizeof *done);
    if (!value || !done) {
        free(value);
        free(done);
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < g->node_count; i++)
        done[i] = g->nodes[i].kind != REPLAY_END && asked_ns(r, &g->nodes[i]) < at_ns;
    replay_sweep_rest(g, times, carry, done, value);
    for (size_t i = 0; i < g->state_count; i++)
        carry[i] = g->state_nodes[i] == HABITAT_NONE ? 0.0 : value[g->state_nodes[i]];
    replay_sweep(g, times, carry, value);
    for (size_t i = 0; i < g->node_count; i++)
        latest = done[i] ? fmax(latest, value[i]) : latest;
    *out_ns = latest;
    free(value);
    free(done);
    return HABITAT_OK;
}
