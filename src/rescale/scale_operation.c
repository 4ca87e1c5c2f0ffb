/* One operation with other sizes or formats, and what its group does then. */
#include <string.h>

#include "rescale/scale.h"
#include "trace/names.h"

/* Numbers in input->dims: those of a list are of all its tensors. */
static size_t sizes_in(const habitat_input *input) {
    const int64_t *group = input->is_list ? input->dims : NULL;
    size_t count = input->rank;
    for (uint32_t j = 0; group && j < input->list_count; j++, group += 1 + group[0])
        count = (size_t)(group - input->dims) + 1 + (size_t)group[0];
    return input->dims ? count : 0;
}

const habitat_operation *scale_keep_operation(habitat_arena *arena, const habitat_operation *op) {
    habitat_operation *kept = habitat_arena_alloc(arena, sizeof *kept);
    habitat_op_form *form = habitat_arena_alloc(arena, sizeof *form);
    habitat_input *inputs =
        habitat_arena_alloc(arena, (op->form->input_count + 1) * sizeof *inputs);
    if (!kept || !form || !inputs)
        return NULL;
    *form = *op->form;
    form->inputs = inputs;
    *kept = *op;
    kept->form = form;
    for (uint32_t i = 0; i < op->form->input_count; i++) {
        const habitat_input *from = &op->form->inputs[i];
        size_t count = sizes_in(from);
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
    size_t count = sizes_in(from);
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
    if (op->form->input_count > SCALE_INPUTS_MAX)
        return false;
    out->form = *op->form;
    out->form.inputs = out->inputs;
    out->op = *op;
    out->op.form = &out->form;
    out->used = 0;
    out->changed = out->in_a_row = false;
    for (uint32_t i = 0; i < op->form->input_count; i++) {
        out->inputs[i] = op->form->inputs[i];
        if (!copy_sizes(out, &op->form->inputs[i], &out->inputs[i]))
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
        for (uint32_t j = 0; j < input->rank; j++)
            if (j != d && strides[d] > 0 && strides[j] / old >= strides[d] &&
                strides[j] % old == 0 && strides[j] / old <= INT64_MAX / size)
                strides[j] = strides[j] / old * size;
    }
    dims[d] = size;
    out->changed = true;
}

static double product_of(const int64_t *dims, uint32_t rank) {
    double product = 1.0;
    for (uint32_t d = 0; d < rank; d++)
        product *= (double)dims[d];
    return product;
}

/* Of all tensors of a list: its sizes are [rank, dims...] one after another. */
static double listed_elements(const habitat_input *list) {
    const int64_t *group = list->dims;
    double sum = 0.0;
    for (uint32_t j = 0; group && j < list->list_count; j++) {
        sum += product_of(group + 1, (uint32_t)group[0]);
        group += 1 + group[0];
    }
    return sum;
}

/* Of its tensors; of lists where it has no others, as what joins tensors. */
static double elements_of(const habitat_operation *op) {
    double tensors = 0.0, lists = 0.0;
    for (uint32_t i = 0; i < op->form->input_count; i++) {
        const habitat_input *input = &op->form->inputs[i];
        if (input->is_list)
            lists += listed_elements(input);
        else if (input->is_tensor)
            tensors += product_of(input->dims, input->rank);
    }
    return tensors > 0.0 ? tensors : lists;
}

/* The work of an operation, in the number format that the group's kernels tell for lists. */
static bool work_of(const habitat_workload *w, const habitat_workload_group *group,
                    const habitat_operation *op, habitat_work *out) {
    const habitat_kernel *kernel = w->kernels[w->group_index[group->first_kernel]].kernel;
    return habitat_operation_work_typed(op, habitat_kernel_tensor_dtype(kernel->form->name), out) ==
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
    out->work = *group->work;
    if (!group->work->known)
        return;
    if (work_of(w, group, group->operation, &before) && work_of(w, group, &op->op, &after) &&
        before.flop == group->work->flop && before.read_bytes == group->work->read_bytes) {
        out->work = after;
        return;
    }
    out->work.flop *= out->ratio;
    out->work.read_bytes *= out->ratio;
    out->work.write_bytes *= out->ratio;
}

/* ---- what does not depend on the batch ---- */

static bool is_of_parameters(const char *name) {
    return name_is_of_optimizer(name) || strstr(name, "AccumulateGrad") != NULL ||
           strstr(name, "_weight_norm_interface") != NULL || strstr(name, SCALE_OF_WEIGHT) != NULL;
}

bool scale_sees_parameters(const habitat_workload *w, const habitat_workload_group *group) {
    size_t count = 0;
    const habitat_operation *ops = habitat_trace_operations(w->trace, &count);
    const habitat_operation *op = group->operation;
    if (group->work->op_class == HABITAT_CLASS_OPTIMIZER)
        return true;
    for (; op; op = op->parent < count ? &ops[op->parent] : NULL)
        if (is_of_parameters(op->form->name))
            return true;
    return false;
}

bool scale_leaves(const habitat_workload *w, const habitat_workload_group *group) {
    return group->work->op_class == HABITAT_CLASS_COLLECTIVE || scale_sees_parameters(w, group);
}
