/* See norms.h. Models of batch norm know cuDNN's kernels by fp32 and fp16, PyTorch's own by bf16.
 * PyTorch's run in fp16, too, where the weights are in fp16: cuDNN takes those in fp32 alone. */
#include "kernels/norms.h"
#include "work/kinds.h"

#include <string.h>

bool norms_of_images(const habitat_workload_group *group) {
    const habitat_operation *op = group->operation;
    return group->work->op_class == HABITAT_CLASS_NORM &&
           work_kind_is(group->work->kind, WORK_BATCH_NORM) &&
           !(op && op->form->input_count && op->form->inputs[0].rank <= 2);
}

/* With given statistics, as in evaluation, all that is left is one pass over the elements, which
 * takes as long in either library. */
static bool has_statistics(const habitat_work *work, const habitat_operation *op) {
    const uint32_t training = 5; /* argument of all forms that a profiler shows */
    const char *value = op->form->input_count > training ? op->form->inputs[training].value : NULL;
    return work->pass == HABITAT_PASS_FORWARD && value && strcmp(value, "False") == 0;
}

static bool has_fp16_weights(const habitat_work *work, const habitat_operation *op) {
    uint32_t weight = work->pass == HABITAT_PASS_FORWARD ? 1 : 2;
    return op->form->input_count > weight && op->form->inputs[weight].dtype == HABITAT_DTYPE_FP16;
}

bool norms_asked(const habitat_workload_group *group, const habitat_work *work, habitat_work *out) {
    const habitat_operation *op = group->operation;
    habitat_dtype as = work->dtype;
    if (!op || !norms_of_images(group))
        return false;
    if (has_statistics(work, op))
        as = as == HABITAT_DTYPE_BF16 ? HABITAT_DTYPE_FP16 : as;
    else if (as == HABITAT_DTYPE_FP16 && has_fp16_weights(work, op))
        as = HABITAT_DTYPE_BF16;
    if (as == work->dtype)
        return false;
    *out = *work;
    out->dtype = as;
    return true;
}
