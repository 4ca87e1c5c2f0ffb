/* The CPU's side by the recorder's clock: docs/iteration.md#the-cpus-clock.
 *
 * Where the GPU binds a step, how long it takes says only that the CPU was not slower. So the
 * recorder lets some iterations begin on an idle GPU, lets the GPU catch up before the first
 * backward pass, within it after every so many gradients, and before the first step of an
 * optimiser, and reads the host's clock in between: when the
 * CPU is at the end of a part all of it is launched, and nothing that it did not wait for is in the
 * time. What it did wait for (`.item()`, the scaler of fp16) is in the graph, too. So the graph is
 * run in the same parts, each on an idle GPU, until they end on the CPU when the clock says.
 *
 * Not told: a GPU's queue holds about 1,000 launches. Where more are under way in one part,
 * launches wait for room, and the clock is the GPU's. */
#include "replay/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_replay.h"
#include "base/bisect.h"
#include "base/error.h"
#include "replay/marks.h"
#include "workload/workload.h"

enum { HALVINGS = 40 };

typedef struct clocked {
    const habitat_replay *r;
    replay_marks marks; /* where a part ends and the next begins */
    uint32_t *part;     /* shape (node_count) */
    double *value;      /* shape (node_count) */
    double *end_ns;     /* shape (marks.count + 1): the CPU at the end of each part */
    double wanted_ns;
} clocked;

/* What the recorder stops its clock at: of an iteration the first of each. */
static const char *const stops[] = {"autograd::engine::evaluate_function", "Optimizer.step"};
enum { STOPS = sizeof stops / sizeof *stops };

/* first_ns: shape (count, STOPS), UINT64_MAX: none. */
static void find_stops(const habitat_trace *trace, size_t count, uint64_t *first_ns) {
    size_t op_count = 0;
    const habitat_operation *ops = habitat_trace_operations(trace, &op_count);
    for (size_t i = 0; i < count * STOPS; i++)
        first_ns[i] = UINT64_MAX;
    for (size_t i = 0; i < op_count; i++)
        for (size_t s = 0; s < STOPS && ops[i].iteration < count; s++) {
            uint64_t *first = &first_ns[ops[i].iteration * STOPS + s];
            if (ops[i].start_ns < *first &&
                strncmp(ops[i].form->name, stops[s], strlen(stops[s])) == 0)
                *first = ops[i].start_ns;
        }
}

typedef struct moment {
    uint32_t iteration;
    uint64_t start_ns, end_ns;
} moment;

