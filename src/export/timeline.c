/* The predicted iteration as a Chrome trace.
 *
 * The replay gives times to the points of its graph. What lies between two points of a CPU thread
 * (operations inside operations, ends of calls) is moved in proportion, so that what lay inside
 * something still does. Slices that the recording itself let cross by its rounding are cut. */
#include "export/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "replay/launched.h"
#include "replay/untimed.h"
#include "workload/workload.h"

/* Points of one thread in order: entries first .. first of the next thread - 1. */
typedef struct points {
    uint32_t *nodes, *first;
    size_t thread_count;
} points;

typedef struct timeline {
    const habitat_replay *r;
    const habitat_prediction *p;
    const habitat_trace *trace;
    const double *at; /* shape (node_count) */
    points points;
    export_text *text;
    bool any; /* an event was written: a comma comes before the next */
} timeline;

static uint64_t rounded(double ns) {
    return ns > 0.0 ? (uint64_t)llround(ns) : 0;
}

/* ---- from recorded to replayed times ---- */

static bool is_cpu(const replay_node *n) {
    return n->kind != REPLAY_KERNEL;
}

static bool sort_points(const replay_graph *g, points *out) {
    for (size_t i = 0; i < g->node_count; i++)
        if (is_cpu(&g->nodes[i]) && g->nodes[i].place >= out->thread_count)
            out->thread_count = g->nodes[i].place + 1;
    out->nodes = malloc((g->node_count + 1) * sizeof *out->nodes);
    out->first = calloc(out->thread_count + 2, sizeof *out->first);
    if (!out->nodes || !out->first)
        return false;
    for (size_t i = 0; i < g->node_count; i++)
        if (is_cpu(&g->nodes[i]))
            out->first[g->nodes[i].place + 2]++;
    for (size_t i = 2; i < out->thread_count + 2; i++)
        out->first[i] += out->first[i - 1];
    for (size_t i = 0; i < g->node_count; i++)
        if (is_cpu(&g->nodes[i]))
            out->nodes[out->first[g->nodes[i].place + 1]++] = (uint32_t)i;
    return true;
}

/* When an entry of the points was recorded. */
static uint64_t recorded(const timeline *t, uint32_t point) {
    const replay_graph *g = &t->r->graph;
    return replay_recorded_ns(t->r->workload, g, &g->nodes[t->points.nodes[point]]);
}

