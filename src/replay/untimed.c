/* The graph of an iteration that was recorded without a GPU: its CPU begins one operation after the
 * other, each as long as the table of its operations says, and each launches one kernel on the one
 * stream that there is, when it begins. Nobody waits, so one GPU takes the longer of both sides, as
 * untimed_assemble() has it; where several share the work, the order decides. */
#include "replay/untimed.h"

#include <math.h>
#include <stdlib.h>

#include "base/constants_recordings.h"
#include "base/error.h"
#include "predict/untimed.h"
#include "replay/abreast.h"
#include "replay/launched.h"
#include "workload/recorded_shapes.h"

enum { CPU = 0, STREAM = 1, STATES = 2 };

static void put(replay_graph *g, replay_kind kind, size_t index) {
    g->nodes[g->node_count++] = (replay_node){.index = (uint32_t)index,
                                              .first_edge = (uint32_t)g->edge_count,
                                              .kind = (unsigned)kind & 7,
                                              .place = 0};
}

/* An operation, behind what the CPU did last, and its kernel, behind the last one. */
static bool put_operation(replay_graph *g, const habitat_workload *w, size_t i, uint32_t last,
                          double last_ns, uint32_t last_kernel) {
    uint32_t begin = (uint32_t)g->node_count;
    put(g, REPLAY_SEGMENT_BEGIN, replay_operation_of(w, i));
    if (!replay_add_edge(g, last, 0, last_ns))
        return false;
    put(g, REPLAY_KERNEL, i);
    return replay_add_edge(g, begin, REPLAY_LAUNCH, 0.0) &&
           replay_add_edge(g, last_kernel, REPLAY_GAP, 0.0);
}

static bool put_all(const habitat_workload *w, replay_graph *g) {
    uint32_t last = 0, kernel = REPLAY_CARRY | STREAM;
    double last_ns = round(workload_table_data_ms(w) * HABITAT_NS_PER_MS);
    put(g, REPLAY_BEGIN, HABITAT_NONE);
    bool fine = replay_add_edge(g, REPLAY_CARRY | CPU, 0, 0.0);
    for (size_t i = 0; fine && i < w->kernel_count; i++) {
        fine = put_operation(g, w, i, last, last_ns, kernel);
        last_ns = round(workload_table_operation_ms(w, i, NULL) * HABITAT_NS_PER_MS);
        last = (uint32_t)g->node_count - 2;
        kernel = last + 1;
    }
    put(g, REPLAY_END, HABITAT_NONE);
    fine = fine && replay_add_edge(g, last, 0, last_ns);
    g->nodes[g->node_count].first_edge = (uint32_t)g->edge_count;
    g->state_nodes[CPU] = (uint32_t)g->node_count - 1;
    g->state_nodes[STREAM] = kernel;
    return fine && replay_set_slots(g);
}

static habitat_status build(const habitat_workload *w, replay_graph *g, habitat_error *err) {
    size_t nodes = 2 * w->kernel_count + 2;
    if (nodes >= REPLAY_PLACE_MOST)
        return habitat_fail(err, HABITAT_E_RANGE, "more operations than can be replayed");
    g->nodes = calloc(nodes + 1, sizeof *g->nodes);
    g->gaps = calloc(w->kernel_count + 1, sizeof *g->gaps);
    g->kernel_count = w->kernel_count;
    g->state_count = STATES;
    g->has_cpu = true;
    for (size_t i = 0; i < REPLAY_ALL_STATES; i++)
        g->state_nodes[i] = HABITAT_NONE;
    bool fine = g->nodes && g->gaps && put_all(w, g);
    return fine ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}

habitat_status replay_make_untimed(habitat_replay *r, habitat_error *err) {
    const habitat_workload *w = r->workload;
    r->iterations = 1.0;
    r->cpu_factor = 1.0;
    r->usual_ns = fitted_cpu_step_s * 1e9;
    habitat_status status = build(w, &r->graph, err);
    r->info = (habitat_replay_info){.cpu_basis = HABITAT_CPU_RULE,
                                    .cpu_ms = workload_table_cpu_ms(w, NULL),
                                    .cpu_low = 1.0 / fitted_cpu_table_factor,
                                    .cpu_high = fitted_cpu_table_factor,
                                    .iteration_ms = NAN,
                                    .profiled_cpu_ms = NAN,
                                    .gap_scale = 1.0,
                                    .kernel_scale = 1.0,
                                    .trace_node_count = r->graph.node_count,
                                    .trace_edge_count = r->graph.edge_count,
                                    .stream_count = 1,
                                    .thread_count = 1};
    return status;
}

habitat_replay replay_beside(const habitat_replay *r, const habitat_prediction *p) {
    habitat_replay out = *r;
    if (!workload_is_untimed(r->workload))
        return out;
    double cpu_ms = untimed_cpu_ms(r->workload, p->gpu);
    if (r->info.cpu_ms > 0.0)
        out.cpu_factor = cpu_ms / r->info.cpu_ms;
    out.info.cpu_ms = cpu_ms;
    return out;
}
