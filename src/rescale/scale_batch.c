/* A recorded iteration at another batch size: what each group of kernels does then. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_scaling.h"
#include "base/error.h"
#include "rescale/scale.h"
#include "trace/gradients.h"

/* ---- all groups ---- */

typedef struct scaler {
    const habitat_workload *w, *other;
    uint64_t old_batch, other_batch, batch;
    scale_sizes *sizes;
    scale_sparse *sparse;  /* NULL: no gradients are */
    const uint32_t *match; /* shape (group_count), or NULL */
    scale_operation *room;
    habitat_arena *arena; /* of operations that are kept, or NULL */
    bool out_of_memory, too_large;
} scaler;

/* Of one side of a tensor, as the reader of traces has it. */
static const int64_t size_most = (int64_t)1 << 59;

/* The operation at the new size, from both recordings: each size lies on a line through the two. */
static bool by_recording(scaler *s, const habitat_operation *op, const habitat_operation *twin) {
    double step =
        ((double)s->batch - (double)s->old_batch) / ((double)s->other_batch - (double)s->old_batch);
    if (!twin || twin->form->input_count != op->form->input_count)
        return false;
    for (uint32_t i = 0; i < op->form->input_count; i++) {
        const habitat_input *a = &op->form->inputs[i], *b = &twin->form->inputs[i];
        if (a->rank != b->rank || a->is_list != b->is_list)
            return false;
        for (uint32_t d = 0; !a->is_list && d < a->rank; d++) {
            double size = (double)a->dims[d] + step * (double)(b->dims[d] - a->dims[d]);
            s->too_large |= size > (double)size_most;
            if (a->dims[d] != b->dims[d] && size <= (double)size_most)
                scale_set_dim(s->room, i, d, size < 1.0 ? 1 : llround(size));
        }
    }
    return true;
}

static void assume(const scaler *s, scale_group *out) {
    double ratio = (double)s->batch / (double)s->old_batch;
    out->ratio = ratio;
    out->work.flop *= ratio;
    out->work.read_bytes *= ratio;
    out->work.write_bytes *= ratio;
    out->source = SCALE_ASSUMED;
}

/* What another format added stands behind the recorded groups, and is made of whole samples. */
static bool is_added(const habitat_workload *w, size_t g) {
    return w->recorded && g >= w->recorded->group_count;
}

static void scale_added_one(const scaler *s, scale_group *out) {
    assume(s, out);
    out->source = SCALE_BY_SHAPES;
    if (out->work.op_class == HABITAT_CLASS_ATTENTION)
        out->work.shape.attention.batch *= out->ratio;
}

static void keep_operation(scaler *s, scale_group *out) {
    out->operation = s->arena ? scale_keep_operation(s->arena, &s->room->op) : NULL;
    s->out_of_memory |= s->arena && !out->operation;
}

static bool is_parameter_size(const habitat_trace_memory *memory, double elements) {
    for (size_t i = 0; i < memory->parameter_count; i++)
        if ((double)memory->parameters[i].elements == elements)
            return true;
    return false;
}

/* Whether an operation works on the same maps sample by sample: batch, channels of one, sides. */
static bool has_maps(const habitat_operation *op, double batch, double channels,
                     const double *sides, uint32_t dims) {
    for (uint32_t i = 0; op && i < op->form->input_count; i++) {
        const habitat_input *x = &op->form->inputs[i];
        bool same = x->is_tensor && !x->is_list && x->rank == dims + 2 &&
                    (double)x->dims[0] == batch && (double)x->dims[1] == channels;
        for (uint32_t d = 0; same && d < dims; d++)
            same = (double)x->dims[2 + d] == sides[d];
        if (same)
            return true;
    }
    return false;
}

static bool sees_maps(const scaler *s, const habitat_conv_shape *conv) {
    double batch = (double)s->old_batch;
    for (size_t g = 0; g < s->w->group_count; g++)
        if (has_maps(s->w->groups[g].operation, batch, conv->c_in / batch, conv->in, conv->dims) ||
            has_maps(s->w->groups[g].operation, batch, conv->c_out / batch, conv->out, conv->dims))
            return true;
    return false;
}

