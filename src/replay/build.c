/* From a workload to its graph. */
#include "replay/builder.h"

#include "base/error.h"
#include "base/quantile.h"

static void *filled(size_t count) {
    uint32_t *made = malloc((count + 1) * sizeof *made);
    for (size_t i = 0; made && i <= count; i++)
        made[i] = HABITAT_NONE;
    return made;
}

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
    free(b->ends_ns);
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
        b->slot[i] = s;
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

/* The usual launch, and when kernels ended. */
static bool measure(replay_builder *b) {
    size_t launches = 0;
    double *durations = malloc((b->call_count + 1) * sizeof *durations);
    if (!durations)
        return false;
    for (size_t i = 0; i < b->call_count; i++) {
        if (b->calls[i].form->kind == HABITAT_CALL_LAUNCH)
            durations[launches++] = (double)b->calls[i].duration_ns;
        b->waits_noted |= b->calls[i].form->kind == HABITAT_CALL_WAIT_EVENT &&
                          b->calls[i].form->stream != HABITAT_NONE;
        b->waits_recorded |= b->calls[i].form->kind == HABITAT_CALL_RECORD_EVENT ||
                             b->calls[i].form->kind == HABITAT_CALL_WAIT_EVENT ||
                             replay_waits_gpu(&b->calls[i]);
    }
    b->usual_launch_ns = INFINITY;
    if (launches) {
        habitat_sort_numbers(durations, launches);
        b->usual_launch_ns = fmax(habitat_quantile(durations, launches, 0.5), 1000.0);
    }
    free(durations);
    for (size_t i = 0; i < b->own_count; i++)
        b->ends_ns[i] = (double)replay_kernel_end(b->own[i].kernel);
    habitat_sort_numbers(b->ends_ns, b->own_count);
    return true;
}

static habitat_status prepare(replay_builder *b, habitat_error *err) {
    b->ops = habitat_trace_operations(b->w->trace, &b->op_count);
    b->calls = habitat_trace_calls(b->w->trace, &b->call_count);
    b->kernels = habitat_trace_kernels(b->w->trace, &b->kernel_count);
    b->own = habitat_workload_kernels(b->w, &b->own_count);
    b->thread_count = 1;
    count_threads(b);
    b->threads = calloc(b->thread_count, sizeof *b->threads);
    b->own_of = filled(b->kernel_count);
    b->slot = filled(b->own_count);
    b->kernel_node = filled(b->own_count);
    b->held_first = filled(b->own_count);
    b->call_node = filled(b->call_count);
    b->owner = filled(b->call_count);
    b->record_kernel = filled(b->call_count);
    b->ends_ns = calloc(b->own_count + 1, sizeof *b->ends_ns);
    if (!b->threads || !b->own_of || !b->slot || !b->kernel_node || !b->held_first ||
        !b->call_node || !b->owner || !b->record_kernel || !b->ends_ns || !measure(b))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < b->thread_count; i++)
        b->threads[i].last = b->threads[i].copied_on = HABITAT_NONE;
    find_own(b);
    b->ended_node[0] = b->ended_node[1] = HABITAT_NONE;
    b->ended_thread[0] = b->ended_thread[1] = HABITAT_NONE;
    habitat_status status = find_streams(b, err);
    if (status != HABITAT_OK)
        return status;
    b->pending = filled(b->stream_count * b->stream_count);
    b->snapshot = filled(b->stream_count);
    if (!b->pending || !b->snapshot)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    choose_states(b);
    return HABITAT_OK;
}

/* ---- the sweep ---- */

static habitat_status connect(replay_builder *b, habitat_error *err) {
    replay_graph *g = b->graph;
    bool fine = true;
    for (size_t i = 0; fine && i < g->node_count; i++) {
        g->nodes[i].first_edge = (uint32_t)g->edge_count;
        fine = g->nodes[i].kind == REPLAY_KERNEL ? replay_kernel(b, i) : replay_cpu_point(b, i);
    }
    g->nodes[g->node_count].first_edge = (uint32_t)g->edge_count;
    if (!fine || !replay_set_gaps(b))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    g->state_nodes[0] = (uint32_t)g->node_count - 1;
    for (size_t s = 0; s < b->stream_count; s++)
        if (b->streams[s].state)
            g->state_nodes[b->streams[s].state] = b->kernel_node[b->streams[s].last];
    return replay_set_hidden(b, err);
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
