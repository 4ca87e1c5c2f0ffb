/* The graph of an iteration that was recorded without a GPU: its CPU begins one operation after the
 * other, each as long as the table of its operations says, and each launches one kernel on the one
 * stream that there is, when the operation itself is done. Where the script waits for its GPU (a
 * value that it reads, a copy to the host), the CPU goes on when all before is done. Where nobody
 * waits, one GPU takes the longer of both sides, as untimed_assemble() has it; where several share
 * the work, the order decides. */
#include "replay/untimed.h"

#include <math.h>
#include <stdlib.h>

#include "base/constants_recordings.h"
#include "base/error.h"
#include "predict/untimed.h"
#include "replay/launched.h"
#include "replay/state_sweep.h"
#include "trace/calls.h"
#include "workload/cpu_table.h"

enum { CPU = 0, STREAM = 1, STATES = 2 };

static void put(replay_graph *g, replay_kind kind, size_t index) {
    g->nodes[g->node_count++] = (replay_node){.index = (uint32_t)index,
                                              .first_edge = (uint32_t)g->edge_count,
                                              .kind = (unsigned)kind & 7,
                                              .place = 0};
}

/* What was put last, and what the CPU takes from there. */
typedef struct ends {
    uint32_t cpu, kernel;
    double cpu_ns;
} ends;

/* An operation, behind what the CPU did last, and its kernel, behind the last one. */
static bool put_operation(replay_graph *g, const habitat_workload *w, size_t i, ends *e) {
    double own_ns = round(workload_table_operation_ms(w, i, NULL) * HABITAT_NS_PER_MS);
    double launch_ns = round(workload_table_launch_ms(w, i) * HABITAT_NS_PER_MS);
    uint32_t begin = (uint32_t)g->node_count;
    put(g, REPLAY_SEGMENT_BEGIN, replay_operation_of(w, i));
    bool fine = replay_add_edge(g, e->cpu, 0, e->cpu_ns);
    put(g, REPLAY_KERNEL, i);
    fine = fine && replay_add_edge(g, begin, REPLAY_LAUNCH, launch_ns) &&
           replay_add_edge(g, e->kernel, REPLAY_GAP, 0.0);
    *e = (ends){begin, begin + 1, own_ns};
    return fine;
}

/* The CPU goes on when it has come here and the last kernel is over. */
static bool put_wake(replay_graph *g, size_t call, ends *e) {
    put(g, REPLAY_WAKE, call);
    bool fine = replay_add_edge(g, e->cpu, 0, e->cpu_ns) && replay_add_edge(g, e->kernel, 0, 0.0);
    *e = (ends){.cpu = (uint32_t)g->node_count - 1, .kernel = e->kernel};
    return fine;
}

/* The waits of the first iteration from call `*next` on that begin before `until_ns`. */
static bool put_wakes(const habitat_workload *w, replay_graph *g, size_t *next, uint64_t until_ns,
                      ends *e) {
    size_t count = 0;
    const habitat_call *calls = habitat_trace_calls(w->trace, &count);
    bool fine = true;
    for (; fine && *next < count && calls[*next].start_ns < until_ns; ++*next)
        if (trace_call_waits(&calls[*next]) && calls[*next].iteration == 0)
            fine = put_wake(g, *next, e);
    return fine;
}

static bool put_all(const habitat_workload *w, replay_graph *g) {
    ends e = {.kernel = REPLAY_CARRY | STREAM,
              .cpu_ns = round(workload_table_data_ms(w) * HABITAT_NS_PER_MS)};
    size_t next_call = 0;
    put(g, REPLAY_BEGIN, HABITAT_NONE);
    bool fine = replay_add_edge(g, REPLAY_CARRY | CPU, 0, 0.0);
    for (size_t i = 0; fine && i < w->kernel_count; i++)
        fine =
            put_wakes(w, g, &next_call, replay_launched_ns(w, i), &e) && put_operation(g, w, i, &e);
    fine = fine && put_wakes(w, g, &next_call, UINT64_MAX, &e);
    put(g, REPLAY_END, HABITAT_NONE);
    fine = fine && replay_add_edge(g, e.cpu, 0, e.cpu_ns);
    g->nodes[g->node_count].first_edge = (uint32_t)g->edge_count;
    g->state_nodes[CPU] = (uint32_t)g->node_count - 1;
    g->state_nodes[STREAM] = e.kernel;
    return fine && replay_set_slots(g);
}

static habitat_status build(const habitat_workload *w, replay_graph *g, habitat_error *err) {
    size_t calls = 0;
    habitat_trace_calls(w->trace, &calls);
    size_t nodes = 2 * w->kernel_count + calls + 2;
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

/* By how much longer than the table's this host takes; 1: nobody says. */
static double scale_of(const habitat_replay *r) {
    return r->options.cpu_scale > 0.0 ? r->options.cpu_scale : 1.0;
}

/* Models err, and hosts; with a host that somebody names that of its figures is left. */
static double factor_of(const habitat_replay *r) {
    if (!(r->options.cpu_scale > 0.0))
        return fitted_cpu_table_factor;
    double doubt = fmax(1.0, r->options.cpu_scale_doubt);
    return exp(hypot(log(fitted_cpu_table_host_factor), log(doubt)));
}

habitat_status replay_make_untimed(habitat_replay *r, habitat_error *err) {
    const habitat_workload *w = r->workload;
    r->iterations = 1.0;
    r->cpu_factor = scale_of(r);
    r->usual_ns = fitted_cpu_step_s * 1e9;
    habitat_status status = build(w, &r->graph, err);
    r->info = (habitat_replay_info){.cpu_basis = HABITAT_CPU_RULE,
                                    .cpu_ms = workload_table_cpu_ms(w, NULL) * scale_of(r),
                                    .cpu_low = 1.0 / factor_of(r),
                                    .cpu_high = factor_of(r),
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
    double cpu_ms = untimed_cpu_ms(r->workload, p->gpu) * scale_of(r);
    if (r->info.cpu_ms > 0.0)
        out.cpu_factor *= cpu_ms / r->info.cpu_ms;
    out.info.cpu_ms = cpu_ms;
    return out;
}