/* The last point of the thread that is not after `now`; its first where all are. */
static uint32_t point_before(const timeline *t, uint32_t thread, uint64_t now) {
    uint32_t low = t->points.first[thread], high = t->points.first[thread + 1];
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (recorded(t, middle) <= now)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double replayed(const timeline *t, uint32_t thread, uint64_t now) {
    uint32_t at = point_before(t, thread, now);
    uint64_t here_ns = recorded(t, at);
    double from = t->at[t->points.nodes[at]];
    if (now <= here_ns)
        return from;
    if (at + 1 == t->points.first[thread + 1])
        return from + (double)(now - here_ns) * t->r->cpu_factor;
    uint64_t next_ns = recorded(t, at + 1);
    double to = fmax(from, t->at[t->points.nodes[at + 1]]);
    return from + (to - from) * ((double)(now - here_ns) / (double)(next_ns - here_ns));
}

/* ---- events ---- */

static void begin_event(timeline *t, const char *phase, const char *category, const char *name) {
    export_print(t->text, "%s{\"ph\": \"%s\"", t->any ? ",\n" : "\n", phase);
    if (category)
        export_print(t->text, ", \"cat\": \"%s\"", category);
    export_print(t->text, ", \"name\": ");
    export_string(t->text, name);
    t->any = true;
}

static void write_times(timeline *t, uint64_t start_ns, uint64_t end_ns) {
    export_print(t->text, ", \"ts\": ");
    export_us(t->text, start_ns);
    export_print(t->text, ", \"dur\": ");
    export_us(t->text, end_ns - start_ns);
}

static void write_name(timeline *t, const char *what, unsigned process, const uint32_t *thread,
                       const char *name) {
    begin_event(t, "M", NULL, what);
    export_print(t->text, ", \"pid\": %u", process);
    if (thread)
        export_print(t->text, ", \"tid\": %" PRIu32, *thread);
    export_print(t->text, ", \"args\": {\"name\": ");
    export_string(t->text, name);
    export_print(t->text, "}}");
}

enum { CPU_PROCESS = 1, GPU_PROCESS = 0 };

static void write_slice(timeline *t, const char *category, const char *name, uint32_t thread,
                        uint64_t start_ns, uint64_t end_ns, uint64_t correlation) {
    begin_event(t, "X", category, name);
    export_print(t->text, ", \"pid\": %d, \"tid\": %" PRIu32, CPU_PROCESS, thread);
    write_times(t, start_ns, end_ns);
    if (correlation)
        export_print(t->text,
                     ", \"args\": {\"External id\": %" PRIu64 ", \"correlation\": %" PRIu64 "}",
                     correlation, correlation);
    export_print(t->text, "}");
}

/* ---- CPU ---- */

/* Slices that are open where a thread has come to: the ends, the innermost last. */
typedef struct open_slices {
    uint64_t *ends;
    size_t count;
    uint32_t thread;
} open_slices;

/* Where a slice ends that begins at `start`: with what is around it at the latest. */
static uint64_t open_slice(open_slices *open, uint32_t thread, uint64_t start, uint64_t end) {
    if (open->thread != thread)
        open->count = 0;
    open->thread = thread;
    while (open->count && open->ends[open->count - 1] <= start)
        open->count--;
    if (open->count && open->ends[open->count - 1] < end)
        end = open->ends[open->count - 1];
    open->ends[open->count++] = end;
    return end;
}

static void write_operation(timeline *t, const habitat_operation *o, open_slices *open) {
    uint64_t start = rounded(replayed(t, o->form->thread, o->start_ns));
    uint64_t end = rounded(replayed(t, o->form->thread, o->start_ns + o->duration_ns));
    const char *category = o->form->kind == HABITAT_OPERATION_MODULE ? "user_annotation" : "cpu_op";
    write_slice(t, category, o->form->name, o->form->thread, start,
                open_slice(open, o->form->thread, start, end), 0);
}

static void write_call(timeline *t, const habitat_call *c, open_slices *open) {
    uint64_t start = rounded(replayed(t, c->form->thread, c->start_ns));
    uint64_t end = rounded(replayed(t, c->form->thread, c->start_ns + c->duration_ns));
    write_slice(t, c->form->driver ? "cuda_driver" : "cuda_runtime", c->form->name, c->form->thread,
                start, open_slice(open, c->form->thread, start, end), c->correlation);
}

static bool has_points(const timeline *t, uint32_t thread) {
    return thread < t->points.thread_count && t->points.first[thread] < t->points.first[thread + 1];
}

/* A recording of several iterations is replayed as a block; the first of them is shown. */
enum { FIRST = 0 };

/* NCCL's own note of a message has arguments that readers look for and the trace does not keep. */
static bool is_shown(const timeline *t, const habitat_operation *o) {
    return o->form->kind != HABITAT_OPERATION_RANGE && o->iteration == FIRST &&
           has_points(t, o->form->thread) && strcmp(o->form->name, "record_param_comms") != 0;
}

/* Operations and calls are sorted alike: by thread and start. */
static bool write_cpu(timeline *t) {
    size_t ops = 0, calls = 0, i = 0, j = 0;
    const habitat_operation *o = habitat_trace_operations(t->trace, &ops);
    const habitat_call *c = habitat_trace_calls(t->trace, &calls);
    open_slices open = {malloc((ops + calls + 1) * sizeof *open.ends), 0, HABITAT_NONE};
    while (open.ends && (i < ops || j < calls)) {
        bool op_first = j == calls || (i < ops && (o[i].form->thread != c[j].form->thread
                                                       ? o[i].form->thread < c[j].form->thread
                                                       : o[i].start_ns <= c[j].start_ns));
        if (op_first) {
            if (is_shown(t, &o[i]))
                write_operation(t, &o[i], &open);
            i++;
        } else {
            if (c[j].iteration == FIRST && has_points(t, c[j].form->thread))
                write_call(t, &c[j], &open);
            j++;
        }
    }
    free(open.ends);
    return open.ends != NULL;
}

/* ---- GPU ---- */

static void write_launch_size(timeline *t, const habitat_kernel *k) {
    export_print(
        t->text,
        ", \"grid\": [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "], \"block\": [%" PRIu32 ", %" PRIu32
        ", %" PRIu32 "], \"registers per thread\": %" PRIu32 ", \"shared memory\": %" PRIu32,
        k->form->grid[0], k->form->grid[1], k->form->grid[2], k->form->block[0], k->form->block[1],
        k->form->block[2], k->form->registers_per_thread, k->form->shared_memory_bytes);
}

