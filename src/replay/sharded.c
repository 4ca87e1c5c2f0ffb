/* Data parallelism with weights, gradients and states of the optimiser in parts, as PyTorch's
 * fully_shard does it for each layer, put into the graph of one GPU:
 *   - before a layer, forward and backward, its weights are gathered from all GPUs on NCCL's stream
 *     and copied to where its operations read them; while a layer runs, the next is gathered;
 *   - behind a layer's backward pass its gradients are copied together, on the stream of the
 *     backward pass, and summed on NCCL's, each GPU getting its part;
 *   - what is around the layers is gathered before the forward pass, kept until the backward pass
 *     is over, and summed last;
 *   - the optimiser works on a part of everything;
 *   - weights are gathered in the format in which they are read: autocast casts none of them;
 *   - kernels that run beside a message take longer, as in parallel.c. */
#include "replay/sharded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_parallel.h"
#include "base/error.h"
#include "formula/rates.h"
#include "replay/layers.h"
#include "replay/sharded_kernels.h"
#include "replay/sharing.h"
#include "workload/recorded_format.h"
#include "workload/workload.h"

typedef struct parting {
    sharing *x;
    const replay_layers *l;
    const replay_backward *step;
    double *ns;                /* shape (kernels): their times with parts */
    uint32_t message;          /* the last one on NCCL's stream, or HABITAT_NONE */
    uint32_t unpacked, packed; /* the last copies of either kind */
    double beside_ns;          /* of messages that run beside what comes next, */
    double began_ns;           /* which begins when kernels have run for so long */
} parting;

