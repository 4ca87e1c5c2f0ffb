/* Whether a recording bears out the batch size that somebody said of it.
 *
 * Twice: of most of the time the sizes must change with the batch; and where the place of a batch
 * is known, what stands there must be it. A width or a length of sequences is in most of the time,
 * too, and of 4 samples 2 are a half. The first place of convolutions, attention and recurrent
 * layers is a batch, or a multiple (windows, frames); so a batch divides most of these sizes and is
 * one of them. Without such layers batches of products and indices of tables say the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_scaling.h"
#include "base/error.h"
#include "rescale/scale.h"
#include "trace/gradients.h"
#include "work/args.h"

/* ---- what changes with it ---- */

/* The share of one of several passes is not what the iteration has: its sizes are found without
 * dividing it. */
static habitat_status refuse_share(const habitat_workload *w, uint32_t parts, habitat_error *err) {
    uint32_t passes = 1;
    habitat_status status = parts > 1 ? HABITAT_OK : scale_passes(w, &passes, err);
    if (status != HABITAT_OK || passes < 2)
        return status;
    return habitat_fail(err, HABITAT_E_ARG,
                        "a batch of %llu is said, and each of %u passes has as many, whose "
                        "gradients the iteration gathers: say the samples of all of them, %llu",
                        (unsigned long long)w->batch_size, passes,
                        (unsigned long long)w->batch_size * passes);
}

static habitat_status check_share(const habitat_workload *w, habitat_error *err) {
    uint32_t parts = 1;
    scale_group *after = calloc(w->group_count + 1, sizeof *after);
    if (!after)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    bool largest = w->batch_size > UINT64_C(1) << 39; /* twice as many are too many */
    uint64_t other = largest ? w->batch_size / 2 : 2 * w->batch_size;
    habitat_status status = scale_batch(w, NULL, other, NULL, after, &parts, err);
    double share = status == HABITAT_OK ? scale_carried_share(w, after) : 1.0;
    free(after);
    if (share < chosen_said_batch_share)
        return habitat_fail(err, HABITAT_E_ARG,
                            "a batch of %llu is said, and the recorded sizes hold it in %.0f %% of "
                            "the time: it is another one; say how many samples the recorded "
                            "iteration has",
                            (unsigned long long)w->batch_size, 100.0 * share);
    return status == HABITAT_OK ? refuse_share(w, parts, err) : status;
}

/* ---- what stands in the place of a batch ---- */

enum { SIZES = 8, SHOWN = 3 };

/* Sizes in one kind of place, with the time of their operations. */
typedef struct places {
    int64_t batch;
    int64_t size[SIZES];
    double ms[SIZES];
    size_t count;            /* of sizes; what more there are are not listed */
    double all_ms, whole_ms; /* of multiples of the batch */
    bool there, same;        /* there are some; one is the batch */
} places;

static void note(places *p, int64_t size, double ms) {
    if (size < 1)
        return;
    size_t at = 0;
    while (at < p->count && p->size[at] != size)
        at++;
    if (at == p->count && at < SIZES) {
        p->size[p->count++] = size;
        p->ms[at] = 0.0;
    }
    if (at < SIZES)
        p->ms[at] += ms;
    p->all_ms += ms;
    p->whole_ms += size % p->batch == 0 ? ms : 0.0;
    p->there = true;
    p->same |= size == p->batch;
}

static bool named(const habitat_operation *op, const char *name) {
    return !strcmp(op->form->name, name);
}

/* The batch of a layer that has a place for it; 0: it is none, or packs its samples. Queries of
 * three dimensions have heads among their samples. */
static int64_t of_layer(const habitat_workload_group *group) {
    const habitat_work *work = group->work;
    const habitat_input *first = work_tensor_with_dims(group->operation, 0);
    bool samples = first && first->rank >= 4;
    switch (work->op_class) {
    case HABITAT_CLASS_CONV:
        return llround(work->shape.conv.batch);
    case HABITAT_CLASS_RNN:
        return llround(work->shape.rnn.batch);
    case HABITAT_CLASS_ATTENTION:
        return work->shape.attention.batch > 0 && samples ? first->dims[0] : 0;
    case HABITAT_CLASS_SOFTMAX:
        return samples ? first->dims[0] : 0;
    default:
        return 0;
    }
}

