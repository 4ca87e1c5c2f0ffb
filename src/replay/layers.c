/* Where in an iteration each layer is: the forward operations of those backward ones that make its
 * gradients tell. */
#include "replay/layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "replay/launched.h"
#include "trace/names.h"
#include "workload/workload.h"

void replay_layers_free(replay_layers *l) {
    free(l->all);
}

/* ---- operations ---- */

/* The operation that made the gradient which `add` takes: the one before it, at its level. */
uint32_t replay_maker_of(const habitat_operation *ops, uint32_t add) {
    for (uint32_t i = add; i-- > 0 && ops[i].form->thread == ops[add].form->thread;)
        if (ops[i].parent == ops[add].parent && !strstr(ops[i].form->name, "AccumulateGrad"))
            return ops[i].iteration == ops[add].iteration ? i : HABITAT_NONE;
    return HABITAT_NONE;
}

static uint32_t forward_of(const habitat_operation *ops, uint32_t maker) {
    return maker == HABITAT_NONE ? HABITAT_NONE : ops[maker].forward;
}

/* Inside of a backward operation: a layer that is run again. */
bool replay_is_again(const habitat_operation *ops, uint32_t i) {
    for (uint32_t p = ops[i].parent; p != HABITAT_NONE; p = ops[p].parent)
        if (name_is_engine(ops[p].form->name))
            return true;
    return false;
}

bool replay_casts_weight(const habitat_operation *ops, uint32_t maker) {
    return maker != HABITAT_NONE && strstr(ops[maker].form->name, "ToCopyBackward") != NULL;
}

/* ---- places ---- */

typedef struct places {
    const habitat_workload *w;
    const habitat_operation *ops;
    const replay_gradients *g;
    const replay_backward *step;
    uint32_t *at; /* shape (kernels): place among those launched on the main stream */
    const double *kernel_ns;
} places;

