/* The predicted iteration as a Chakra execution trace: the graph of the replay, node by node. Of a
 * recording of several iterations, which are replayed as a block, the first is written.
 *
 * Whoever simulates it finds the lengths of the replay again: the CPU's time is in nodes of its
 * threads, a pause before a kernel is a node of its stream. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "base/constants_reports.h"
#include "base/error.h"
#include "base/list.h"
#include "export/chakra_times.h"
#include "export/message.h"
#include "export/whole_us.h"
#include "gpu/gpu.h"
#include "replay/launched.h"
#include "replay/parallel.h"
#include "replay/sharded.h"
#include "replay/untimed.h"
#include "workload/collective.h"
#include "workload/workload.h"

/* The group of all GPUs, as ASTRA-sim and PyTorch name groups. */
static const char group_name[] = "0";

/* CollectiveCommType of the schema. */
typedef enum comm_type {
    COMM_NONE = -1,
    COMM_ALL_REDUCE = 0,
    COMM_ALL_GATHER = 2,
    COMM_BROADCAST = 5,
    COMM_ALL_TO_ALL = 6,
    COMM_REDUCE_SCATTER = 7,
} comm_type;

typedef struct ids {
    uint64_t *all;
    size_t count, capacity;
} ids;

typedef struct chakra {
    const habitat_replay *r;
    const habitat_prediction *p;
    const replay_graph *g;
    const replay_added *added; /* kernels that were not recorded; NULL: none */
    const double *at;          /* shape (node_count) */
    replay_times times;
    chakra_times split;
    uint64_t *id; /* shape (node_count) */
    uint64_t last_id;
    ids after;  /* what the node that is being made waits for */
    ids longer; /* of that, what lies on ways that are longer than their nodes */
    whole_us *threads, *kernels, *pauses; /* by thread, by stream, by stream */
    uint32_t *stream_number;              /* shape (REPLAY_ADDED_STREAM + 1): as recorded */
    message_file file;
} chakra;

static uint64_t start_us(double ns) {
    return ns > 0.0 ? (uint64_t)llround(ns / 1e3) : 0;
}

/* ---- which nodes are written ---- */

enum { FIRST = 0 };

/* The end is that of the last iteration. */
static bool is_first(const chakra *c, const replay_node *n) {
    const habitat_workload *w = c->r->workload;
    size_t count = 0, own = c->r->graph.kernel_count;
    switch (n->kind) {
    case REPLAY_BEGIN:
        return true;
    case REPLAY_END:
        return w->info.iteration_count == 1;
    case REPLAY_SEGMENT_BEGIN:
    case REPLAY_SEGMENT_END:
        return habitat_trace_operations(w->trace, &count)[n->index].iteration == FIRST;
    case REPLAY_CALL:
    case REPLAY_WAKE:
        return habitat_trace_calls(w->trace, &count)[n->index].iteration == FIRST;
    default:
        if (n->index < own)
            return replay_iteration_of(w, n->index) == FIRST;
        return c->added && c->added[n->index - own].iteration == FIRST;
    }
}

/* ---- what a node waits for ---- */

/* Each once: a reader counts them. */
static void note(chakra *c, ids *list, uint64_t id) {
    for (size_t i = 0; i < list->count; i++)
        if (list->all[i] == id)
            return;
    uint64_t *all = list_grow(list->all, list->count, &list->capacity, 64, SIZE_MAX, sizeof *all);
    c->file.no_memory |= !all;
    if (!all)
        return;
    list->all = all;
    list->all[list->count++] = id;
}

static void wait_for(chakra *c, uint64_t id) {
    if (id) /* else of another iteration */
        note(c, &c->after, id);
}

static message_node begin_node(const char *name, message_type type) {
    return (message_node){.name = name, .type = type};
}

/* With all that was waited for since the last one. */
static uint64_t put_node(chakra *c, message_node *n, whole_us *sum, double from_ns, double ns) {
    n->id = ++c->last_id;
    n->after = c->after.all;
    n->after_count = c->after.count;
    n->start_us = start_us(from_ns);
    n->duration_us = whole_us_next(sum, ns);
    message_add_real(&n->attributes, "duration_ns", ns);
    message_put_node(&c->file, n);
    c->after.count = 0;
    return n->id;
}