/* The kernel before `kernel` on the main stream; itself where it is the first. */
static uint32_t before_of(const parting *p, uint32_t kernel) {
    const sharing *x = p->x;
    size_t low = 0, high = x->g.launched_count;
    uint32_t node = x->kernel_node[kernel];
    while (low < high) { /* launched in order of their nodes, as one stream runs them */
        size_t middle = (low + high) / 2;
        if (x->kernel_node[x->g.launched[middle]] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? x->g.launched[low - 1] : kernel;
}

/* The node beside which a message stands that is asked for with kernel `with`: that kernel, or what
 * is there before it, its launch and the kernel before. */
static uint32_t place_of(const parting *p, uint32_t with, bool at) {
    const sharing *x = p->x;
    uint32_t node = x->kernel_node[at ? with : before_of(p, with)];
    uint32_t launch = x->launch_node[with];
    return !at && launch != HABITAT_NONE && launch > node ? launch : node;
}

/* Makes the message `node` follow the last one. */
static bool follow(parting *p, uint32_t node) {
    bool fine = node != HABITAT_NONE && sharing_note_slowed(p->x, 0.0) &&
                (p->message == HABITAT_NONE || splice_link(&p->x->s, p->message, node, REPLAY_GAP));
    p->message = node;
    return fine;
}

/* What the kernels from the last copy up to `kernel` lose to the messages beside them. */
static double lost(parting *p, uint32_t kernel) {
    double end_ns = p->x->before_ns[kernel] + p->ns[kernel];
    double shared_ns = fmin(fmax(0.0, end_ns - p->began_ns), p->beside_ns);
    p->beside_ns -= shared_ns;
    p->began_ns = fmax(p->began_ns, end_ns);
    return sharing_slowed_ns(p->x, shared_ns);
}

/* A part of the layer is copied, and cast, into what is sent. */
static double part_copy_ns(const parting *p, const replay_layer *l) {
    enum { CAST_AND_COPIED = 3 }; /* a cast writes what a copy reads and writes */
    bool narrow = l->bytes < l->kept_bytes;
    double moved = narrow ? l->kept_bytes + CAST_AND_COPIED * l->bytes : 2.0 * l->bytes;
    return sharing_copy_ns(p->x, moved / 2.0 / p->x->count);
}

/* What the CPU does for each parameter of a layer that is gathered or summed. */
static double python_ns(const replay_layer *l) {
    return fitted_part_parameter_ns * (double)l->parameters;
}

/* The weights of a layer are gathered, asked for where kernel `with` is launched. ahead: for a
 * layer behind the one that begins with it. */
static bool gather(parting *p, const replay_layer *l, uint32_t with, bool ahead, uint32_t *out) {
    sharing *x = p->x;
    bool first = with == p->step->begin;
    *out = sharing_message(
        x, place_of(p, with, first || ahead), first, HABITAT_COLLECTIVE_ALL_GATHER,
        (replay_added){.kind = REPLAY_ADDED_COLLECT, .bytes = l->bytes}, part_copy_ns(p, l));
    bool fine = follow(p, *out);
    if (fine && p->unpacked != HABITAT_NONE)
        fine = splice_link(&x->s, p->unpacked, *out, REPLAY_GAP);
    return fine && sharing_launch(x, with, *out, hardware_message_steps, python_ns(l));
}

/* What was gathered is copied to where the kernels from `before` on read it. */
static bool unpack(parting *p, const replay_layer *l, uint32_t before, uint32_t gathered) {
    sharing *x = p->x;
    double slowed = before == p->step->begin ? 0.0 : lost(p, before_of(p, before));
    uint32_t copy = sharing_copy(x, before, true,
                                 (replay_added){.kind = REPLAY_ADDED_UNPACK, .bytes = l->bytes},
                                 sharing_copy_ns(x, l->bytes) + slowed);
    p->unpacked = copy;
    p->began_ns = x->before_ns[before];
    return copy != HABITAT_NONE && sharing_note_slowed(x, slowed) &&
           splice_link(&x->s, gathered, copy, REPLAY_GAP) &&
           splice_link(&x->s, copy, x->kernel_node[before], REPLAY_GAP) &&
           sharing_launch(x, before, copy, 0.0, 0.0);
}

/* The gradients of a layer are summed. */
static bool reduce(parting *p, const replay_layer *l) {
    sharing *x = p->x;
    double bytes = l->bytes - l->frozen_bytes;
    double slowed = lost(p, l->done);
    uint32_t pack =
        sharing_copy(x, l->done, false, (replay_added){.kind = REPLAY_ADDED_PACK, .bytes = bytes},
                     sharing_copy_ns(x, bytes) + slowed);
    bool fine = pack != HABITAT_NONE && sharing_note_slowed(x, slowed) &&
                splice_link(&x->s, x->kernel_node[l->done], pack, REPLAY_GAP) &&
                (p->packed == HABITAT_NONE || splice_link(&x->s, p->packed, pack, REPLAY_GAP)) &&
                sharing_launch(x, l->done, pack, hardware_message_steps, python_ns(l));
    uint32_t sum =
        fine ? sharing_message(x, x->kernel_node[l->done], false, HABITAT_COLLECTIVE_REDUCE_SCATTER,
                               (replay_added){.kind = REPLAY_ADDED_REDUCE, .bytes = bytes}, 0.0)
             : HABITAT_NONE;
    p->packed = pack;
    p->beside_ns += sum == HABITAT_NONE ? 0.0 : x->s.nodes[sum ^ SPLICE_NEW].time_ns;
    return fine && follow(p, sum) && splice_link(&x->s, pack, sum, REPLAY_GAP);
}

static void runs_beside(parting *p, uint32_t message) {
    p->beside_ns += p->x->s.nodes[message ^ SPLICE_NEW].time_ns;
}

static bool add_forward(parting *p) {
    const replay_layers *l = p->l;
    uint32_t gathered = HABITAT_NONE;
    bool fine = gather(p, &l->all[0], p->step->begin, false, &gathered) &&
                unpack(p, &l->all[0], p->step->begin, gathered);
    for (size_t i = 1; fine && i < l->count; i++) {
        fine = gather(p, &l->all[i], l->all[i].forward, false, &gathered);
        if (fine)
            runs_beside(p, gathered);
        fine = fine && unpack(p, &l->all[i], l->all[i].forward, gathered);
    }
    return fine;
}

/* Where layer i + 1 begins its backward pass, the weights of layer i are asked for. */
static bool add_backward(parting *p) {
    const replay_layers *l = p->l;
    uint32_t gathered = HABITAT_NONE, next = HABITAT_NONE;
    bool fine = true;
    for (size_t i = l->count; fine && i-- > 1;) {
        const replay_layer *this = &l->all[i];
        if (i + 1 == l->count) {
            fine = gather(p, this, this->backward, false, &gathered);
            if (fine)
                runs_beside(p, gathered);
        }
        fine = fine && unpack(p, this, this->backward, gathered);
        if (fine && i > 1) {
            fine = gather(p, &l->all[i - 1], this->backward, true, &next);
            if (fine)
                runs_beside(p, next);
        }
        fine = fine && reduce(p, this);
        gathered = next;
    }
    return fine && reduce(p, &l->all[0]);
}

/* What comes behind waits until the last sum is kept. */
static bool add_end(parting *p) {
    sharing *x = p->x;
    bool before = p->step->next != HABITAT_NONE;
    const replay_layer *around = &p->l->all[0];
    double kept_bytes = around->kept_bytes - around->frozen_bytes;
    double bytes = around->bytes - around->frozen_bytes;
    uint32_t beside = before ? p->step->next : around->done;
    uint32_t keep = sharing_copy(x, beside, before,
                                 (replay_added){.kind = REPLAY_ADDED_KEEP, .bytes = kept_bytes},
                                 sharing_copy_ns(x, (bytes + kept_bytes) / 2.0 / x->count));
    return keep != HABITAT_NONE && sharing_note_slowed(x, 0.0) &&
           splice_link(&x->s, p->message, keep, REPLAY_GAP) &&
           splice_link(&x->s, p->packed, keep, REPLAY_GAP) &&
           (!before || splice_link(&x->s, keep, x->kernel_node[beside], REPLAY_GAP)) &&
           sharing_launch(x, around->done, keep, 0.0, 0.0);
}

/* Memory of one GPU: its part of all, and what is whole at once: weights around the layers, weights
 * of two layers and gradients of one. */
static void measure(const replay_layers *l, uint32_t count, replay_parted *out) {
    enum { WHOLE_AT_ONCE = 3 }; /* weights of this layer and the next, gradients of this one */
    double largest = 0.0, part = 1.0 / count;
    replay_parted made = {.layers = l->count - 1, .part = part};
    for (size_t i = 0; i < l->count; i++) {
        made.kept_bytes += l->all[i].kept_bytes;
        if (i)
            largest = fmax(largest, WHOLE_AT_ONCE * l->all[i].bytes - l->all[i].frozen_bytes);
        if (l->all[i].bytes < l->all[i].kept_bytes)
            made.cast_bytes += l->all[i].bytes;
    }
    made.gathered_bytes = l->all[0].bytes + largest;
    if (made.kept_bytes > out->kept_bytes)
        *out = made;
}

static habitat_status add_step(sharing *x, size_t step, bool half, double *ns, replay_parted *told,
                               habitat_error *err) {
    replay_layers l = {0};
    habitat_status status = replay_find_layers(x->r->workload, &x->g, step, half, ns, &l, err);
    if (status == HABITAT_OK) {
        parting p = {.x = x,
                     .l = &l,
                     .step = &x->g.steps[step],
                     .ns = ns,
                     .message = HABITAT_NONE,
                     .unpacked = HABITAT_NONE,
                     .packed = HABITAT_NONE};
        if (!add_forward(&p) || !add_backward(&p) || !add_end(&p))
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        measure(&l, x->count, told);
    }
    x->added_to[step] = x->s.node_count;
    replay_layers_free(&l);
    return status;
}

habitat_status replay_part(const habitat_replay *r, const double *kernel_ns, const habitat_gpu *gpu,
                           uint32_t count, replay_parallel *out, replay_parted *told,
                           habitat_error *err) {
    size_t own = r->graph.kernel_count;
    double *ns = malloc((own + 1) * sizeof *ns);
    sharing x = {.r = r, .kernel_ns = ns, .gpu = gpu, .count = count};
    *out = (replay_parallel){0};
    *told = (replay_parted){0};
    habitat_status status =
        ns ? sharing_check_link(gpu, err) : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK)
        status = replay_find_gradients(r->workload, &x.g, err);
    if (status == HABITAT_OK) {
        memcpy(ns, kernel_ns, own * sizeof *ns);
        if (!replay_part_times(r->workload, &x.g, count, formula_kernel_floor_ns(gpu), ns) ||
            !sharing_begin(&x))
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    bool half = precision_is_amp(r->workload->precision);
    for (size_t i = 0; status == HABITAT_OK && i < x.g.step_count; i++)
        status = add_step(&x, i, half, ns, told, err);
    if (status == HABITAT_OK)
        status = sharing_finish(&x, ns, out, err);
    sharing_free(&x);
    free(ns);
    return status;
}
