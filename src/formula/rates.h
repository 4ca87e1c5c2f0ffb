/* Which of a GPU's rates a kernel runs at, and what any kernel costs on it. */
#ifndef HABITAT_FORMULA_RATES_H
#define HABITAT_FORMULA_RATES_H

#include <stdbool.h>

#include <habitat/gpu.h>

/* The rate a kernel's arithmetic runs at on a GPU: the matrix or plain rate of its dtype; where
 * the GPU lacks it, of the format the libraries fall back to (tf32 -> fp32 plain, bf16 -> fp32
 * plain, fp16 -> fp32 plain, fp8 -> bf16 or fp16 matrix).
 * @param sustained sustained rate, else spec-sheet peak.
 * @param used_dtype, used_matrix what the rate stands for; may be NULL.
 * @return [flop/s]; NaN if even the fallback is unknown. */
double habitat_arithmetic_rate(const habitat_gpu *gpu, habitat_dtype dtype, bool matrix_unit,
                               bool sustained, habitat_dtype *used_dtype, bool *used_matrix);

/* Whether a GPU has units of a format whose rate its description leaves out, so that no other
 * format's rate stands for it: int8 came with matrix units before bf16 did. */
bool habitat_rate_unlisted(const habitat_gpu *gpu, habitat_dtype dtype);

/* DRAM bandwidth of a GPU: sustained where asked for and known, else the spec sheet's.
 * @return [byte/s]; NaN if unknown. */
double habitat_memory_rate(const habitat_gpu *gpu, bool sustained);

/* What any kernel costs beyond its work [ns] on a GPU: starting and draining its blocks. */
double formula_kernel_floor_ns(const habitat_gpu *gpu);

#endif