/* ---- CPU ---- */

static uint64_t put_cpu_node(chakra *c, const char *name, const char *point, const char *operation,
                             uint32_t thread, double from_ns, double ns) {
    message_node n = begin_node(name, MESSAGE_COMPUTE);
    message_add_flag(&n.attributes, "is_cpu_op", true);
    message_add_whole(&n.attributes, "tid", thread);
    message_add_text(&n.attributes, "point", point);
    message_add_text(&n.attributes, "operation", operation);
    return put_node(c, &n, &c->threads[thread], from_ns, ns);
}

/* What lies on the way and is in neither node; of a way from before the iteration nothing is. */
static double between_ns(const chakra *c, const replay_edge *e, double lead_ns) {
    return e->from & REPLAY_CARRY ? 0.0 : chakra_between_ns(&c->split, e, lead_ns);
}

/* The ways that are longer than their two nodes: each a node of its own, on the CPU's thread that
 * it comes from. */
static void put_longer_ways(chakra *c, const replay_node *n, double lead_ns) {
    c->longer.count = 0;
    for (uint32_t e = n->first_edge; e < n[1].first_edge; e++) {
        const replay_edge *edge = &c->g->edges[e];
        double ns = between_ns(c, edge, lead_ns);
        if (ns < chosen_shortest_node_ns || !c->id[edge->from])
            continue;
        const replay_node *from = &c->g->nodes[edge->from];
        uint32_t thread = from->kind == REPLAY_KERNEL ? n->place : from->place;
        wait_for(c, c->id[edge->from]);
        note(c, &c->longer,
             put_cpu_node(c, "goes on later", "wait", NULL, thread,
                          c->at[edge->from] + c->split.tail_ns[edge->from], ns));
    }
}

/* flags: REPLAY_GAP, or 0: the others and the longer ways. */
static void wait_for_edges(chakra *c, const replay_node *n, double lead_ns, uint32_t flags) {
    for (uint32_t e = n->first_edge; e < n[1].first_edge; e++) {
        const replay_edge *edge = &c->g->edges[e];
        uint32_t own = replay_edge_flags(edge);
        if (!(edge->from & REPLAY_CARRY) && !(own & REPLAY_ROOM) && (own & REPLAY_GAP) == flags &&
            between_ns(c, edge, lead_ns) < chosen_shortest_node_ns)
            wait_for(c, c->id[edge->from]);
    }
    for (size_t i = 0; !flags && i < c->longer.count; i++)
        wait_for(c, c->longer.all[i]);
}

static void name_point(const chakra *c, const replay_node *n, const char **name, const char **point,
                       const char **operation) {
    size_t count = 0;
    const habitat_trace *trace = c->r->workload->trace;
    const habitat_operation *ops = habitat_trace_operations(trace, &count);
    const habitat_call *calls = habitat_trace_calls(trace, &count);
    *operation = NULL;
    switch (n->kind) {
    case REPLAY_SEGMENT_BEGIN:
    case REPLAY_SEGMENT_END:
        *name = ops[n->index].form->name;
        *point = n->kind == REPLAY_SEGMENT_BEGIN ? "operation begins" : "operation ends";
        return;
    case REPLAY_CALL:
    case REPLAY_WAKE:
        *name = calls[n->index].form->name;
        *point = n->kind == REPLAY_CALL ? "call" : "call returns";
        if (calls[n->index].operation != HABITAT_NONE)
            *operation = ops[calls[n->index].operation].form->name;
        return;
    default:
        *name = n->kind == REPLAY_BEGIN ? "iteration begins" : "iteration ends";
        *point = n->kind == REPLAY_BEGIN ? "begin" : "end";
    }
}

static void put_cpu(chakra *c, size_t i, uint64_t groups) {
    const replay_node *n = &c->g->nodes[i];
    const char *name, *point, *operation;
    double lead_ns = chakra_lead_ns(&c->split, i);
    put_longer_ways(c, n, lead_ns);
    name_point(c, n, &name, &point, &operation);
    wait_for_edges(c, n, lead_ns, 0);
    if (n->kind == REPLAY_BEGIN && groups)
        wait_for(c, groups);
    c->id[i] = put_cpu_node(c, name, point, operation, n->place, c->at[i] - lead_ns,
                            lead_ns + c->split.tail_ns[i]);
}

