/* Attention that PyTorch computes in parts in fp32, and in one kernel in 16 bit. */
#ifndef HABITAT_WORKLOAD_SCALE_ATTENTION_H
#define HABITAT_WORKLOAD_SCALE_ATTENTION_H

#include "workload/workload.h"

/* Whether `op` is an attention in parts that autocast to `narrow` would run as one kernel on this
 * GPU. forward, backward: receive what the kernels do. */
bool scale_fuses_attention(const habitat_operation *op, const habitat_gpu *gpu,
                           habitat_dtype narrow, habitat_work *forward, habitat_work *backward);

#endif
