/* A recorded iteration at another batch size: what each group of kernels does then. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "workload/scale.h"

/* ---- an operation whose sizes change ---- */

size_t scale_sizes_of(const habitat_input *input) {
    const int64_t *group = input->is_list ? input->dims : NULL;
    size_t count = input->rank;
    for (uint32_t j = 0; group && j < input->list_count; j++, group += 1 + group[0])
        count = (size_t)(group - input->dims) + 1 + (size_t)group[0];
    return input->dims ? count : 0;
}

const habitat_operation *scale_keep_operation(habitat_arena *arena, const habitat_operation *op) {
    habitat_operation *kept = habitat_arena_alloc(arena, sizeof *kept);
    habitat_input *inputs = habitat_arena_alloc(arena, (op->input_count + 1) * sizeof *inputs);
    if (!kept || !inputs)
        return NULL;
    *kept = *op;
    kept->inputs = inputs;
    for (uint32_t i = 0; i < op->input_count; i++) {
        const habitat_input *from = &op->inputs[i];
        size_t count = scale_sizes_of(from);
        int64_t *sizes = count ? habitat_arena_alloc(arena, 2 * count * sizeof *sizes) : NULL;
        inputs[i] = *from;
        if (!count)
            continue;
        if (!sizes)
            return NULL;
        inputs[i].dims = memcpy(sizes, from->dims, count * sizeof *sizes);
        if (from->strides && !from->is_list)
            inputs[i].strides = memcpy(sizes + count, from->strides, count * sizeof *sizes);
    }
    return kept;
}

static bool copy_sizes(scale_operation *out, const habitat_input *from, habitat_input *to) {
    size_t count = scale_sizes_of(from);
    if (!count)
        return true;
    if (count > SCALE_DIMS_MAX - out->used)
        return false;
    to->dims = memcpy(out->dims + out->used, from->dims, count * sizeof *from->dims);
    if (from->strides && !from->is_list)
        to->strides =
            memcpy(out->strides + out->used, from->strides, count * sizeof *from->strides);
    out->used += count;
    return true;
}

bool scale_copy_operation(const habitat_operation *op, scale_operation *out) {
    if (op->input_count > SCALE_INPUTS_MAX)
        return false;
    out->op = *op;
    out->op.inputs = out->inputs;
    out->used = 0;
    out->changed = false;
    for (uint32_t i = 0; i < op->input_count; i++) {
        out->inputs[i] = op->inputs[i];
        if (!copy_sizes(out, &op->inputs[i], &out->inputs[i]))
            return false;
    }
    return true;
}

void scale_set_dim(scale_operation *out, uint32_t i, uint32_t d, int64_t size) {
    const habitat_input *input = &out->inputs[i];
    int64_t *dims = out->dims + (input->dims - out->dims);
    int64_t old = dims[d];
    if (old == size || old <= 0)
        return;
    if (input->strides) {
        int64_t *strides = out->strides + (input->strides - out->strides);
        int64_t inside = strides[d] * old;
        for (uint32_t j = 0; j < input->rank; j++)
            if (j != d && strides[d] > 0 && strides[j] >= inside && strides[j] % old == 0)
                strides[j] = strides[j] / old * size;
    }
    dims[d] = size;
    out->changed = true;
}

static double elements_of(const habitat_operation *op) {
    double sum = 0.0;
    for (uint32_t i = 0; i < op->input_count; i++) {
        const habitat_input *input = &op->inputs[i];
        double product = input->is_tensor && !input->is_list ? 1.0 : 0.0;
        for (uint32_t d = 0; product > 0.0 && d < input->rank; d++)
            product *= (double)input->dims[d];
        sum += product;
    }
    return sum;
}

/* The work of an operation, in the number format that the group's kernels tell for lists. */
static bool work_of(const habitat_workload *w, const habitat_workload_group *group,
                    const habitat_operation *op, habitat_work *out) {
    const habitat_kernel *kernel = w->kernels[w->group_index[group->first_kernel]].kernel;
    return habitat_operation_work_typed(op, habitat_kernel_tensor_dtype(kernel->name), out) ==
               HABITAT_OK &&
           out->known;
}

/* A group's own work where it is its operation's, else (from its forward operation) in proportion.
 */
void scale_group_work(const habitat_workload *w, const habitat_workload_group *group,
                      const scale_operation *op, scale_group *out) {
    habitat_work before, after;
    double elements = elements_of(group->operation);
    out->ratio = elements > 0.0 ? elements_of(&op->op) / elements : 1.0;
    out->work = group->work;
    if (!group->work.known)
        return;
    if (work_of(w, group, group->operation, &before) && work_of(w, group, &op->op, &after) &&
        before.flop == group->work.flop && before.read_bytes == group->work.read_bytes) {
        out->work = after;
        return;
    }
    out->work.flop *= out->ratio;
    out->work.read_bytes *= out->ratio;
    out->work.write_bytes *= out->ratio;
}