/* ---- GPU ---- */

static comm_type recorded_type(const habitat_kernel *k) {
    if (k->form->kind != HABITAT_KERNEL_COLLECTIVE || !collective_message_known(k))
        return COMM_NONE;
    switch (k->form->collective) {
    case HABITAT_COLLECTIVE_ALL_REDUCE:
        return COMM_ALL_REDUCE;
    case HABITAT_COLLECTIVE_ALL_GATHER:
        return COMM_ALL_GATHER;
    case HABITAT_COLLECTIVE_REDUCE_SCATTER:
        return COMM_REDUCE_SCATTER;
    case HABITAT_COLLECTIVE_ALL_TO_ALL:
        return COMM_ALL_TO_ALL;
    default:
        return strstr(k->form->name, "Broadcast") ? COMM_BROADCAST : COMM_NONE;
    }
}

static void add_message(message_node *n, comm_type type, uint64_t bytes, uint32_t gpus) {
    message_add_whole(&n->attributes, "comm_type", (uint64_t)type);
    message_add_whole(&n->attributes, "comm_size", bytes);
    message_add_whole(&n->attributes, "group_size", gpus);
}

static message_node recorded_node(const chakra *c, const replay_node *n) {
    const habitat_workload_kernel *own = &c->r->workload->kernels[n->index];
    const habitat_kernel *k = own->kernel;
    size_t count = 0;
    const habitat_operation *ops = habitat_trace_operations(c->r->workload->trace, &count);
    comm_type type = recorded_type(k);
    message_node made =
        begin_node(k->form->name, type == COMM_NONE ? MESSAGE_COMPUTE : MESSAGE_COLLECTIVE);
    if (type != COMM_NONE)
        add_message(&made, type, k->form->bytes, k->form->group_size);
    if (habitat_is_copy(k))
        message_add_whole(&made.attributes, "bytes", k->form->bytes);
    uint32_t operation = replay_operation_of(c->r->workload, n->index);
    if (operation != HABITAT_NONE)
        message_add_text(&made.attributes, "operation", ops[operation].form->name);
    if (!workload_is_untimed(c->r->workload))
        message_add_whole(&made.attributes, "recorded_ns", k->duration_ns);
    message_add_text(&made.attributes, "method",
                     habitat_method_name(c->p->trace_kernels[n->index].method));
    return made;
}

static message_node added_node(const chakra *c, const replay_node *n) {
    static const struct {
        const char *name;
        comm_type type;
    } kinds[] = {
        [REPLAY_ADDED_FILL] = {"gradient into its bucket", COMM_NONE},
        [REPLAY_ADDED_SUM] = {"all-reduce of a bucket", COMM_ALL_REDUCE},
        [REPLAY_ADDED_RETURN] = {"gradients out of their bucket", COMM_NONE},
        [REPLAY_ADDED_GATHER] = {"buffers gathered", COMM_NONE},
        [REPLAY_ADDED_BROADCAST] = {"broadcast of buffers", COMM_BROADCAST},
        [REPLAY_ADDED_SCATTER] = {"buffers copied back", COMM_NONE},
        [REPLAY_ADDED_COLLECT] = {"all-gather of a layer's weights", COMM_ALL_GATHER},
        [REPLAY_ADDED_UNPACK] = {"weights copied out", COMM_NONE},
        [REPLAY_ADDED_PACK] = {"gradients copied together", COMM_NONE},
        [REPLAY_ADDED_REDUCE] = {"reduce-scatter of a layer's gradients", COMM_REDUCE_SCATTER},
        [REPLAY_ADDED_KEEP] = {"gradients kept", COMM_NONE},
    };
    const replay_added *a = &c->added[n->index - c->r->graph.kernel_count];
    comm_type type = kinds[a->kind].type;
    uint64_t bytes = (uint64_t)llround(a->bytes);
    message_node made =
        begin_node(kinds[a->kind].name, type == COMM_NONE ? MESSAGE_COMPUTE : MESSAGE_COLLECTIVE);
    if (type == COMM_NONE) {
        message_add_whole(&made.attributes, "bytes", bytes);
    } else {
        add_message(&made, type, bytes, c->p->gpu_count);
        message_add_text(&made.attributes, "pg_name", group_name);
    }
    message_add_flag(&made.attributes, "added", true);
    return made;
}