static int by_start(const void *a, const void *b) {
    const moment *x = a, *y = b;
    if (x->iteration != y->iteration)
        return (x->iteration > y->iteration) - (x->iteration < y->iteration);
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Gradients of parameters, in the order of each iteration. *out: shape (return value), NULL: out of
 * memory; free. */
static size_t find_gradients(const habitat_trace *trace, moment **out) {
    static const char gradient[] =
        "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad";
    size_t op_count = 0, count = 0;
    const habitat_operation *ops = habitat_trace_operations(trace, &op_count);
    moment *list = malloc((op_count + 1) * sizeof *list);
    for (size_t i = 0; list && i < op_count; i++)
        if (ops[i].iteration != HABITAT_NONE && strcmp(ops[i].form->name, gradient) == 0)
            list[count++] =
                (moment){ops[i].iteration, ops[i].start_ns, ops[i].start_ns + ops[i].duration_ns};
    if (count)
        qsort(list, count, sizeof *list, by_start);
    *out = list;
    return count;
}

/* A part begins after every so many gradients of an iteration, if others follow. */
static bool mark_gradients(replay_marks *marks, const habitat_trace *trace) {
    uint32_t every = habitat_trace_get_info(trace)->cpu_gradients, in_iteration = 0;
    if (every == 0)
        return true;
    moment *list = NULL;
    size_t count = find_gradients(trace, &list);
    bool fine = list != NULL;
    for (size_t i = 0; fine && i + 1 < count; i++) {
        bool last = list[i + 1].iteration != list[i].iteration;
        in_iteration = last ? 0 : in_iteration + 1;
        if (in_iteration != 0 && in_iteration % every == 0)
            fine = replay_mark(marks, list[i].end_ns);
    }
    free(list);
    return fine;
}

/* Iterations begin on an idle GPU, and where the recorder stopped its clock a part begins. */
static bool find_marks(clocked *c) {
    const habitat_trace *trace = c->r->workload->trace;
    bool stopped = habitat_trace_get_info(trace)->cpu_parts > 1;
    size_t count = 0;
    const habitat_iteration *iterations = habitat_trace_iterations(trace, &count);
    uint64_t *first_ns = malloc(count * STOPS * sizeof *first_ns);
    bool fine = first_ns != NULL;
    if (fine)
        find_stops(trace, count, first_ns);
    for (size_t i = 1; fine && i < count; i++)
        fine = replay_mark(&c->marks, iterations[i].start_ns);
    for (size_t i = 0; fine && stopped && i < count * STOPS; i++)
        fine = first_ns[i] == UINT64_MAX || replay_mark(&c->marks, first_ns[i]);
    fine = fine && (!stopped || mark_gradients(&c->marks, trace));
    free(first_ns);
    replay_sort_marks(&c->marks);
    return fine;
}

static bool prepare(clocked *c) {
    const replay_graph *g = &c->r->graph;
    c->part = malloc((g->node_count + 1) * sizeof *c->part);
    c->value = malloc((g->node_count + 1) * sizeof *c->value);
    if (!c->part || !c->value || !find_marks(c))
        return false;
    for (size_t i = 0; i < g->node_count; i++)
        c->part[i] = g->nodes[i].kind == REPLAY_END
                         ? (uint32_t)c->marks.count
                         : replay_part_of(c->marks.at_ns, c->marks.count,
                                          replay_asked_ns(c->r, &g->nodes[i]));
    c->end_ns = malloc((c->marks.count + 1) * sizeof *c->end_ns);
    return c->end_ns != NULL;
}

/* What the CPU takes for all parts. */
static double all_ns(clocked *c, double cpu_scale) {
    const replay_graph *g = &c->r->graph;
    replay_times times = {.kernel_ns = c->r->recorded_ns,
                          .kernel_scale = 1.0,
                          .cpu_scale = cpu_scale,
                          .gap_scale = 1.0};
    double carry[REPLAY_ALL_STATES] = {0.0}, sum = 0.0;
    replay_sweep_parts(g, &times, carry, c->part, c->value);
    for (size_t p = 0; p <= c->marks.count; p++)
        c->end_ns[p] = 0.0;
    for (size_t i = 0; i < g->node_count; i++)
        if (g->nodes[i].kind != REPLAY_KERNEL)
            c->end_ns[c->part[i]] = fmax(c->end_ns[c->part[i]], c->value[i]);
    for (size_t p = 0; p <= c->marks.count; p++)
        sum += c->end_ns[p];
    return sum;
}

/* NaN: no factor within reason. */
static double solve(clocked *c) {
    double low = chosen_replay_clock_least, high = chosen_replay_cpu_factor_most;
    if (all_ns(c, low) >= c->wanted_ns || all_ns(c, high) < c->wanted_ns)
        return NAN;
    bisection b = {low, high, HALVINGS};
    for (double middle; bisect_next(&b, &middle);)
        bisect_take(&b, middle, all_ns(c, middle) < c->wanted_ns);
    return b.high;
}

/* How much of the time goes with the CPU's: 1 where it waits for nothing. */
static double share_of_cpu(clocked *c, double factor) {
    double less_ns = c->wanted_ns - all_ns(c, (1.0 - chosen_replay_clock_step) * factor);
    return less_ns / (chosen_replay_clock_step * c->wanted_ns);
}

/* Whether no launch waited for room: on each stream few kernels of a part are still to be done when
 * the CPU is at its end. */
static bool had_room(clocked *c, double factor) {
    const replay_graph *g = &c->r->graph;
    double under_way[REPLAY_STREAMS_MAX] = {0.0};
    uint32_t part[REPLAY_STREAMS_MAX] = {0};
    all_ns(c, factor);
    for (size_t i = 0; i < g->node_count; i++) {
        uint32_t stream = g->nodes[i].place;
        if (g->nodes[i].kind != REPLAY_KERNEL || stream >= REPLAY_STREAMS_MAX)
            continue;
        if (part[stream] != c->part[i])
            under_way[stream] = 0.0;
        part[stream] = c->part[i];
        under_way[stream] += c->value[i] > c->end_ns[c->part[i]];
        if (under_way[stream] > hardware_replay_queue_room)
            return false;
    }
    return true;
}

static habitat_status factor_of(clocked *c, double *out, habitat_error *err) {
    if (!prepare(c))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    double factor = solve(c);
    if (share_of_cpu(c, factor) >= chosen_replay_clock_share && had_room(c, factor))
        *out = factor;
    return HABITAT_OK;
}

habitat_status replay_clock_factor(const habitat_replay *r, double *out, habitat_error *err) {
    double cpu_ms = habitat_trace_get_info(r->workload->trace)->cpu_ms;
    bool one = r->graph.kernel_count == r->workload->kernel_count; /* not several ranks */
    clocked c = {.r = r, .wanted_ns = cpu_ms * HABITAT_NS_PER_MS * r->iterations};
    *out = NAN;
    if (!(cpu_ms > 0.0) || !one || r->graph.has_waits)
        return HABITAT_OK;
    habitat_status status = factor_of(&c, out, err);
    free(c.marks.at_ns);
    free(c.part);
    free(c.value);
    free(c.end_ns);
    return status;
}