static void note_others(places *products, places *tables, const habitat_workload_group *group) {
    const habitat_operation *op = group->operation;
    const habitat_input *first = work_tensor_with_dims(op, 0),
                        *second = work_tensor_with_dims(op, 1);
    bool product = (named(op, "aten::bmm") || named(op, "aten::nll_loss_forward")) && first;
    if (product || (named(op, "aten::baddbmm") && second))
        note(products, product ? first->dims[0] : second->dims[0], group->origin_ms);
    if (!named(op, "aten::embedding") || !second)
        return;
    for (uint32_t d = 0; d < second->rank; d++)
        note(tables, second->dims[d], group->origin_ms);
    tables->same |= second->rank == 1 && second->dims[0] % tables->batch == 0; /* all in a row */
}

/* ---- the answer ---- */

/* "4, 64 and 128", those that most time is spent on first. */
static void list_sizes(places *p, char *text, size_t room) {
    size_t shown = p->count < SHOWN ? p->count : SHOWN, used = 0;
    for (size_t i = 0; i < shown; i++) {
        size_t most = i;
        for (size_t k = i + 1; k < p->count; k++)
            most = p->ms[k] > p->ms[most] ? k : most;
        int64_t size = p->size[most];
        p->size[most] = p->size[i];
        p->ms[most] = p->ms[i];
        const char *before = i == 0 ? "" : i + 1 == shown && p->count == shown ? " and " : ", ";
        used += (size_t)snprintf(text + used, room - used, "%s%lld", before, (long long)size);
    }
    if (p->count > shown)
        snprintf(text + used, room - used, " and others");
}

static habitat_status refuse(places *p, const char *what, habitat_error *err) {
    char sizes[SHOWN * 24 + 16];
    list_sizes(p, sizes, sizeof sizes);
    return habitat_fail(err, HABITAT_E_ARG,
                        "a batch of %lld is said, and %s %s: it is another one; say how many "
                        "samples the recorded iteration has",
                        (long long)p->batch, what, sizes);
}

static bool mostly_others(const places *p) {
    return p->there && p->whole_ms < chosen_said_batch_share * p->all_ms;
}

static habitat_status check_places(const habitat_workload *w, uint64_t batch, habitat_error *err) {
    places layers = {.batch = (int64_t)batch}, products = layers, tables = layers;
    for (size_t g = 0; g < w->group_count; g++) {
        const habitat_workload_group *group = &w->groups[g];
        if (!group->operation || scale_leaves(w, group))
            continue;
        note(&layers, of_layer(group), group->origin_ms);
        note_others(&products, &tables, group);
    }
    if (layers.there)
        return mostly_others(&layers) || !layers.same
                   ? refuse(&layers, "convolutions, attention and recurrent layers are of", err)
                   : HABITAT_OK;
    if (mostly_others(&products))
        return refuse(&products, "batches of products and losses are of", err);
    return tables.there && !tables.same ? refuse(&tables, "tables are asked for rows by", err)
                                        : HABITAT_OK;
}

/* Each of several forward passes that share the batch has a part of it in those places. */
static habitat_status check_parts(const habitat_workload *w, habitat_error *err) {
    uint32_t parts = 1;
    habitat_status status = trace_backward_passes(w->trace, &parts, err);
    if (status != HABITAT_OK)
        return status;
    bool shared = parts > 1 && w->batch_size % parts == 0 &&
                  check_places(w, w->batch_size / parts, NULL) == HABITAT_OK;
    return shared ? HABITAT_OK : check_places(w, w->batch_size, err);
}

habitat_status scale_check_said(const habitat_workload *w, habitat_error *err) {
    if (!w->origin || !w->trace || !habitat_trace_get_info(w->trace)->batch_size_said)
        return HABITAT_OK;
    habitat_status status = check_parts(w, err);
    return status == HABITAT_OK ? check_share(w, err) : status;
}
