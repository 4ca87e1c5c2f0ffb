/* Data parallelism as PyTorch's DistributedDataParallel does it, put into the graph of one GPU:
 *   - a gradient that is done is copied into its bucket, on the stream of the backward pass;
 *   - a full bucket is summed over all GPUs, on NCCL's stream, one bucket after another;
 *   - behind the backward pass each bucket's gradients are copied back when its sum is there; what
 *     follows (clipping, the optimiser) waits for all;
 *   - buffers of batch norms are sent from the first GPU before the forward pass;
 *   - kernels that run beside a sum take longer: it occupies SMs and memory. */
#include "replay/parallel.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_parallel.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "predict/scaling.h"
#include "replay/buckets.h"
#include "replay/splice.h"
#include "workload/collective.h"
#include "workload/workload.h"

enum { BUFFERS_PER_NORM = 3 };

typedef struct sharing {
    const habitat_replay *r;
    const double *kernel_ns;
    const habitat_gpu *gpu;
    uint32_t count;
    splice s;
    replay_gradients g;
    uint32_t *kernel_node; /* shape (kernels): or HABITAT_NONE */
    uint32_t *call_node;   /* shape (calls) */
    double *before_ns;     /* shape (kernels): of the kernels launched before, their times */
    double *slowed_ns;     /* shape (new nodes): part of a node's time that is others' slow-down */
    size_t slowed_count;
    size_t *added_to; /* shape (steps of the gradients): new nodes with those of that step */
    double message_ns, sent_bytes;
} sharing;

void replay_parallel_free(replay_parallel *p) {
    replay_graph_free(&p->graph);
    free(p->kernel_ns);
    free(p->silent_ns);
    free(p->added);
}

static void sharing_free(sharing *x) {
    splice_free(&x->s);
    replay_gradients_free(&x->g);
    free(x->kernel_node);
    free(x->call_node);
    free(x->before_ns);
    free(x->slowed_ns);
    free(x->added_to);
}

/* ---- single steps; each returns HABITAT_NONE or false when out of memory ---- */

static double copy_ns(const sharing *x, double bytes) {
    return 2.0 * bytes / x->gpu->sustained_bandwidth_bytes_per_s * 1e9 +
           scaling_kernel_floor_ns(x->gpu);
}

/* The CPU works so many usual steps longer behind the launch of kernel `k`, and the new node waits
 * for that launch. */
static bool launch(sharing *x, uint32_t k, uint32_t node, double steps) {
    uint32_t call = x->r->workload->kernels[k].kernel->call;
    uint32_t from = call == HABITAT_NONE ? HABITAT_NONE : x->call_node[call];
    double scale = x->r->options.cpu_scale > 0.0 ? x->r->options.cpu_scale : 1.0;
    if (from == HABITAT_NONE)
        return true;
    if (x->r->cpu_factor > 0.0)
        x->s.cpu_ns[from] += steps * x->r->usual_ns * scale / x->r->cpu_factor;
    return splice_link(&x->s, from, node, REPLAY_LAUNCH);
}

static uint32_t add_message(sharing *x, uint32_t at, bool before, habitat_collective kind,
                            double bytes) {
    double ns = collective_time_ns(x->gpu, kind, bytes, x->count);
    bool sum = kind == HABITAT_COLLECTIVE_ALL_REDUCE;
    x->message_ns += ns;
    return splice_add(&x->s, &(splice_node){.at = at,
                                            .before = before,
                                            .stream = REPLAY_ADDED_STREAM,
                                            .time_ns = ns,
                                            .what = sum ? REPLAY_ADDED_SUM : REPLAY_ADDED_BROADCAST,
                                            .bytes = bytes});
}

static uint32_t add_copy(sharing *x, uint32_t kernel, bool before, replay_added copy, double ns) {
    uint32_t at = x->kernel_node[kernel];
    return splice_add(&x->s, &(splice_node){.at = at,
                                            .before = before,
                                            .launched = copy.kind == REPLAY_ADDED_RETURN,
                                            .in_stream = !before,
                                            .stream = x->r->graph.nodes[at].place,
                                            .time_ns = ns,
                                            .what = (int)copy.kind,
                                            .bytes = copy.bytes});
}

/* ---- the backward pass ---- */

/* Sums that run while the kernels of the next bucket do: what is left over runs beside the ones
 * after. Returns what the kernels up to `kernel` lose. A sum holds SMs: a product all of whose
 * blocks would run at once has some wait for them, until the sum ends or the other blocks do. So a
 * sum that is shorter than the product costs it most of its time, a longer one less. */
static double slow_down(const sharing *x, uint32_t from, uint32_t kernel, double *running_ns) {
    double work = fmax(0.0, x->before_ns[kernel] + x->kernel_ns[kernel] - x->before_ns[from] -
                                x->kernel_ns[from]);
    double shared = fmin(*running_ns, work);
    *running_ns -= shared;
    return shared * (collective_is_quick(x->gpu, x->count) ? fitted_beside_quick_collective
                                                           : fitted_beside_collective);
}

