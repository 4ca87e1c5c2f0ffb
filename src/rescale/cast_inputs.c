/* See cast_inputs.h: by the operation's policy and what made the latest tensor of a size. */
#include "rescale/cast_inputs.h"

#include <string.h>

#include "rescale/scale_attention.h"
#include "trace/names.h"
#include "work/args.h"

bool cast_is_fp32_tensor(const habitat_input *input) {
    return input->is_tensor && !input->is_list && input->dtype == HABITAT_DTYPE_FP32 &&
           input->rank > 0;
}

static double bytes_of(habitat_dtype dtype) {
    return autocast_is_narrow(dtype) ? HALF_BYTES : SINGLE_BYTES;
}

void cast_add(caster *c, double elements, habitat_dtype before, habitat_dtype after, bool weight,
              bool gradient) {
    double from = bytes_of(before), to = bytes_of(after);
    added_bytes(&c->added, weight ? "aten::_to_copy" SCALE_OF_WEIGHT : "aten::_to_copy", elements,
                from, to, HABITAT_CLASS_COPY);
    if (c->trains && gradient)
        added_bytes(&c->added, weight ? "ToCopyBackward0" SCALE_OF_WEIGHT : "ToCopyBackward0",
                    elements, to, from, HABITAT_CLASS_COPY);
}

/* Whether an operation tells those inside it their format, which autocast leaves alone. */
static bool names_formats(const char *name) {
    return strcmp(name, "aten::cross_entropy_loss") == 0;
}

/* Told fp32 for their result, softmaxes read fp16 in one kernel, but of bf16 they make fp32 first:
 * ATen's SoftMax.cpp. docs/decisions/0415 */
static bool widens_first(const caster *c, const char *name) {
    return c->narrow == HABITAT_DTYPE_BF16 && strstr(name, "softmax") != NULL;
}

uint32_t cast_listed_around(const caster *c, uint32_t op, autocast_policy *policy) {
    uint32_t found = op;
    *policy = AUTOCAST_NOT_LISTED;
    for (uint32_t at = op; at < c->op_count && c->ops[at].form->kind == HABITAT_OPERATION_FRAMEWORK;
         at = c->ops[at].parent) {
        autocast_policy here = autocast_of(c->ops[at].form->name);
        if (*policy == AUTOCAST_WIDE_INSIDE && names_formats(c->ops[at].form->name)) {
            *policy = AUTOCAST_NOT_LISTED;
            found = op;
        }
        if (here != AUTOCAST_NOT_LISTED) {
            *policy = here;
            found = at;
        }
    }
    if (*policy == AUTOCAST_WIDE_INSIDE && widens_first(c, c->ops[found].form->name))
        *policy = AUTOCAST_WIDE;
    return found;
}

habitat_dtype cast_format_of(caster *c, const habitat_input *input, uint32_t i) {
    const tensor_size *size = tensor_sizes_find(&c->sizes, work_elements(input));
    if (size)
        return size->latest;
    return i == 0 && c->sizes.latest ? c->sizes.latest : HABITAT_DTYPE_FP32;
}

habitat_dtype cast_narrow_in(const caster *c, uint32_t op) {
    habitat_dtype narrow = c->narrow;
    for (; op < c->op_count && c->ops[op].form->kind == HABITAT_OPERATION_FRAMEWORK &&
           narrow == c->narrow;
         op = c->ops[op].parent)
        narrow = autocast_narrow(c->ops[op].form->name, c->narrow);
    return narrow;
}

static bool is_linear(const habitat_operation *op) {
    const char *name = name_bare(op->form->name);
    return strcmp(name, "linear") == 0 || strcmp(name, "addmm") == 0 || strcmp(name, "mm") == 0;
}

/* Two linear layers with nothing between them would be one: the second reads what the first did,
 * and autocast, which keeps the casts of weights alone, casts that anew. docs/decisions/0415 */
static habitat_dtype format_beside(caster *c, const habitat_operation *op,
                                   const habitat_input *input, uint32_t i) {
    double elements = work_elements(input);
    if (!is_linear(op))
        return cast_format_of(c, input, i);
    if (!c->beside.latest || (double)c->beside.elements != elements)
        c->beside.latest = cast_format_of(c, input, i);
    c->beside.elements = (uint64_t)elements;
    return c->beside.latest;
}

void cast_inputs_of(caster *c, uint32_t op, autocast_policy policy, habitat_dtype narrow) {
    const habitat_operation *from = &c->ops[op];
    bool first = c->sizes.latest == HABITAT_DTYPE_UNKNOWN; /* the samples have no gradient */
    if (c->cast[op] || policy == AUTOCAST_NOT_LISTED || policy == AUTOCAST_WIDE_INSIDE)
        return;
    c->cast[op] = true;
    /* queries, keys and values are products' results, cut into heads */
    uint32_t i = strstr(from->form->name, "attention") ? SCALE_ATTENTION_MASK : 0;
    for (; i < from->form->input_count; i++) {
        const habitat_input *input = &from->form->inputs[i];
        if (!cast_is_fp32_tensor(input))
            continue;
        double elements = work_elements(input);
        bool weight = weight_casts_is_weight(from, i), again = c->again[op];
        if (weight_casts_is_buffer(from, i) || (weight && !again && policy == AUTOCAST_NARROW &&
                                                !weight_casts_next(&c->weights, elements)))
            continue;
        habitat_dtype format = weight ? HABITAT_DTYPE_FP32 : format_beside(c, from, input, i);
        if (policy == AUTOCAST_NARROW && format != narrow)
            cast_add(c, elements, format, narrow, weight, !again && (weight || !first));
        if (policy == AUTOCAST_WIDE && autocast_is_narrow(format) && input->rank > 1)
            cast_add(c, elements, format, HABITAT_DTYPE_FP32, false, !again);
    }
}

void cast_listed_weights(caster *c, const habitat_work *work, uint32_t op) {
    const habitat_op_form *form = c->ops[op].form;
    const habitat_input *list = form->input_count > 1 ? &form->inputs[1] : NULL;
    if (work->op_class != HABITAT_CLASS_RNN || !list || !list->is_list || !list->dims)
        return;
    const int64_t *sizes = list->dims;
    double all = 0.0;
    for (uint32_t j = 0; j < list->list_count; j++, sizes += 1 + sizes[0]) {
        double elements = 1.0;
        for (int64_t d = 0; d < sizes[0]; d++)
            elements *= (double)sizes[1 + d];
        cast_add(c, elements, HABITAT_DTYPE_FP32, c->narrow, true, true);
        all += elements;
    }
    added_bytes(&c->added, "aten::zero_" SCALE_OF_WEIGHT, all, 0.0, HALF_BYTES,
                HABITAT_CLASS_ELEMENTWISE);
}
