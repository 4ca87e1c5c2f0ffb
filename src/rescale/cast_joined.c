/* See cast_joined.h: all parts of one format, or the whole in fp32. */
#include "rescale/cast_joined.h"

#include "rescale/cast_inputs.h"
#include "work/args.h"

const habitat_input *cast_joined(const habitat_workload_group *group) {
    const habitat_op_form *form = group->operation->form;
    const habitat_work *work = group->work;
    bool copies = work->op_class == HABITAT_CLASS_COPY && work->known &&
                  work->dtype == HABITAT_DTYPE_FP32 && form->input_count > 0;
    return copies && form->inputs[0].is_list && form->inputs[0].dims ? &form->inputs[0] : NULL;
}

/* The format of all tensors of a list; fp32 where they differ, or where nothing made one. */
static habitat_dtype format_of_list(caster *c, const habitat_input *list, double *elements) {
    const int64_t *sizes = list->dims;
    habitat_dtype result = HABITAT_DTYPE_UNKNOWN;
    *elements = 0.0;
    for (uint32_t j = 0; j < list->list_count; j++, sizes += 1 + sizes[0]) {
        habitat_input one = {.rank = (uint8_t)sizes[0], .dims = sizes + 1, .is_tensor = true};
        habitat_dtype format = cast_format_of(c, &one, 1);
        result = j == 0 || result == format ? format : HABITAT_DTYPE_FP32;
        *elements += work_elements(&one);
    }
    return result;
}

static void join(const habitat_workload_group *group, habitat_dtype narrow, scale_group *out) {
    if (!autocast_is_narrow(narrow))
        return;
    out->work = *group->work;
    out->work.dtype = narrow;
    out->work.read_bytes *= (double)HALF_BYTES / SINGLE_BYTES;
    out->work.write_bytes *= (double)HALF_BYTES / SINGLE_BYTES;
    out->source = SCALE_BY_FORMAT;
}

void cast_join_forward(caster *c, const habitat_workload_group *group, const habitat_input *list,
                       scale_group *out) {
    double elements = 0.0;
    habitat_dtype format = format_of_list(c, list, &elements);
    join(group, format, out);
    tensor_sizes_note(&c->sizes, elements, format);
}

void cast_join_backward(const caster *c, const habitat_workload_group *group, uint32_t forward_op,
                        scale_group *out) {
    const uint32_t farthest = 64; /* operations from what made a tensor to its cut */
    uint32_t op = forward_op;
    for (uint32_t i = 0; i < farthest && op > 0 && op < c->op_count && !c->decided[op]; i++)
        op--;
    if (op < c->op_count)
        join(group, (habitat_dtype)c->decided[op], out);
}