static bool note_slowed(sharing *x, double ns) {
    double *grown = realloc(x->slowed_ns, (x->s.node_count + 1) * sizeof *grown);
    if (!grown)
        return false;
    x->slowed_ns = grown;
    while (x->slowed_count < x->s.node_count)
        x->slowed_ns[x->slowed_count++] = 0.0;
    x->slowed_ns[x->slowed_count - 1] = ns;
    return true;
}

/* Copies into buckets and their sums; sums[b] receives the node of bucket b's. */
static bool add_sums(sharing *x, const replay_backward *step, uint32_t *sums, double *bytes) {
    const replay_gradient *all = &x->g.all[step->first];
    double running_ns = 0.0, held = 0.0;
    uint32_t previous = HABITAT_NONE;
    for (size_t i = 0; i < step->count; i++) {
        const replay_gradient *g = &all[i];
        bool full = i + 1 == step->count || all[i + 1].bucket != g->bucket;
        double lost = i ? slow_down(x, all[i - 1].kernel, g->kernel, &running_ns) : 0.0;
        uint32_t copy = add_copy(x, g->kernel, false,
                                 (replay_added){.kind = REPLAY_ADDED_FILL, .bytes = g->bytes},
                                 copy_ns(x, g->bytes) + lost);
        bool fine = copy != HABITAT_NONE && note_slowed(x, lost) &&
                    (!i || splice_link(&x->s, previous, copy, REPLAY_GAP)) &&
                    splice_link(&x->s, x->kernel_node[g->kernel], copy, REPLAY_GAP) &&
                    launch(x, g->kernel, copy,
                           hardware_bucket_fill_steps + (full ? hardware_message_steps : 0.0));
        previous = copy;
        held += g->bytes;
        if (fine && full) {
            uint32_t b = g->bucket;
            sums[b] = add_message(x, x->kernel_node[g->kernel], false,
                                  HABITAT_COLLECTIVE_ALL_REDUCE, held);
            fine = sums[b] != HABITAT_NONE && splice_link(&x->s, copy, sums[b], REPLAY_GAP) &&
                   (!b || splice_link(&x->s, sums[b - 1], sums[b], REPLAY_GAP));
            running_ns += fine ? x->s.nodes[sums[b] ^ SPLICE_NEW].time_ns : 0.0;
            bytes[b] = held;
            x->sent_bytes += held;
            held = 0.0;
        }
        if (!fine)
            return false;
    }
    return true;
}

/* Copies back, all of a bucket as one; what comes next on the stream waits for the last. */
static bool add_returns(sharing *x, const replay_backward *step, const uint32_t *sums,
                        const double *bytes) {
    const replay_gradient *all = &x->g.all[step->first];
    bool before = step->next != HABITAT_NONE;
    uint32_t beside = before ? step->next : all[step->count - 1].kernel, last = HABITAT_NONE;
    double gap_ns = x->r->info.gap_ns;
    for (uint32_t b = 0, i = 0; b < step->bucket_count; b++) {
        size_t copies = 0;
        for (; i < step->count && all[i].bucket == b; i++)
            copies++;
        double many = (double)copies;
        double ns = copy_ns(x, bytes[b] / many) * many + gap_ns * (many - 1.0);
        uint32_t node = add_copy(
            x, beside, before, (replay_added){.kind = REPLAY_ADDED_RETURN, .bytes = bytes[b]}, ns);
        if (node == HABITAT_NONE || !note_slowed(x, 0.0) ||
            !splice_link(&x->s, sums[b], node, REPLAY_GAP) ||
            (b && !splice_link(&x->s, last, node, REPLAY_GAP)) ||
            !launch(x, all[step->count - 1].kernel, node, many * hardware_bucket_return_steps))
            return false;
        last = node;
    }
    return !before || splice_link(&x->s, last, x->kernel_node[step->next], REPLAY_GAP);
}

/* ---- the forward pass ---- */

