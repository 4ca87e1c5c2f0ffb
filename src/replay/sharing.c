/* See sharing.h. */
#include "replay/sharing.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_parallel.h"
#include "base/error.h"
#include "formula/rates.h"
#include "gpu/gpu.h"
#include "replay/launched.h"
#include "workload/collective.h"
#include "workload/workload.h"

void replay_parallel_free(replay_parallel *p) {
    replay_graph_free(&p->graph);
    free(p->kernel_ns);
    free(p->silent_ns);
    free(p->added);
}

void sharing_free(sharing *x) {
    splice_free(&x->s);
    replay_gradients_free(&x->g);
    free(x->kernel_node);
    free(x->launch_node);
    free(x->before_ns);
    free(x->slowed_ns);
    free(x->added_to);
}

habitat_status sharing_check_link(const habitat_gpu *gpu, habitat_error *err) {
    if (collective_link_bytes_per_s(gpu) > 0.0)
        return HABITAT_OK;
    return habitat_fail(err, HABITAT_E_NO_SPEC,
                        "neither its NVLink nor its PCIe bandwidth is known; add one to "
                        "its file");
}

/* Where each kernel is launched: without a GPU where the operation begins that it stands for. */
static bool find_launches(sharing *x) {
    const replay_graph *g = &x->r->graph;
    const habitat_workload *w = x->r->workload;
    size_t calls = 0;
    if (workload_is_untimed(w)) {
        for (size_t i = 0; i < g->kernel_count; i++)
            x->launch_node[i] = x->kernel_node[i] - 1;
        return true;
    }
    habitat_trace_calls(w->trace, &calls);
    uint32_t *call_node = malloc((calls + 1) * sizeof *call_node);
    for (size_t i = 0; call_node && i <= calls; i++)
        call_node[i] = HABITAT_NONE;
    for (uint32_t i = 0; call_node && i < g->node_count; i++)
        if (g->nodes[i].kind == REPLAY_CALL)
            call_node[g->nodes[i].index] = i;
    for (uint32_t i = 0; call_node && i < g->kernel_count; i++) {
        uint32_t call = w->kernels[i].kernel->call;
        x->launch_node[i] = call == HABITAT_NONE ? HABITAT_NONE : call_node[call];
    }
    free(call_node);
    return call_node != NULL;
}

bool sharing_begin(sharing *x) {
    const replay_graph *g = &x->r->graph;
    double sum = 0.0;
    x->kernel_node = malloc((g->kernel_count + 1) * sizeof *x->kernel_node);
    x->before_ns = calloc(g->kernel_count + 1, sizeof *x->before_ns);
    x->launch_node = malloc((g->kernel_count + 1) * sizeof *x->launch_node);
    x->added_to = calloc(x->g.step_count + 1, sizeof *x->added_to);
    if (!splice_begin(&x->s, g) || !x->kernel_node || !x->before_ns || !x->launch_node ||
        !x->added_to)
        return false;
    for (uint32_t i = 0; i < g->node_count; i++)
        if (g->nodes[i].kind == REPLAY_KERNEL)
            x->kernel_node[g->nodes[i].index] = i;
    if (!find_launches(x))
        return false;
    for (size_t i = 0; i < x->g.launched_count; i++) {
        x->before_ns[x->g.launched[i]] = sum;
        sum += x->kernel_ns[x->g.launched[i]];
    }
    return true;
}

double sharing_copy_ns(const sharing *x, double bytes) {
    return 2.0 * bytes / x->gpu->sustained_bandwidth_bytes_per_s * 1e9 +
           formula_kernel_floor_ns(x->gpu);
}

double sharing_slowed_ns(const sharing *x, double shared_ns) {
    return shared_ns * collective_beside_share(x->gpu, x->count);
}