/* Whether the groups of a convolution are samples: one picture, with the channels of all, by
 * weights that hang on the sample (StyleGAN's) or whose gradients are wanted of each. Such weights
 * are as large as no parameter, but by chance; then another operation has the maps of each sample.
 */
static bool samples_are_groups(const scaler *s, const habitat_work *work) {
    const habitat_trace_memory *memory = &habitat_trace_get_info(s->w->trace)->memory;
    const habitat_conv_shape *conv = &work->shape.conv;
    if (work->op_class != HABITAT_CLASS_CONV || !work->known || s->old_batch < 2 ||
        conv->batch != 1.0 || conv->groups < 2.0 || fmod(conv->groups, (double)s->old_batch) != 0.0)
        return false;
    double weights = conv->c_out * (conv->c_in / conv->groups);
    for (uint32_t d = 0; d < conv->dims; d++)
        weights *= conv->kernel[d];
    return (memory->parameter_count && !is_parameter_size(memory, weights)) || sees_maps(s, conv);
}

static void scale_groups_of_one(const scaler *s, scale_group *out) {
    assume(s, out);
    out->source = SCALE_BY_SHAPES;
    out->work.shape.conv.c_in *= out->ratio;
    out->work.shape.conv.c_out *= out->ratio;
    out->work.shape.conv.groups *= out->ratio;
}

/* What works on the rows of a sparse gradient, by its sizes or by those of the operation that it is
 * part of. What it reads back for the host stays. */
static void scale_sparse_one(scaler *s, const habitat_workload_group *group, scale_group *out) {
    const habitat_operation *op = group->operation;
    if (!s->sparse || !op || !scale_copy_operation(op, s->room))
        return;
    scale_sparse_resize(s->sparse, s->room, op);
    if (s->room->changed) {
        scale_group_work(s->w, group, s->room, out);
        out->source = SCALE_BY_SHAPES;
        keep_operation(s, out);
        return;
    }
    double ratio = group->work->known ? 1.0 : scale_sparse_ratio(s->sparse, op);
    if (ratio == 1.0)
        return;
    out->ratio = ratio;
    out->source = SCALE_BY_SHAPES;
}

static void scale_one(scaler *s, size_t g, scale_group *out) {
    const habitat_workload_group *group = &s->w->groups[g];
    const habitat_operation *op = group->operation;
    *out = (scale_group){.work = *group->work, .ratio = 1.0};
    if (scale_leaves(s->w, group)) {
        scale_sparse_one(s, group, out);
        return;
    }
    if (is_added(s->w, g)) {
        scale_added_one(s, out);
        return;
    }
    if (op && samples_are_groups(s, group->work)) {
        scale_groups_of_one(s, out);
        return;
    }
    if (!op || op->form->input_count == 0 || !scale_copy_operation(op, s->room)) {
        assume(s, out);
        return;
    }
    uint32_t twin = s->match ? s->match[g] : HABITAT_NONE;
    bool recorded = twin != HABITAT_NONE && by_recording(s, op, s->other->groups[twin].operation);
    if (!recorded) {
        scale_copy_operation(op, s->room);
        scale_by_shapes(s->sizes, s->batch, s->room);
    }
    if (!s->room->changed)
        return;
    scale_group_work(s->w, group, s->room, out);
    out->source = recorded            ? SCALE_BY_RECORDING
                  : s->room->in_a_row ? SCALE_IN_A_ROW
                                      : SCALE_BY_SHAPES;
    keep_operation(s, out);
}

static habitat_status check(const scaler *s, habitat_error *err) {
    if (!s->batch || s->batch > (uint64_t)1 << 40)
        return habitat_fail(err, HABITAT_E_ARG, "a batch size is a whole number from 1 on");
    if (!s->old_batch)
        return habitat_fail(
            err, HABITAT_E_ARG,
            "the recording does not say its batch size; say it with "
            "--recorded-batch N, or record it with `habitat record --batch-size N`");
    if (s->other && (!s->other_batch || s->other_batch == s->old_batch))
        return habitat_fail(err, HABITAT_E_ARG,
                            s->other_batch ? "both recordings have batch size %llu; give one of "
                                             "another batch size, or none"
                                           : "the second recording does not say its batch size; "
                                             "say it behind the first one's (--recorded-batch "
                                             "%llu,N), or record it with `habitat record "
                                             "--batch-size N`",
                            (unsigned long long)s->old_batch);
    return HABITAT_OK;
}