/* Gathered into one message, sent, and copied back one by one. */
static bool add_buffers(sharing *x, const replay_backward *step) {
    double bytes = habitat_trace_get_info(x->r->workload->trace)->memory.buffers_bytes;
    double many = fmax(1.0, (double)(BUFFERS_PER_NORM * step->norms));
    if (!(bytes > 0.0) || step->begin == HABITAT_NONE)
        return true;
    uint32_t beside = x->kernel_node[step->begin];
    uint32_t gather =
        add_copy(x, step->begin, true, (replay_added){.kind = REPLAY_ADDED_GATHER, .bytes = bytes},
                 copy_ns(x, bytes));
    bool fine = gather != HABITAT_NONE && note_slowed(x, 0.0);
    uint32_t message =
        fine ? add_message(x, beside, true, HABITAT_COLLECTIVE_ONE_WAY, bytes) : HABITAT_NONE;
    fine = message != HABITAT_NONE && note_slowed(x, 0.0);
    uint32_t back =
        fine ? add_copy(x, step->begin, true,
                        (replay_added){.kind = REPLAY_ADDED_SCATTER, .bytes = bytes},
                        copy_ns(x, bytes / many) * many + x->r->info.gap_ns * (many - 1.0))
             : HABITAT_NONE;
    return back != HABITAT_NONE && note_slowed(x, 0.0) &&
           splice_link(&x->s, gather, message, REPLAY_GAP) &&
           splice_link(&x->s, message, back, REPLAY_GAP) &&
           splice_link(&x->s, back, beside, REPLAY_GAP) &&
           launch(x, step->begin, back,
                  hardware_message_steps + many * hardware_bucket_return_steps);
}

static bool add_all(sharing *x) {
    bool fine = true;
    for (size_t i = 0; fine && i < x->g.step_count; i++) {
        const replay_backward *step = &x->g.steps[i];
        uint32_t *sums = calloc(step->bucket_count + 1, sizeof *sums);
        double *bytes = calloc(step->bucket_count + 1, sizeof *bytes);
        fine = sums && bytes && add_buffers(x, step) && add_sums(x, step, sums, bytes) &&
               add_returns(x, step, sums, bytes);
        x->added_to[i] = x->s.node_count;
        free(sums);
        free(bytes);
    }
    return fine;
}

/* ---- all of it ---- */

static bool set_up(sharing *x) {
    const replay_graph *g = &x->r->graph;
    size_t calls = 0;
    double sum = 0.0;
    habitat_trace_calls(x->r->workload->trace, &calls);
    x->kernel_node = malloc((g->kernel_count + 1) * sizeof *x->kernel_node);
    x->before_ns = calloc(g->kernel_count + 1, sizeof *x->before_ns);
    x->call_node = malloc((calls + 1) * sizeof *x->call_node);
    x->added_to = calloc(x->g.step_count + 1, sizeof *x->added_to);
    if (!splice_begin(&x->s, g) || !x->kernel_node || !x->before_ns || !x->call_node ||
        !x->added_to)
        return false;
    for (size_t i = 0; i <= calls; i++)
        x->call_node[i] = HABITAT_NONE;
    for (uint32_t i = 0; i < g->node_count; i++)
        if (g->nodes[i].kind == REPLAY_KERNEL)
            x->kernel_node[g->nodes[i].index] = i;
        else if (g->nodes[i].kind == REPLAY_CALL)
            x->call_node[g->nodes[i].index] = i;
    for (size_t i = 0; i < x->g.launched_count; i++) {
        x->before_ns[x->g.launched[i]] = sum;
        sum += x->kernel_ns[x->g.launched[i]];
    }
    return true;
}

static uint32_t iteration_of(const sharing *x, size_t step) {
    uint32_t kernel = x->g.all[x->g.steps[step].first].kernel;
    return x->r->workload->kernels[kernel].kernel->iteration;
}

static habitat_status finish(const sharing *x, replay_parallel *out, habitat_error *err) {
    size_t own = x->r->graph.kernel_count;
    habitat_status status = splice_make(&x->s, &x->r->graph, x->r->info.gap_ns, &out->graph, err);
    out->kernel_ns = malloc((own + x->s.node_count + 1) * sizeof *out->kernel_ns);
    out->silent_ns = malloc((own + x->s.node_count + 1) * sizeof *out->silent_ns);
    out->added = malloc((x->s.node_count + 1) * sizeof *out->added);
    if (status == HABITAT_OK && (!out->kernel_ns || !out->silent_ns || !out->added))
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status != HABITAT_OK)
        return status;
    memcpy(out->kernel_ns, x->kernel_ns, own * sizeof *out->kernel_ns);
    memcpy(out->silent_ns, x->kernel_ns, own * sizeof *out->silent_ns);
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

habitat_status replay_share(const habitat_replay *r, const double *kernel_ns,
                            const habitat_gpu *gpu, uint32_t count, replay_parallel *out,
                            habitat_error *err) {
    sharing x = {.r = r, .kernel_ns = kernel_ns, .gpu = gpu, .count = count};
    *out = (replay_parallel){0};
    if (!(collective_link_bytes_per_s(gpu) > 0.0))
        return habitat_fail(err, HABITAT_E_NO_SPEC,
                            "neither its NVLink nor its PCIe bandwidth is known; add one to "
                            "its file");
    habitat_status status = replay_find_gradients(r->workload, &x.g, err);
    if (status == HABITAT_OK && (!set_up(&x) || !add_all(&x)))
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK)
        status = finish(&x, out, err);
    sharing_free(&x);
    return status;
}