bool sharing_launch(sharing *x, uint32_t k, uint32_t node, double steps, double more_ns) {
    uint32_t from = x->launch_node[k];
    double scale = x->r->options.cpu_scale > 0.0 ? x->r->options.cpu_scale : 1.0;
    if (from == HABITAT_NONE)
        return true;
    if (x->r->cpu_factor > 0.0)
        x->s.cpu_ns[from] += (steps * x->r->usual_ns + more_ns) * scale / x->r->cpu_factor;
    return splice_link(&x->s, from, node, REPLAY_LAUNCH);
}

uint32_t sharing_message(sharing *x, uint32_t at, bool before, habitat_collective kind,
                         replay_added what, double copies_ns) {
    double ns = collective_time_ns(x->gpu, kind, what.bytes, x->count);
    x->message_ns += ns;
    return splice_add(&x->s, &(splice_node){.at = at,
                                            .before = before,
                                            .stream = REPLAY_ADDED_STREAM,
                                            .time_ns = ns + copies_ns,
                                            .what = (int)what.kind,
                                            .bytes = what.bytes});
}

uint32_t sharing_copy(sharing *x, uint32_t kernel, bool before, replay_added copy, double ns) {
    uint32_t at = x->kernel_node[kernel];
    bool launched = copy.kind == REPLAY_ADDED_RETURN || copy.kind == REPLAY_ADDED_UNPACK;
    return splice_add(&x->s, &(splice_node){.at = at,
                                            .before = before,
                                            .launched = launched,
                                            .in_stream = !before,
                                            .stream = x->r->graph.nodes[at].place,
                                            .time_ns = ns,
                                            .what = (int)copy.kind,
                                            .bytes = copy.bytes});
}

bool sharing_note_slowed(sharing *x, double ns) {
    double *grown = realloc(x->slowed_ns, (x->s.node_count + 1) * sizeof *grown);
    if (!grown)
        return false;
    x->slowed_ns = grown;
    while (x->slowed_count < x->s.node_count)
        x->slowed_ns[x->slowed_count++] = 0.0;
    x->slowed_ns[x->slowed_count - 1] = ns;
    return true;
}

static uint32_t iteration_of(const sharing *x, size_t step) {
    uint32_t kernel = x->g.all[x->g.steps[step].first].kernel;
    return replay_iteration_of(x->r->workload, kernel);
}

habitat_status sharing_finish(const sharing *x, const double *kernel_ns, replay_parallel *out,
                              habitat_error *err) {
    size_t own = x->r->graph.kernel_count;
    habitat_status status = splice_make(&x->s, &x->r->graph, x->r->info.gap_ns, &out->graph, err);
    out->kernel_ns = malloc((own + x->s.node_count + 1) * sizeof *out->kernel_ns);
    out->silent_ns = malloc((own + x->s.node_count + 1) * sizeof *out->silent_ns);
    out->added = malloc((x->s.node_count + 1) * sizeof *out->added);
    if (status == HABITAT_OK && (!out->kernel_ns || !out->silent_ns || !out->added))
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status != HABITAT_OK)
        return status;
    memcpy(out->kernel_ns, kernel_ns, own * sizeof *out->kernel_ns);
    memcpy(out->silent_ns, kernel_ns, own * sizeof *out->silent_ns);
    for (size_t i = 0, step = 0; i < x->s.node_count; i++) {
        const splice_node *n = &x->s.nodes[i];
        while (i >= x->added_to[step])
            step++;
        double slowed = i < x->slowed_count ? x->slowed_ns[i] : 0.0;
        out->added[i] = (replay_added){(replay_added_kind)n->what, n->bytes, iteration_of(x, step)};
        out->kernel_ns[own + i] = n->time_ns;
        /* next to none, so that its pauses stay: one of no time is run no more */
        out->silent_ns[own + i] = n->stream == REPLAY_ADDED_STREAM ? DBL_MIN : n->time_ns - slowed;
    }
    out->message_ns = x->message_ns;
    out->sent_bytes = x->sent_bytes;
    return HABITAT_OK;
}
