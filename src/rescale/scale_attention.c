/* See scale_attention.h. PyTorch (2.5 to 2.11) has no kernel in fp32 for fewer heads of keys than
 * of queries, and computes such an attention in parts: heads are copied, products and a softmax run
 * one after another. In 16 bit there is one, from compute capability 8.0 on, without a mask but the
 * causal one: sdp_utils.cpp. Other reasons for parts (a mask, a choice of the script) hold in any
 * format. docs/decisions/0432
 *
 * In 16 bit these parts compute in fp32 (attention.cpp, unless the script allows reductions in 16
 * bit): queries, keys and values are cast, and the result is cast back, and so are the scores,
 * which nobody reads. Autocast does not see what runs inside. docs/decisions/0510 */
#include "rescale/scale_attention.h"

#include <string.h>

#include "gpu/generation.h"
#include "gpu/gpu.h"
#include "work/args.h"

enum { FLASH_HEAD_DIM = 256, ALIGNED = 8 };

static bool has_kernel(const habitat_attention_shape *s, const habitat_gpu *gpu) {
    return gpu && gpu->compute_capability >= SM_AMPERE && s->kv_heads < s->heads &&
           s->head_dim == s->v_head_dim && s->head_dim <= FLASH_HEAD_DIM &&
           (uint64_t)s->head_dim % ALIGNED == 0;
}

static bool is_in_parts(const habitat_operation *op) {
    return strcmp(op->form->name, "aten::_scaled_dot_product_attention_math") == 0;
}

/* A mask that is another one for each head is learned, as relative positions are; what hides places
 * hides them from all heads, and has no gradient. */
static double learned_mask(const habitat_input *mask) {
    bool learned = mask->dtype == HABITAT_DTYPE_FP32 && mask->is_tensor && mask->rank > 2 &&
                   mask->dims[mask->rank - 3] > 1;
    return learned ? work_elements(mask) : 0.0;
}

bool scale_attention_in_parts(const habitat_operation *op, scale_attention_sizes *out) {
    const habitat_input *inputs = op->form->inputs;
    if (!is_in_parts(op) || op->form->input_count < SCALE_ATTENTION_MASK)
        return false;
    for (uint32_t i = 0; i < SCALE_ATTENTION_MASK; i++) {
        out->inputs[i] = work_elements(&inputs[i]);
        if (!inputs[i].is_tensor || inputs[i].rank < 2 || !(out->inputs[i] > 0.0))
            return false;
    }
    const habitat_input *q = &inputs[0], *k = &inputs[1], *v = &inputs[2];
    double rows = out->inputs[0] / (double)q->dims[q->rank - 1];
    out->scores = rows * (double)k->dims[k->rank - 2];
    out->result = rows * (double)v->dims[v->rank - 1];
    bool masked = op->form->input_count > SCALE_ATTENTION_MASK;
    out->learned_mask = masked ? learned_mask(&inputs[SCALE_ATTENTION_MASK]) : 0.0;
    return true;
}

bool scale_fuses_attention(const habitat_operation *op, const habitat_gpu *gpu,
                           habitat_dtype narrow, habitat_work *forward, habitat_work *backward) {
    if (!is_in_parts(op) || op->form->input_count <= SCALE_ATTENTION_MASK ||
        op->form->inputs[SCALE_ATTENTION_MASK].rank > 0)
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

/* The gradient needs the sum of each result times its own gradient. In fp32 PyTorch works it out
 * before the kernel: a copy, a product and a sum. In 16 bit the kernels do
 * (kKernelComputesDelta; FlashAttention's and cuDNN's have one for it, which models of them hold).
 */
bool scale_is_beside_attention(const habitat_operation *ops, size_t count, uint32_t at) {
    static const char fused[] = "aten::_efficient_attention_backward";
    if (at >= count || strcmp(ops[at].form->name, fused) == 0)
        return false;
    while (at < count && strcmp(ops[at].form->name, fused) != 0)
        at = ops[at].parent;
    return at < count;
}

void scale_mark_attention_in_parts(const habitat_operation *ops, size_t count, uint32_t *out) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = ops[i].parent;
        out[i] = parent < i ? out[parent] : HABITAT_NONE;
        if (out[i] == HABITAT_NONE && is_in_parts(&ops[i]))
            out[i] = i;
    }
}