static void write_kernel(timeline *t, size_t node, double own_ns) {
    const replay_node *n = &t->r->graph.nodes[node];
    const habitat_kernel *k = t->r->workload->kernels[n->index].kernel;
    static const char *const categories[] = {
        [HABITAT_KERNEL_COMPUTE] = "kernel",
        [HABITAT_KERNEL_MEMCPY] = "gpu_memcpy",
        [HABITAT_KERNEL_MEMSET] = "gpu_memset",
        [HABITAT_KERNEL_COLLECTIVE] = "kernel",
    };
    uint64_t end = rounded(t->at[node]), start = rounded(t->at[node] - own_ns);
    begin_event(t, "X", categories[k->form->kind], k->form->name);
    export_print(t->text, ", \"pid\": %d, \"tid\": %" PRIu32, GPU_PROCESS, k->form->stream);
    write_times(t, start, end > start ? end : start);
    export_print(t->text, ", \"args\": {\"device\": 0, \"stream\": %" PRIu32, k->form->stream);
    bool untimed = workload_is_untimed(t->r->workload);
    uint64_t correlation = habitat_trace_correlation(t->trace, k);
    if (correlation)
        export_print(t->text, ", \"External id\": %" PRIu64 ", \"correlation\": %" PRIu64,
                     correlation, correlation);
    if (habitat_is_copy(k))
        export_print(t->text, ", \"bytes\": %" PRIu64, k->form->bytes);
    else if (!untimed)
        write_launch_size(t, k);
    if (!untimed) {
        export_print(t->text, ", \"recorded us\": ");
        export_us(t->text, k->duration_ns);
    }
    export_print(t->text, ", \"method\": \"%s\"}}",
                 habitat_method_name(t->p->trace_kernels[n->index].method));
}

static void write_gpu(timeline *t, const replay_times *times) {
    const replay_graph *g = &t->r->graph;
    for (size_t i = 0; i < g->node_count; i++)
        if (g->nodes[i].kind == REPLAY_KERNEL &&
            replay_iteration_of(t->r->workload, g->nodes[i].index) == FIRST)
            write_kernel(t, i, replay_own_ns(g, times, &g->nodes[i]));
}

/* ---- all of it ---- */

static void write_head(timeline *t) {
    const habitat_gpu *gpu = t->p->gpu;
    export_print(t->text, "{\"schemaVersion\": 1, \"displayTimeUnit\": \"ms\",\n"
                          "\"deviceProperties\": [{\"id\": 0, \"name\": ");
    export_string(t->text, gpu->name);
    if (gpu->compute_capability)
        export_print(t->text, ", \"computeMajor\": %" PRIu32 ", \"computeMinor\": %" PRIu32,
                     gpu->compute_capability / 10, gpu->compute_capability % 10);
    if (gpu->sm_count)
        export_print(t->text, ", \"numSms\": %" PRIu32, gpu->sm_count);
    export_print(t->text, "}],\n\"habitat_prediction\": {\"gpu\": ");
    export_string(t->text, gpu->name);
    if (!workload_is_untimed(t->r->workload)) {
        export_print(t->text, ", \"origin\": ");
        export_string(t->text, t->r->workload->info.origin->name);
    }
    export_print(t->text,
                 ", \"method\": \"%s\", \"iteration_ms\": %.6g, \"busy_ms\": %.6g},\n"
                 "\"traceEvents\": [",
                 habitat_method_name(t->p->method), t->p->iteration_ms, t->p->busy_ms);
}