/* The first kernel that is launched on the main stream from then on. */
static uint32_t launched_from(const places *p, uint64_t at_ns) {
    size_t low = 0, high = p->g->launched_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (replay_launched_ns(p->w, p->g->launched[middle]) < at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->g->launched_count ? p->g->launched[low] : HABITAT_NONE;
}

static uint32_t next_of(const places *p, uint32_t kernel) {
    size_t place = p->at[kernel] + 1;
    return place < p->g->launched_count ? p->g->launched[place] : HABITAT_NONE;
}

static double elements_of(const replay_layers *l) {
    double sum = 0.0;
    for (size_t i = 1; i < l->count; i++)
        sum += l->all[i].elements;
    return sum;
}

/* Of layers that are run again, the first run is not told apart, nor is what a checkpoint of
 * another kind (PyTorch's with reentry) hides: the kernels between the beginning and the first
 * backward one are dealt out by the layers' sizes. */
static void deal_out(const places *p, uint64_t backward_ns, replay_layers *l) {
    uint32_t end = launched_from(p, backward_ns);
    size_t first = p->at[p->step->begin],
           last = end == HABITAT_NONE ? p->g->launched_count : p->at[end];
    double all_ns = 0.0, all = elements_of(l), before = 0.0, passed_ns = 0.0;
    for (size_t i = first; i < last; i++)
        all_ns += p->kernel_ns[p->g->launched[i]];
    for (size_t i = 1, k = first; i < l->count && k < last; i++) {
        while (k + 1 < last && passed_ns < all_ns * before / all)
            passed_ns += p->kernel_ns[p->g->launched[k++]];
        l->all[i].forward = p->g->launched[k];
        before += l->all[i].elements;
    }
}

/* A layer, while its gradients are gone through. */
typedef struct seen {
    replay_layer layer;
    uint64_t forward_ns; /* of its first forward operation */
    size_t first, last;  /* gradients, of the step */
    bool again;          /* that is one of a layer that is run again */
} seen;

static void take_gradient(const places *p, size_t i, bool half, seen *of) {
    const replay_gradient *g = &p->g->all[p->step->first + i];
    replay_layer *l = &of->layer;
    uint32_t maker = replay_maker_of(p->ops, g->operation), forward = forward_of(p->ops, maker);
    bool narrow = half || replay_casts_weight(p->ops, maker);
    double bytes = narrow ? fmin(g->bytes, 2.0 * g->elements) : g->bytes;
    if (forward != HABITAT_NONE && p->ops[forward].start_ns < of->forward_ns) {
        of->forward_ns = p->ops[forward].start_ns;
        of->again = replay_is_again(p->ops, forward);
    }
    of->first = l->parameters ? of->first : i;
    of->last = i;
    l->parameters++;
    l->elements += g->elements;
    l->bytes += bytes;
    l->kept_bytes += g->bytes;
}

static uint64_t first_backward_ns(const places *p) {
    size_t count = 0;
    uint64_t first = UINT64_MAX;
    const habitat_operation *ops = habitat_trace_operations(p->w->trace, &count);
    uint32_t iteration = ops[p->g->all[p->step->first].operation].iteration;
    for (size_t i = 0; i < count; i++)
        if (ops[i].iteration == iteration && ops[i].start_ns < first &&
            name_is_engine(ops[i].form->name))
            first = ops[i].start_ns;
    return first;
}

/* Where the gradients before its own are done, its backward pass begins; that of the first one with
 * the backward pass. */
static void set_places(const places *p, seen *of) {
    const replay_gradient *all = &p->g->all[p->step->first];
    of->layer.done = all[of->last].kernel;
    of->layer.forward =
        of->forward_ns == UINT64_MAX ? HABITAT_NONE : launched_from(p, of->forward_ns);
    of->layer.backward =
        of->first ? next_of(p, all[of->first - 1].kernel) : launched_from(p, first_backward_ns(p));
}

/* Layers that follow each other both ways; another one is no layer of its own: its weights are
 * gathered with what is around the layers. */
static void keep_ordered(const places *p, replay_layers *l) {
    size_t kept = 1;
    uint32_t forward = 0, done = UINT32_MAX, backward = UINT32_MAX;
    for (size_t i = 1; i < l->count; i++) {
        const replay_layer *x = &l->all[i];
        bool fine = x->forward != HABITAT_NONE && x->backward != HABITAT_NONE &&
                    (kept == 1 || p->at[x->forward] > forward) && p->at[x->done] < done &&
                    p->at[x->backward] <= p->at[x->done] && p->at[x->done] < backward &&
                    p->at[x->forward] < p->at[x->backward];
        if (fine) {
            forward = p->at[x->forward];
            done = p->at[x->done];
            backward = p->at[x->backward];
            l->all[kept++] = *x;
            continue;
        }
        l->all[0].parameters += x->parameters;
        l->all[0].elements += x->elements;
        l->all[0].bytes += x->bytes;
        l->all[0].kept_bytes += x->kept_bytes;
    }
    l->count = kept;
}

/* Weights without gradients are in the layers, each with its share. */
static void add_frozen(const habitat_workload *w, replay_layers *l) {
    double all = habitat_trace_get_info(w->trace)->memory.parameters_bytes, known = 0.0;
    for (size_t i = 0; i < l->count; i++)
        known += l->all[i].kept_bytes;
    double more = isfinite(all) && all > known ? all - known : 0.0;
    for (size_t i = l->count > 1; i < l->count; i++) {
        double share = more / (double)(l->count > 1 ? l->count - 1 : 1);
        l->all[i].bytes += share;
        l->all[i].kept_bytes += share;
        l->all[i].frozen_bytes += share;
    }
}

/* The order of the forward pass: the backward pass is done with the last layer first. */
static int by_forward(const void *x, const void *y) {
    size_t a = ((const seen *)x)->last, b = ((const seen *)y)->last;
    return a > b ? -1 : a < b;
}

static void fill(const places *p, bool half, seen *all, size_t most, replay_layers *out) {
    bool again = false;
    for (size_t i = 0; i < most; i++)
        all[i] = (seen){.forward_ns = UINT64_MAX};
    for (size_t i = 0; i < p->step->count; i++)
        take_gradient(p, i, half, &all[p->g->all[p->step->first + i].layer]);
    qsort(&all[1], most - 1, sizeof *all, by_forward);
    out->all[0] = all[0].layer;
    out->all[0].forward = p->step->begin;
    out->all[0].backward = HABITAT_NONE;
    out->all[0].done = p->g->all[p->step->first + p->step->count - 1].kernel;
    out->count = 1;
    for (size_t i = 1; i < most; i++) {
        if (!all[i].layer.parameters)
            continue;
        set_places(p, &all[i]);
        again |= all[i].again || all[i].layer.forward == HABITAT_NONE;
        out->all[out->count++] = all[i].layer;
    }
    if (again && p->step->begin != HABITAT_NONE)
        deal_out(p, first_backward_ns(p), out);
    keep_ordered(p, out);
    add_frozen(p->w, out);
}

habitat_status replay_find_layers(const habitat_workload *w, const replay_gradients *g, size_t step,
                                  bool half, const double *kernel_ns, replay_layers *out,
                                  habitat_error *err) {
    size_t most = 1, ops = 0;
    places p = {.w = w, .g = g, .step = &g->steps[step], .kernel_ns = kernel_ns};
    p.ops = habitat_trace_operations(w->trace, &ops);
    for (size_t i = 0; i < p.step->count; i++)
        if (g->all[p.step->first + i].layer >= most)
            most = (size_t)g->all[p.step->first + i].layer + 1;
    p.at = calloc(w->kernel_count + 1, sizeof *p.at);
    seen *all = calloc(most + 1, sizeof *all);
    *out = (replay_layers){.all = calloc(most + 1, sizeof *out->all)};
    bool fine = p.at && all && out->all;
    for (size_t i = 0; fine && i < g->launched_count; i++)
        p.at[g->launched[i]] = (uint32_t)i;
    if (fine)
        fill(&p, half, all, most, out);
    free(p.at);
    free(all);
    return fine ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}
