/* See scale_attention.h. PyTorch (2.5 to 2.11) has no kernel in fp32 for fewer heads of keys than
 * of queries, and computes such an attention in parts: heads are copied, products and a softmax run
 * one after another. In 16 bit there is one, from compute capability 8.0 on, without a mask but the
 * causal one: sdp_utils.cpp. Other reasons for parts (a mask, a choice of the script) hold in any
 * format. docs/decisions/0432 */
#include "workload/scale_attention.h"

#include <string.h>

#include "gpu/gpu.h"

enum { FLASH_CAPABILITY = 80, FLASH_HEAD_DIM = 256, ALIGNED = 8 };

static bool has_kernel(const habitat_attention_shape *s, const habitat_gpu *gpu) {
    return gpu && gpu->compute_capability >= FLASH_CAPABILITY && s->kv_heads < s->heads &&
           s->head_dim == s->v_head_dim && s->head_dim <= FLASH_HEAD_DIM &&
           (uint64_t)s->head_dim % ALIGNED == 0;
}

bool scale_fuses_attention(const habitat_operation *op, const habitat_gpu *gpu,
                           habitat_dtype narrow, habitat_work *forward, habitat_work *backward) {
    if (strcmp(op->form->name, "aten::_scaled_dot_product_attention_math") != 0 ||
        op->form->input_count < 4 || op->form->inputs[3].rank > 0)
        return false;
    habitat_op_form form = *op->form;
    habitat_operation whole = *op;
    form.name = "aten::scaled_dot_product_attention"; /* of the same arguments */
    whole.form = &form;
    return habitat_operation_work(&whole, forward) == HABITAT_OK && forward->known &&
           has_kernel(&forward->shape.attention, gpu) &&
           habitat_work_attention(&forward->shape.attention, narrow, HABITAT_PASS_BACKWARD,
                                  backward) == HABITAT_OK &&
           habitat_work_attention(&backward->shape.attention, narrow, HABITAT_PASS_FORWARD,
                                  forward) == HABITAT_OK;
}
