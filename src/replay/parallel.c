/* Data parallelism as PyTorch's DistributedDataParallel does it, put into the graph of one GPU:
 *   - a gradient that is done is copied into its bucket, on the stream of the backward pass;
 *   - a full bucket is summed over all GPUs, on NCCL's stream, one bucket after another;
 *   - behind the backward pass each bucket's gradients are copied back when its sum is there; what
 *     follows (clipping, the optimiser) waits for all;
 *   - buffers of batch norms are sent from the first GPU before the forward pass;
 *   - kernels that run beside a sum take longer: it occupies SMs and memory. */
#include "replay/parallel.h"

#include <math.h>
#include <stdlib.h>

#include "base/constants_parallel.h"
#include "base/error.h"
#include "replay/sharing.h"
#include "workload/workload.h"

enum { BUFFERS_PER_NORM = 3 };

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
    return sharing_slowed_ns(x, shared);
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
        uint32_t copy = sharing_copy(x, g->kernel, false,
                                     (replay_added){.kind = REPLAY_ADDED_FILL, .bytes = g->bytes},
                                     sharing_copy_ns(x, g->bytes) + lost);
        bool fine =
            copy != HABITAT_NONE && sharing_note_slowed(x, lost) &&
            (!i || splice_link(&x->s, previous, copy, REPLAY_GAP)) &&
            splice_link(&x->s, x->kernel_node[g->kernel], copy, REPLAY_GAP) &&
            sharing_launch(x, g->kernel, copy,
                           hardware_bucket_fill_steps + (full ? hardware_message_steps : 0.0), 0.0);
        previous = copy;
        held += g->bytes;
        if (fine && full) {
            uint32_t b = g->bucket;
            sums[b] =
                sharing_message(x, x->kernel_node[g->kernel], false, HABITAT_COLLECTIVE_ALL_REDUCE,
                                (replay_added){.kind = REPLAY_ADDED_SUM, .bytes = held}, 0.0);
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
        double ns = sharing_copy_ns(x, bytes[b] / many) * many + gap_ns * (many - 1.0);
        uint32_t node = sharing_copy(
            x, beside, before, (replay_added){.kind = REPLAY_ADDED_RETURN, .bytes = bytes[b]}, ns);
        if (node == HABITAT_NONE || !sharing_note_slowed(x, 0.0) ||
            !splice_link(&x->s, sums[b], node, REPLAY_GAP) ||
            (b && !splice_link(&x->s, last, node, REPLAY_GAP)) ||
            !sharing_launch(x, all[step->count - 1].kernel, node,
                            many * hardware_bucket_return_steps, 0.0))
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
    uint32_t gather = sharing_copy(x, step->begin, true,
                                   (replay_added){.kind = REPLAY_ADDED_GATHER, .bytes = bytes},
                                   sharing_copy_ns(x, bytes));
    bool fine = gather != HABITAT_NONE && sharing_note_slowed(x, 0.0);
    uint32_t message =
        fine ? sharing_message(x, beside, true, HABITAT_COLLECTIVE_ONE_WAY,
                               (replay_added){.kind = REPLAY_ADDED_BROADCAST, .bytes = bytes}, 0.0)
             : HABITAT_NONE;
    fine = message != HABITAT_NONE && sharing_note_slowed(x, 0.0);
    uint32_t back = fine
                        ? sharing_copy(x, step->begin, true,
                                       (replay_added){.kind = REPLAY_ADDED_SCATTER, .bytes = bytes},
                                       sharing_copy_ns(x, bytes / many) * many +
                                           x->r->info.gap_ns * (many - 1.0))
                        : HABITAT_NONE;
    return back != HABITAT_NONE && sharing_note_slowed(x, 0.0) &&
           splice_link(&x->s, gather, message, REPLAY_GAP) &&
           splice_link(&x->s, message, back, REPLAY_GAP) &&
           splice_link(&x->s, back, beside, REPLAY_GAP) &&
           sharing_launch(x, step->begin, back,
                          hardware_message_steps + many * hardware_bucket_return_steps, 0.0);
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

habitat_status replay_share(const habitat_replay *r, const double *kernel_ns,
                            const habitat_gpu *gpu, uint32_t count, replay_parallel *out,
                            habitat_error *err) {
    sharing x = {.r = r, .kernel_ns = kernel_ns, .gpu = gpu, .count = count};
    *out = (replay_parallel){0};
    habitat_status status = sharing_check_link(gpu, err);
    if (status == HABITAT_OK)
        status = replay_find_gradients(r->workload, &x.g, err);
    if (status == HABITAT_OK && (!sharing_begin(&x) || !add_all(&x)))
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK)
        status = sharing_finish(&x, kernel_ns, out, err);
    sharing_free(&x);
    return status;
}