static void scale_all(scaler *s, scale_group *out) {
    for (size_t g = 0; g < s->w->group_count; g++)
        scale_one(s, g, &out[g]);
}

double scale_carried_share(const habitat_workload *w, const scale_group *after) {
    double all = 0.0, carried = 0.0;
    for (size_t g = 0; g < w->group_count; g++) {
        if (scale_leaves(w, &w->groups[g]))
            continue;
        all += w->groups[g].origin_ms;
        bool holds = after[g].source != SCALE_STAYS && after[g].source != SCALE_IN_A_ROW;
        carried += holds ? w->groups[g].origin_ms : 0.0;
    }
    return all > 0.0 ? carried / all : 1.0;
}

/* Graphs and points come out as one row each sample: those few tensors have the batch as a size. A
 * second recording knows better. */
static bool is_in_rows(scaler *s, const scale_group *out) {
    bool more = false;
    if (!s->other && scale_carried_share(s->w, out) < chosen_said_batch_share)
        s->out_of_memory |= scale_sizes_look_in_rows(s->sizes, s->w, &more) != HABITAT_OK;
    return more && !s->out_of_memory;
}

/* Everything by the sizes that tensors have where `parts` forward passes share the batch. */
static habitat_status scale_in_parts(scaler *s, uint32_t parts, scale_group *out) {
    scale_sizes_free(s->sizes);
    scale_sparse_free(s->sparse);
    s->sizes = NULL;
    s->sparse = NULL;
    habitat_status status = scale_sizes_create(s->w, s->old_batch, parts, &s->sizes);
    if (status == HABITAT_OK)
        status = scale_sparse_create(s->w, s->sizes, s->batch, s->room, &s->sparse);
    if (status == HABITAT_OK)
        scale_all(s, out);
    return status;
}

/* A step that accumulates gradients has the whole batch in no tensor, but in each the samples of
 * one forward pass. That is taken where the step has several backward passes and the smaller batch
 * is in more of the time. */
static habitat_status look_in_parts(scaler *s, scale_group *out, uint32_t *found,
                                    habitat_error *err) {
    uint32_t parts = 1;
    double whole = scale_carried_share(s->w, out);
    if (s->other || whole >= chosen_said_batch_share)
        return HABITAT_OK;
    habitat_status status = trace_backward_passes(s->w->trace, &parts, err);
    if (status != HABITAT_OK || parts < 2 || s->old_batch % parts)
        return status;
    status = scale_in_parts(s, parts, out);
    if (status == HABITAT_OK && scale_carried_share(s->w, out) <= whole)
        return scale_in_parts(s, 1, out);
    *found = parts;
    return status;
}

habitat_status scale_batch(const habitat_workload *w, const habitat_workload *other, uint64_t batch,
                           habitat_arena *arena, scale_group *out, uint32_t *parts,
                           habitat_error *err) {
    uint32_t found = 1;
    scaler s = {.w = w, .other = other, .old_batch = w->batch_size, .batch = batch, .arena = arena};
    s.other_batch = other ? other->batch_size : 0;
    habitat_status status = check(&s, err);
    if (status != HABITAT_OK)
        return status;
    uint32_t *match = other ? calloc(w->group_count + 1, sizeof *match) : NULL;
    s.room = malloc(sizeof *s.room);
    bool ok = s.room && (match || !other) && (!other || scale_match(w, other, match) == HABITAT_OK);
    s.match = match;
    ok = ok && scale_in_parts(&s, 1, out) == HABITAT_OK &&
         look_in_parts(&s, out, &found, err) == HABITAT_OK;
    if (parts)
        *parts = found;
    if (ok && is_in_rows(&s, out))
        scale_all(&s, out);
    scale_sizes_free(s.sizes);
    scale_sparse_free(s.sparse);
    free(s.room);
    free(match);
    if (!ok || s.out_of_memory)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    return s.too_large ? habitat_fail(err, HABITAT_E_ARG,
                                      "a size of an operation, on a line through both recordings, "
                                      "is beyond what any memory holds at a batch size of %llu: "
                                      "give recordings of one step, or another batch size",
                                      (unsigned long long)batch)
                       : HABITAT_OK;
}
