/* From a workload to its graph. */
#include "replay/builder.h"
#include "replay/state_sweep.h"
#include "trace/calls.h"

#include "base/constants_replay.h"
#include "base/error.h"
#include "base/quantile.h"
#include "trace/sort.h"

static void builder_free(replay_builder *b) {
    free(b->threads);
    free(b->streams);
    free(b->pending);
    free(b->snapshot);
    free(b->own_of);
    free(b->slot);
    free(b->kernel_node);
    free(b->call_node);
    free(b->owner);
    free(b->record_kernel);
    free(b->held_first);
    free(b->held);
    free(b->by_end);
    free(b->at_once_ns);
    free(b->pauses.list);
    free(b->slow_calls.list);
    free(b->slow);
}

/* ---- before the sweep ---- */

static habitat_status find_streams(replay_builder *b, habitat_error *err) {
    b->streams = calloc(REPLAY_STREAMS_MAX, sizeof *b->streams);
    if (!b->streams)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    uint32_t s = 0;
    for (size_t i = 0; i < b->own_count; i++) {
        const habitat_kernel *k = b->own[i].kernel;
        if (s >= b->stream_count ||
            !replay_is_stream(&b->streams[s], k->form->device, k->form->stream))
            for (s = 0; s < b->stream_count &&
                        !replay_is_stream(&b->streams[s], k->form->device, k->form->stream);
                 s++)
                continue;
        if (s == REPLAY_STREAMS_MAX)
            return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                                "the iteration uses more than %d streams, which replay does not "
                                "follow; use --assemble sum",
                                REPLAY_STREAMS_MAX);
        if (s == b->stream_count)
            b->streams[b->stream_count++] = (replay_stream){.number = k->form->stream,
                                                            .device = k->form->device,
                                                            .launched = HABITAT_NONE,
                                                            .last = HABITAT_NONE,
                                                            .last_but_one = HABITAT_NONE};
        b->slot[i] = (uint8_t)s;
        b->streams[s].busy_ns += (double)k->duration_ns;
    }
    return HABITAT_OK;
}

/* The busiest streams go on where they stopped in the iteration before; the others start free. */
static void choose_states(replay_builder *b) {
    b->graph->state_count = 1;
    for (int i = 0; i < REPLAY_ALL_STATES; i++)
        b->graph->state_nodes[i] = HABITAT_NONE;
    while (b->graph->state_count < REPLAY_STATES_MAX) {
        replay_stream *most = NULL;
        for (size_t s = 0; s < b->stream_count; s++)
            if (!b->streams[s].state && (!most || b->streams[s].busy_ns > most->busy_ns))
                most = &b->streams[s];
        if (!most)
            return;
        most->state = (uint32_t)b->graph->state_count++;
    }
}

/* Kernels of the workload are those of its devices inside iterations, in the trace's order. */
static void find_own(replay_builder *b) {
    uint32_t own = 0;
    for (size_t i = 0; i < b->kernel_count; i++)
        if (workload_holds(b->w, &b->kernels[i]) && b->kernels[i].iteration != HABITAT_NONE)
            b->own_of[i] = own++;
}

static void count_threads(replay_builder *b) {
    for (size_t i = 0; i < b->op_count; i++)
        if (b->ops[i].form->thread >= b->thread_count)
            b->thread_count = b->ops[i].form->thread + 1;
    for (size_t i = 0; i < b->call_count; i++)
        if (b->calls[i].form->thread >= b->thread_count)
            b->thread_count = b->calls[i].form->thread + 1;
}

/* The usual launch, and what of waits is recorded. */
static bool look_at_calls(replay_builder *b) {
    size_t launches = 0;
    double *durations = malloc((b->call_count + 1) * sizeof *durations);
    if (!durations)
        return false;
    for (size_t i = 0; i < b->call_count; i++) {
        const habitat_call *c = &b->calls[i];
        if (c->form->kind == HABITAT_CALL_LAUNCH)
            durations[launches++] = (double)c->duration_ns;
        bool waits = c->form->kind == HABITAT_CALL_WAIT_EVENT;
        b->waits_noted |= waits && c->form->stream != HABITAT_NONE;
        b->waits_recorded |=
            c->form->kind == HABITAT_CALL_RECORD_EVENT || waits || trace_call_waits(c);
        b->waits_for_calls |=
            waits && habitat_trace_call_wait(b->w->trace, (uint32_t)i)->waits_call != HABITAT_NONE;
    }
    b->usual_launch_ns = INFINITY;
    if (launches) {
        habitat_sort_numbers(durations, launches);
        b->usual_launch_ns =
            fmax(habitat_quantile(durations, launches, 0.5), chosen_replay_usual_launch_least_ns);
    }
    free(durations);
    return true;
}

