/* Fused attention as a training step runs it: what models of attention leave out. */
#ifndef HABITAT_KERNELS_ATTENTIONS_H
#define HABITAT_KERNELS_ATTENTIONS_H

#include <stdbool.h>

#include <habitat/gpu.h>
#include <habitat/work.h>

/* Whether a fused kernel in fp32 computes wider heads than the tensors have: `out` is then the same
 * attention with such heads; else it is left alone. */
bool attentions_padded(const habitat_work *work, habitat_work *out);

/* How many times as long as the models' `seconds` an attention takes in a training step: other
 * kernels, their backward pass, dropout. 1: it is none, or another vendor's GPU is asked for. */
double attentions_factor(const habitat_work *work, const habitat_gpu *gpu, double seconds);

#endif