/* Before a kernel that follows others its stream pauses. */
static uint64_t put_pause(chakra *c, const replay_node *n, double until_ns) {
    double ns = replay_gap_ns(c->g, n->index) * c->times.gap_scale;
    message_node made = begin_node("pause", MESSAGE_COMPUTE);
    wait_for_edges(c, n, 0.0, REPLAY_GAP);
    if (!c->after.count || !(ns > 0.0))
        return 0;
    message_add_flag(&made.attributes, "is_cpu_op", false);
    message_add_whole(&made.attributes, "stream", c->stream_number[n->place]);
    return put_node(c, &made, &c->pauses[n->place], until_ns - ns, ns);
}

static void put_kernel(chakra *c, size_t i) {
    const replay_node *n = &c->g->nodes[i];
    double ns = replay_own_ns(c->g, &c->times, n), from_ns = c->at[i] - ns;
    put_longer_ways(c, n, 0.0);
    uint64_t pause = put_pause(c, n, from_ns);
    message_node made =
        n->index < c->r->graph.kernel_count ? recorded_node(c, n) : added_node(c, n);
    if (pause)
        wait_for(c, pause);
    wait_for_edges(c, n, 0.0, 0);
    message_add_flag(&made.attributes, "is_cpu_op", false);
    message_add_whole(&made.attributes, "stream", c->stream_number[n->place]);
    c->id[i] = put_node(c, &made, &c->kernels[n->place], from_ns, ns);
}

/* ---- all of it ---- */

static void put_head(chakra *c) {
    message_attributes a = {.count = 0};
    double length_ns = 0.0;
    for (size_t i = 0; i < c->g->node_count; i++)
        if (is_first(c, &c->g->nodes[i]))
            length_ns = fmax(length_ns, c->at[i] + chakra_tail_ns(&c->split, i));
    message_add_text(&a, "gpu", c->p->gpu->name);
    if (!workload_is_untimed(c->r->workload))
        message_add_text(&a, "origin", c->r->workload->info.origin->name);
    message_add_text(&a, "method", habitat_method_name(c->p->method));
    message_add_whole(&a, "gpus", c->p->gpu_count);
    message_add_whole(&a, "iterations", 1);
    message_add_real(&a, "iteration_ms", c->p->iteration_ms);
    message_add_real(&a, "busy_ms", c->p->busy_ms);
    message_add_real(&a, "length_ns", length_ns);
    message_add_real(&a, "launch_latency_ns", c->g->latency_ns);
    message_put_head(&c->file, &a);
}

/* Who takes part in messages: ASTRA-sim reads it out of a node's inputs. */
static uint64_t put_groups(chakra *c) {
    char text[128];
    whole_us none = {0.0, 0};
    message_node n = begin_node("process groups", MESSAGE_METADATA);
    if (!c->added)
        return 0;
    habitat_format(text, sizeof text,
                   "[\"[{\"pg_name\": \"%s\", \"group_size\": %u, \"ranks\": []}]\"]", group_name,
                   (unsigned)c->p->gpu_count);
    n.values = text;
    message_add_flag(&n.attributes, "is_cpu_op", false);
    return put_node(c, &n, &none, 0.0, 0.0);
}

static habitat_status put_all(chakra *c, habitat_error *err) {
    put_head(c);
    uint64_t groups = put_groups(c);
    for (size_t i = 0; i < c->g->node_count && !c->file.no_memory && !c->file.refused; i++)
        if (!is_first(c, &c->g->nodes[i]))
            continue;
        else if (c->g->nodes[i].kind == REPLAY_KERNEL)
            put_kernel(c, i);
        else
            put_cpu(c, i, groups);
    if (!c->file.no_memory)
        message_flush(&c->file);
    if (c->file.no_memory)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    return c->file.refused ? habitat_fail(err, HABITAT_E_IO, "the output was refused") : HABITAT_OK;
}