/* Without a GPU no launch says of which iteration a kernel is, so its range is around all. */
static double last_end(const timeline *t) {
    double end = 0.0;
    for (size_t i = 0; i < t->r->graph.node_count; i++)
        end = fmax(end, t->at[i]);
    return end;
}

/* When the CPU has come to the end of the first iteration. */
static double first_end(const timeline *t) {
    const replay_graph *g = &t->r->graph;
    if (workload_is_untimed(t->r->workload))
        return last_end(t);
    size_t count = 0;
    const habitat_iteration *marks = habitat_trace_iterations(t->trace, &count);
    uint64_t end_ns = marks[0].start_ns + marks[0].duration_ns;
    double end = 0.0;
    for (size_t i = 0; count > 1 && i < g->node_count; i++)
        if (is_cpu(&g->nodes[i]) && replay_recorded_ns(t->r->workload, g, &g->nodes[i]) <= end_ns)
            end = fmax(end, t->at[i]);
    return count > 1 ? end : t->at[g->node_count - 1];
}

static void write_names(timeline *t) {
    char name[160];
    const replay_graph *g = &t->r->graph;
    habitat_format(name, sizeof name, "%s (predicted)", t->p->gpu->name);
    write_name(t, "process_name", GPU_PROCESS, NULL, name);
    if (!g->has_cpu)
        return;
    write_name(t, "process_name", CPU_PROCESS, NULL, "CPU (predicted)");
    uint64_t end = rounded(first_end(t));
    begin_event(t, "X", "user_annotation", "ProfilerStep#0");
    export_print(t->text, ", \"pid\": %d, \"tid\": \"iteration\"", CPU_PROCESS);
    write_times(t, 0, end);
    export_print(t->text, "}");
}

static habitat_status write_all(timeline *t, const replay_times *times, habitat_error *err) {
    write_head(t);
    write_names(t);
    bool enough = write_cpu(t);
    write_gpu(t, times);
    export_print(t->text, "\n]}\n");
    export_flush(t->text);
    if (!enough)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    return t->text->refused ? habitat_fail(err, HABITAT_E_IO, "the output was refused")
                            : HABITAT_OK;
}

habitat_status habitat_export_timeline(const habitat_replay *r, const habitat_prediction *p,
                                       habitat_export_write write, void *context,
                                       habitat_error *err) {
    if (!r || !p || !write || !p->trace_kernels || p->trace_kernel_count < r->graph.kernel_count)
        return habitat_fail(err, HABITAT_E_ARG,
                            "a timeline needs a replay, a prediction of its workload and a place "
                            "to write to");
    if (r->workload->all_devices)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "the recording holds several devices, and a timeline shows one GPU; "
                            "record a process for each GPU");
    habitat_replay beside = replay_beside(r, p);
    double *at = malloc((r->graph.node_count + 1) * sizeof *at);
    double *ns = malloc((p->trace_kernel_count + 1) * sizeof *ns);
    timeline t = {.r = &beside, .p = p, .trace = r->workload->trace, .at = at};
    t.text = malloc(sizeof *t.text);
    habitat_status status = HABITAT_OK;
    if (!at || !ns || !t.text || !sort_points(&r->graph, &t.points)) {
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    } else {
        for (size_t i = 0; i < p->trace_kernel_count; i++)
            ns[i] = p->trace_kernels[i].ms * HABITAT_NS_PER_MS;
        replay_times times = replay_times_of(&beside, ns);
        replay_from_idle(&r->graph, &times, at);
        t.text->write = write;
        t.text->context = context;
        t.text->used = 0;
        t.text->refused = false;
        status = write_all(&t, &times, err);
    }
    free(t.points.nodes);
    free(t.points.first);
    free(t.text);
    free(at);
    free(ns);
    return status;
}