/* ---- what does not depend on the batch ---- */

static bool is_of_parameters(const char *name) {
    return strncmp(name, "Optimizer.", 10) == 0 || strstr(name, "AccumulateGrad") != NULL ||
           strstr(name, SCALE_OF_WEIGHT) != NULL;
}

bool scale_sees_parameters(const habitat_workload *w, const habitat_workload_group *group) {
    size_t count = 0;
    const habitat_operation *ops = habitat_trace_operations(w->trace, &count);
    const habitat_operation *op = group->operation;
    if (group->work.op_class == HABITAT_CLASS_OPTIMIZER)
        return true;
    for (; op; op = op->parent < count ? &ops[op->parent] : NULL)
        if (is_of_parameters(op->name))
            return true;
    return false;
}

/* ---- all groups ---- */

typedef struct scaler {
    const habitat_workload *w, *other;
    uint64_t old_batch, other_batch, batch;
    scale_sizes *sizes;
    const uint32_t *match; /* shape (group_count), or NULL */
    scale_operation *room;
    habitat_arena *arena; /* of operations that are kept, or NULL */
    bool out_of_memory;
} scaler;

/* The operation at the new size, from both recordings: each size lies on a line through the two. */
static bool by_recording(const scaler *s, const habitat_operation *op,
                         const habitat_operation *twin) {
    double step =
        ((double)s->batch - (double)s->old_batch) / ((double)s->other_batch - (double)s->old_batch);
    if (!twin || twin->input_count != op->input_count)
        return false;
    for (uint32_t i = 0; i < op->input_count; i++) {
        const habitat_input *a = &op->inputs[i], *b = &twin->inputs[i];
        if (a->rank != b->rank || a->is_list != b->is_list)
            return false;
        for (uint32_t d = 0; !a->is_list && d < a->rank; d++) {
            double size = (double)a->dims[d] + step * (double)(b->dims[d] - a->dims[d]);
            if (a->dims[d] != b->dims[d])
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

static void scale_one(scaler *s, size_t g, scale_group *out) {
    const habitat_workload_group *group = &s->w->groups[g];
    const habitat_operation *op = group->operation;
    *out = (scale_group){.work = group->work, .ratio = 1.0};
    if (scale_sees_parameters(s->w, group) || group->work.op_class == HABITAT_CLASS_COLLECTIVE)
        return;
    if (!op || op->input_count == 0 || !scale_copy_operation(op, s->room)) {
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
    out->source = recorded ? SCALE_BY_RECORDING : SCALE_BY_SHAPES;
    out->operation = s->arena ? scale_keep_operation(s->arena, &s->room->op) : NULL;
    s->out_of_memory |= s->arena && !out->operation;
}

static habitat_status check(const scaler *s, habitat_error *err) {
    if (!s->batch || s->batch > (uint64_t)1 << 40)
        return habitat_fail(err, HABITAT_E_ARG, "a batch size is a whole number from 1 on");
    if (!s->old_batch)
        return habitat_fail(err, HABITAT_E_ARG,
                            "the recording does not say its batch size; record it again with "
                            "`habitat record --batch-size N`");
    if (s->other && (!s->other_batch || s->other_batch == s->old_batch))
        return habitat_fail(err, HABITAT_E_ARG,
                            s->other_batch ? "both recordings have batch size %llu; give one of "
                                             "another batch size, or none"
                                           : "the second recording does not say its batch size; "
                                             "record it with `habitat record --batch-size N`",
                            (unsigned long long)s->old_batch);
    return HABITAT_OK;
}

habitat_status scale_batch(const habitat_workload *w, const habitat_workload *other, uint64_t batch,
                           habitat_arena *arena, scale_group *out, habitat_error *err) {
    scaler s = {.w = w, .other = other, .old_batch = w->batch_size, .batch = batch, .arena = arena};
    s.other_batch = other ? other->batch_size : 0;
    habitat_status status = check(&s, err);
    if (status != HABITAT_OK)
        return status;
    uint32_t *match = other ? calloc(w->group_count + 1, sizeof *match) : NULL;
    s.room = malloc(sizeof *s.room);
    bool ok = s.room && (match || !other) &&
              scale_sizes_create(w, s.old_batch, &s.sizes) == HABITAT_OK &&
              (!other || scale_match(w, other, match) == HABITAT_OK);
    s.match = match;
    for (size_t g = 0; ok && g < w->group_count; g++)
        scale_one(&s, g, &out[g]);
    scale_sizes_free(s.sizes);
    free(s.room);
    free(match);
    return ok && !s.out_of_memory ? HABITAT_OK
                                  : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}
