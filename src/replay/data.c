/* Which operations of the CPU work on the data of a batch: they make it, put its samples together,
 * change it. What they take grows with the batch, unlike the launches of the rest. They launch
 * nothing on a GPU. Where their sizes are recorded, one of them is the batch size, first. A compact
 * recording may have no sizes of such operations; then all are taken for such but copies, and those
 * of the backward pass and of an optimiser. */
#include <stdlib.h>
#include <string.h>

#include "memory/optimizer.h"
#include "replay/builder.h"
#include "replay/layers.h"
#include "trace/names.h"

/* The first of the dimensions, or the number of tensors of a list, is the batch size. */
static bool is_of_batch(const habitat_input *input, int64_t batch) {
    if (input->is_tensor)
        return input->rank && input->dims[0] == batch;
    if (!input->is_list) /* "[8, 3, 224, 224]": what is made */
        return input->value && input->value[0] == '[' && atoll(input->value + 1) == batch;
    bool found = input->list_count == (uint64_t)batch;
    for (uint32_t i = 0, at = 0; i < input->list_count; i++, at += 1 + (uint32_t)input->dims[at])
        found |= input->dims[at] > 0 && input->dims[at + 1] == batch;
    return found;
}

static bool is_copy(const char *name) {
    static const char *const copies[] = {"to", "_to_copy", "copy_"};
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        if (strcmp(name_bare(name), copies[i]) == 0)
            return true;
    return false;
}

/* Autograd takes no data in: where an operation of it without sizes was slow, the host was away. */
static bool is_backward(const habitat_operation *ops, uint32_t operation) {
    return name_is_engine(ops[operation].form->name) || replay_is_again(ops, operation);
}

bool replay_is_data(const replay_builder *b, uint32_t operation) {
    const habitat_op_form *form = b->ops[operation].form;
    int64_t batch = (int64_t)b->w->batch_size;
    bool any = false;
    if (b->ops[operation].kernel_count || memory_in_optimizer(b->ops, operation))
        return false;
    for (uint32_t i = 0; i < form->input_count; i++) {
        const habitat_input *input = &form->inputs[i];
        any |= (input->is_tensor && input->rank) || input->is_list ||
               (input->value && input->value[0] == '[');
        if (is_of_batch(input, batch))
            return true;
    }
    return !any && !is_copy(form->name) && !is_backward(b->ops, operation);
}