/* Streams as recorded; messages have one of their own, behind all others. */
static void number_streams(chakra *c) {
    uint32_t most = 0;
    for (size_t i = 0; i < c->g->node_count; i++) {
        const replay_node *n = &c->g->nodes[i];
        if (n->kind != REPLAY_KERNEL || n->index >= c->r->graph.kernel_count)
            continue;
        uint32_t number = c->r->workload->kernels[n->index].kernel->form->stream;
        c->stream_number[n->place] = number;
        most = number > most ? number : most;
    }
    c->stream_number[REPLAY_ADDED_STREAM] = most + 1;
}

static bool set_up(chakra *c, double *at) {
    size_t threads = 1;
    for (size_t i = 0; i < c->g->node_count; i++)
        if (c->g->nodes[i].kind != REPLAY_KERNEL && c->g->nodes[i].place >= threads)
            threads = c->g->nodes[i].place + 1;
    c->id = calloc(c->g->node_count + 1, sizeof *c->id); /* 0: not written */
    c->threads = calloc(threads, sizeof *c->threads);
    c->kernels = calloc(REPLAY_ADDED_STREAM + 1, sizeof *c->kernels);
    c->pauses = calloc(REPLAY_ADDED_STREAM + 1, sizeof *c->pauses);
    c->stream_number = calloc(REPLAY_ADDED_STREAM + 1, sizeof *c->stream_number);
    if (!at || !c->id || !c->threads || !c->kernels || !c->pauses || !c->stream_number ||
        !chakra_times_set(&c->split, c->g, c->r->graph.kernel_count, &c->times))
        return false;
    c->times.with_room = true; /* a file says what ends before what; room is its reader's */
    replay_from_idle(c->g, &c->times, at);
    c->at = at;
    number_streams(c);
    return true;
}

static void chakra_free(chakra *c) {
    free(c->id);
    free(c->threads);
    free(c->kernels);
    free(c->pauses);
    free(c->stream_number);
    free(c->after.all);
    free(c->longer.all);
    chakra_times_free(&c->split);
    message_file_free(&c->file);
}

static habitat_status export_graph(const habitat_replay *r, const habitat_prediction *p,
                                   const double *ns, const replay_parallel *parallel,
                                   habitat_export_write write, void *context, habitat_error *err) {
    chakra c = {.r = r,
                .p = p,
                .g = parallel ? &parallel->graph : &r->graph,
                .added = parallel ? parallel->added : NULL,
                .times = replay_times_of(r, parallel ? parallel->kernel_ns : ns),
                .file = {.write = write, .context = context}};
    double *at = malloc((c.g->node_count + 1) * sizeof *at);
    habitat_status status =
        set_up(&c, at) ? put_all(&c, err) : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    chakra_free(&c);
    free(at);
    return status;
}

habitat_status habitat_export_chakra(const habitat_replay *r, const habitat_prediction *p,
                                     habitat_export_write write, void *context,
                                     habitat_error *err) {
    if (!r || !p || !write || !p->trace_kernels || p->trace_kernel_count < r->graph.kernel_count)
        return habitat_fail(err, HABITAT_E_ARG,
                            "a Chakra trace needs a replay, a prediction of its workload and a "
                            "place to write to");
    if (r->workload->all_devices)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "the recording holds several devices, and a Chakra trace is of one "
                            "GPU; record a process for each GPU");
    habitat_replay beside = replay_beside(r, p);
    double *ns = malloc((p->trace_kernel_count + 1) * sizeof *ns);
    replay_parallel parallel = {0};
    habitat_status status = HABITAT_OK;
    if (!ns)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < p->trace_kernel_count; i++)
        ns[i] = p->trace_kernels[i].ms * HABITAT_NS_PER_MS;
    bool many = p->gpu_count > 1;
    replay_parted parted;
    if (many && p->sharded)
        status = replay_part(&beside, ns, p->gpu, p->gpu_count, &parallel, &parted, err);
    else if (many)
        status = replay_share(&beside, ns, p->gpu, p->gpu_count, &parallel, err);
    if (status == HABITAT_OK)
        status = export_graph(&beside, p, ns, many ? &parallel : NULL, write, context, err);
    replay_parallel_free(&parallel);
    free(ns);
    return status;
}
