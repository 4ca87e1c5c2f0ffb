/* Attention that PyTorch computes in parts in fp32: in one kernel in 16 bit, or in parts still. */
#ifndef HABITAT_RESCALE_SCALE_ATTENTION_H
#define HABITAT_RESCALE_SCALE_ATTENTION_H

#include "workload/workload.h"

/* Whether `op` is an attention in parts that autocast to `narrow` would run as one kernel on this
 * GPU. forward, backward: receive what the kernels do. */
bool scale_fuses_attention(const habitat_operation *op, const habitat_gpu *gpu,
                           habitat_dtype narrow, habitat_work *forward, habitat_work *backward);

enum { SCALE_ATTENTION_MASK = 3 }; /* inputs before it: queries, keys, values */

/* Elements of what such an attention casts where it stays in parts under autocast: inputs are
 * widened, scores and result narrowed. */
typedef struct scale_attention_sizes {
    double inputs[SCALE_ATTENTION_MASK], scores, result;
    double learned_mask; /* 0: no mask, or none with a gradient */
} scale_attention_sizes;

/* false: its inputs are not known. */
bool scale_attention_in_parts(const habitat_operation *op, scale_attention_sizes *out);

/* Whether operation `at` is one that fused attention in fp32 runs beside its kernel for the
 * gradient. */
bool scale_is_beside_attention(const habitat_operation *ops, size_t count, uint32_t at);

/* The attention in parts around each operation, or HABITAT_NONE. out: shape (count). */
void scale_mark_attention_in_parts(const habitat_operation *ops, size_t count, uint32_t *out);

#endif
