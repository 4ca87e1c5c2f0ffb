/* Which of a GPU's rates a kernel's arithmetic runs at, and what libraries fall back to where a GPU
 * lacks it: one table, docs/formulas.md#rates. And what any kernel costs. */
#include "formula/rates.h"

#include "base/constants_kernels.h"
#include "formula/formula.h"
#include "gpu/gpu.h"

typedef struct rate_choice {
    habitat_dtype dtype;
    bool matrix;
} rate_choice;

enum { CHOICES = 4 };

#define MATRIX(format)                                                                             \
    { HABITAT_DTYPE_##format, true }
#define PLAIN(format)                                                                              \
    { HABITAT_DTYPE_##format, false }

/* First choice first; a zeroed entry (UNKNOWN) ends the list. Integer, boolean and unknown formats
 * are counted at the plain fp32 rate: such kernels move data, their few operations never bind. So
 * is fp16 without matrix units, whatever the spec sheet lists (from twice fp32 to a 64th of it):
 * frameworks keep halves in memory and compute in fp32. Evidence: docs/formulas.md#rates. Where
 * matrix units know fp16 and no bf16, training runs in fp16: a step in bf16 stands for one in fp16
 * there. */
static const rate_choice on_matrix[HABITAT_DTYPE_COUNT][CHOICES] = {
    [HABITAT_DTYPE_UNKNOWN] = {PLAIN(FP32)},
    [HABITAT_DTYPE_FP64] = {MATRIX(FP64), PLAIN(FP64)},
    [HABITAT_DTYPE_FP32] = {MATRIX(FP32), PLAIN(FP32)},
    [HABITAT_DTYPE_TF32] = {MATRIX(TF32), MATRIX(FP32), PLAIN(FP32)},
    [HABITAT_DTYPE_FP16] = {MATRIX(FP16), PLAIN(FP32)},
    [HABITAT_DTYPE_BF16] = {MATRIX(BF16), MATRIX(FP16), PLAIN(FP32)},
    [HABITAT_DTYPE_FP8] = {MATRIX(FP8), MATRIX(BF16), MATRIX(FP16), PLAIN(FP32)},
    [HABITAT_DTYPE_INT8] = {MATRIX(INT8), PLAIN(INT8), PLAIN(FP32)},
    [HABITAT_DTYPE_INT16] = {PLAIN(FP32)},
    [HABITAT_DTYPE_INT32] = {PLAIN(FP32)},
    [HABITAT_DTYPE_INT64] = {PLAIN(FP32)},
    [HABITAT_DTYPE_BOOL] = {PLAIN(FP32)},
    [HABITAT_DTYPE_COMPLEX64] = {MATRIX(FP32), PLAIN(FP32)},
    [HABITAT_DTYPE_COMPLEX128] = {MATRIX(FP64), PLAIN(FP64)},
};

static const rate_choice on_plain[HABITAT_DTYPE_COUNT][CHOICES] = {
    [HABITAT_DTYPE_UNKNOWN] = {PLAIN(FP32)},   [HABITAT_DTYPE_FP64] = {PLAIN(FP64)},
    [HABITAT_DTYPE_FP32] = {PLAIN(FP32)},      [HABITAT_DTYPE_TF32] = {PLAIN(FP32)},
    [HABITAT_DTYPE_FP16] = {PLAIN(FP32)},      [HABITAT_DTYPE_BF16] = {PLAIN(BF16), PLAIN(FP32)},
    [HABITAT_DTYPE_FP8] = {PLAIN(FP32)},       [HABITAT_DTYPE_INT8] = {PLAIN(FP32)},
    [HABITAT_DTYPE_INT16] = {PLAIN(FP32)},     [HABITAT_DTYPE_INT32] = {PLAIN(FP32)},
    [HABITAT_DTYPE_INT64] = {PLAIN(FP32)},     [HABITAT_DTYPE_BOOL] = {PLAIN(FP32)},
    [HABITAT_DTYPE_COMPLEX64] = {PLAIN(FP32)}, [HABITAT_DTYPE_COMPLEX128] = {PLAIN(FP64)},
};

static double listed(const habitat_rates *rates, rate_choice choice) {
    return choice.matrix ? rates->matrix_flop_per_s[choice.dtype]
                         : rates->plain_flop_per_s[choice.dtype];
}

double habitat_arithmetic_rate(const habitat_gpu *gpu, habitat_dtype dtype, bool matrix_unit,
                               bool sustained, habitat_dtype *used_dtype, bool *used_matrix) {
    if (!gpu || (unsigned)dtype >= HABITAT_DTYPE_COUNT)
        return NAN;
    const rate_choice *choices = matrix_unit ? on_matrix[dtype] : on_plain[dtype];
    for (size_t i = 0; i < CHOICES && choices[i].dtype != HABITAT_DTYPE_UNKNOWN; i++) {
        /* The peak says whether the GPU has the unit at all: a missing sustained rate must not
         * send a tensor-core kernel to the plain units. */
        double peak = listed(&gpu->peak, choices[i]);
        double held = listed(&gpu->sustained, choices[i]);
        double rate = sustained && formula_usable(held) ? held : peak;
        if (!formula_usable(rate))
            continue;
        if (used_dtype)
            *used_dtype = choices[i].dtype;
        if (used_matrix)
            *used_matrix = choices[i].matrix;
        return rate;
    }
    return NAN;
}

bool habitat_rate_unlisted(const habitat_gpu *gpu, habitat_dtype dtype) {
    const habitat_rates *peak = &gpu->peak;
    return dtype == HABITAT_DTYPE_INT8 &&
           formula_usable(peak->matrix_flop_per_s[HABITAT_DTYPE_BF16]) &&
           !formula_usable(peak->matrix_flop_per_s[HABITAT_DTYPE_INT8]);
}

double habitat_memory_rate(const habitat_gpu *gpu, bool sustained) {
    if (!gpu)
        return NAN;
    double held = gpu->sustained_bandwidth_bytes_per_s;
    return sustained && formula_usable(held) ? held : gpu->memory_bandwidth_bytes_per_s;
}

double formula_kernel_floor_ns(const habitat_gpu *gpu) {
    return hardware_kernel_floor_cycles / gpu->boost_clock_hz * 1e9;
}