static bool ends_before(const void *context, uint32_t x, uint32_t y) {
    const replay_builder *b = context;
    return replay_kernel_end(b->own[x].kernel) < replay_kernel_end(b->own[y].kernel);
}

static bool allocate(replay_builder *b) {
    bool all_own = b->own_count == b->kernel_count;
    b->threads = calloc(b->thread_count, sizeof *b->threads);
    b->own_of = all_own ? NULL : replay_filled(b->kernel_count);
    b->slot = calloc(b->own_count + 1, sizeof *b->slot);
    b->kernel_node = replay_filled(b->own_count);
    b->call_node = replay_filled(b->call_count);
    b->owner = replay_filled(b->call_count);
    b->record_kernel = b->waits_for_calls ? replay_filled(b->call_count) : NULL;
    b->by_end = replay_filled(b->own_count);
    return b->threads && (b->own_of || all_own) && b->slot && b->kernel_node && b->call_node &&
           b->owner && (b->record_kernel || !b->waits_for_calls) && b->by_end &&
           sort_order(b->by_end, b->own_count, ends_before, b);
}

static habitat_status prepare(replay_builder *b, habitat_error *err) {
    b->ops = habitat_trace_operations(b->w->trace, &b->op_count);
    b->calls = habitat_trace_calls(b->w->trace, &b->call_count);
    b->kernels = habitat_trace_kernels(b->w->trace, &b->kernel_count);
    b->own = habitat_workload_kernels(b->w, &b->own_count);
    b->thread_count = 1;
    count_threads(b);
    if (!look_at_calls(b) || !allocate(b))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < b->thread_count; i++)
        b->threads[i].last = b->threads[i].copied_on = HABITAT_NONE;
    if (b->own_of)
        find_own(b);
    b->ended_node[0] = b->ended_node[1] = HABITAT_NONE;
    b->ended_thread[0] = b->ended_thread[1] = HABITAT_NONE;
    habitat_status status = find_streams(b, err);
    if (status != HABITAT_OK)
        return status;
    b->pending = replay_filled(b->stream_count * b->stream_count);
    b->snapshot = replay_filled(b->stream_count);
    if (!b->pending || !b->snapshot)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    choose_states(b);
    return HABITAT_OK;
}

/* ---- the sweep ---- */

static habitat_status connect(replay_builder *b, habitat_error *err) {
    replay_graph *g = b->graph;
    b->at_once_ns = calloc(g->node_count + 1, sizeof *b->at_once_ns);
    replay_find_apart(b);
    bool fine = b->at_once_ns && replay_find_pauses(b);
    for (size_t i = 0; fine && i < g->node_count; i++) {
        g->nodes[i].first_edge = (uint32_t)g->edge_count;
        fine = g->nodes[i].kind == REPLAY_KERNEL ? replay_kernel(b, i) : replay_cpu_point(b, i);
        replay_at_once(b, i);
    }
    g->nodes[g->node_count].first_edge = (uint32_t)g->edge_count;
    if (!fine || !replay_set_gaps(b))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    g->state_nodes[0] = (uint32_t)g->node_count - 1;
    for (size_t s = 0; s < b->stream_count; s++)
        if (b->streams[s].state)
            g->state_nodes[b->streams[s].state] = b->kernel_node[b->streams[s].last];
    return replay_set_slots(g) ? replay_set_hidden(b, err)
                               : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}

habitat_status replay_build(const habitat_workload *w, replay_graph *g, habitat_replay_info *info,
                            habitat_error *err) {
    replay_builder b = {.w = w, .graph = g, .info = info};
    habitat_status status = prepare(&b, err);
    g->kernel_count = b.own_count;
    if (status == HABITAT_OK)
        status = replay_points(&b, err);
    if (status == HABITAT_OK)
        status = connect(&b, err);
    info->trace_node_count = g->node_count;
    info->trace_edge_count = g->edge_count;
    info->stream_count = b.stream_count;
    info->in_recorded_order = b.call_count && !b.waits_recorded && b.stream_count > 1;
    for (size_t i = 0; b.threads && i < b.thread_count; i++)
        info->thread_count += b.threads[i].last != HABITAT_NONE;
    builder_free(&b);
    return status;
}
