/* Usual shares: docs/formulas.md#unknown-work. Their numbers: base/constants_kernels.h. */
#include "kernels/usual_shares.h"

#include <math.h>
#include <string.h>

#include "base/constants_kernels.h"
#include "formula/rates.h"
#include "gpu/gpu.h"
#include "kernels/share_by_name.h"
#include "work/class.h"
#include "work/tile.h"

static bool named(const habitat_workload_kernel *kernel, const char *part) {
    return kernel->kernel->form->name && strstr(kernel->kernel->form->name, part);
}

/* ---- products: arithmetic ---- */

/* Bytes to which a CUTLASS kernel says its operands are aligned; 0 = it does not say. */
static double alignment_bytes(const habitat_workload_kernel *kernel) {
    return (double)kernel_alignment(kernel->kernel->form->name) *
           (double)habitat_dtype_bytes(kernel->facts.dtype);
}

/* Matrix products and convolutions on matrix units: which library made the kernel, and how wide it
 * can load, is in its name. */
static double matrix_share(const habitat_workload_kernel *kernel) {
    bool conv = kernel->op_class == HABITAT_CLASS_CONV;
    double aligned = alignment_bytes(kernel);
    if (aligned > 0.0 && aligned < 4)
        return fitted_usual_aligned_2;
    if (aligned > 0.0 && aligned < 8)
        return conv ? fitted_usual_conv_aligned_4 : fitted_usual_gemm_aligned_4;
    if (aligned > 0.0)
        return fitted_usual_aligned_8;
    if (named(kernel, "nvjet"))
        return conv ? fitted_usual_conv_nvjet : fitted_usual_gemm_nvjet;
    return conv ? fitted_usual_conv_matrix : fitted_usual_gemm_matrix;
}

static double arithmetic_share(const habitat_workload_kernel *kernel) {
    /* fp32 has matrix units on few GPUs; the shares are those of plain units */
    bool matrix = kernel->facts.matrix_unit && kernel->facts.dtype != HABITAT_DTYPE_FP32;
    switch (kernel->op_class) {
    case HABITAT_CLASS_GEMM:
        return matrix ? matrix_share(kernel) : fitted_usual_gemm_plain;
    case HABITAT_CLASS_BMM:
        return matrix ? fitted_usual_bmm_matrix : fitted_usual_bmm_plain;
    case HABITAT_CLASS_ATTENTION: /* fused ones of fp32 are slow everywhere */
        return habitat_dtype_bytes(kernel->facts.dtype) <= 2 ? fitted_usual_attention_half
                                                             : fitted_usual_attention_single;
    case HABITAT_CLASS_RNN:
        return matrix ? fitted_usual_rnn_matrix : fitted_usual_rnn_plain;
    default:
        return matrix ? matrix_share(kernel) : fitted_usual_conv_plain;
    }
}

/* ---- all others: memory ---- */

static double memory_share(const habitat_workload_kernel *kernel) {
    if (class_of(kernel->op_class)->by_element) /* PyTorch's that go in order of memory say so */
        return named(kernel, "vectorized_elementwise") ? fitted_usual_vectorized
               : named(kernel, "elementwise_kernel")   ? fitted_usual_elementwise
                                                       : fitted_usual_other;
    switch (kernel->op_class) {
    case HABITAT_CLASS_OPTIMIZER: /* of lists of tensors; some read three of each */
        return named(kernel, "TernaryOp") || named(kernel, "PointwiseOp")
                   ? fitted_usual_optimizer_of_three
                   : fitted_usual_optimizer;
    case HABITAT_CLASS_SOFTMAX:
        return fitted_usual_softmax;
    case HABITAT_CLASS_NORM:
    case HABITAT_CLASS_REDUCE:
        return fitted_usual_rows;
    case HABITAT_CLASS_POOL:
    case HABITAT_CLASS_EMBEDDING:
    case HABITAT_CLASS_LOSS:
        return fitted_usual_indexed;
    default: /* helpers of products: layout changes, sums of parts, fills */
        return fitted_usual_helper;
    }
}

/* ---- of a kernel ---- */

typedef struct pace {
    double share, begin_floors; /* of the roof, in the end; half of that after so many floors */
} pace;

double usual_own_ns(const habitat_gpu *gpu, double time_ns) {
    return time_ns - fmin(time_ns, formula_kernel_floor_ns(gpu));
}

static double share_of_named(const habitat_workload *w, const habitat_workload_kernel *kernel) {
    return workload_lacks_shapes(w) && !workload_is_product(kernel)
               ? share_by_name(kernel->kernel->form->name)
               : NAN;
}

bool usual_of_memory(const habitat_workload *w, const habitat_workload_kernel *kernel) {
    return !isnan(share_of_named(w, kernel));
}

/* Convolutions of a recording without shapes; elsewhere none are unknown but odd ones. */
static pace conv_pace(const habitat_workload_kernel *kernel) {
    double share = kernel->facts.dtype == HABITAT_DTYPE_FP32   ? fitted_unsized_conv_plain
                   : kernel->facts.dtype == HABITAT_DTYPE_TF32 ? fitted_unsized_conv_tf32
                                                               : fitted_unsized_conv_half;
    return (pace){share, fitted_unsized_conv_floors};
}

static pace pace_of_kernel(const habitat_workload *w, const habitat_workload_kernel *kernel) {
    double named = share_of_named(w, kernel);
    if (!isnan(named))
        return (pace){named, chosen_unknown_begin_floors};
    if (workload_lacks_shapes(w) && workload_is_product(kernel) &&
        kernel->op_class == HABITAT_CLASS_CONV)
        return conv_pace(kernel);
    return (pace){workload_is_product(kernel) ? arithmetic_share(kernel) : memory_share(kernel),
                  chosen_unknown_begin_floors};
}

double usual_part(const habitat_workload *w, const habitat_workload_kernel *kernel, double own_ns) {
    pace p = pace_of_kernel(w, kernel);
    double sms = w->origin->sm_count;
    double filled = kernel->facts.blocks ? fmin(1.0, (double)kernel->facts.blocks / sms) : 1.0;
    double begun = own_ns / (own_ns + p.begin_floors * formula_kernel_floor_ns(w->origin));
    return p.share * filled * begun;
}
