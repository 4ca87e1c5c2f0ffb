/* Usual shares: means over kernels of counted work in data/recordings, rounded. docs/formulas.md */
#include "predict/usual.h"

#include <string.h>

#include "work/class.h"

static bool named(const habitat_workload_kernel *kernel, const char *part) {
    return kernel->kernel->name && strstr(kernel->kernel->name, part);
}

/* ---- products: arithmetic ---- */

/* Bytes to which a CUTLASS kernel says its operands are aligned; 0 = it does not say. */
static double alignment_bytes(const habitat_workload_kernel *kernel) {
    const char *at = kernel->kernel->name ? strstr(kernel->kernel->name, "_align") : NULL;
    if (!at || at[6] < '1' || at[6] > '9')
        return 0.0;
    return (double)(at[6] - '0') * (double)habitat_dtype_bytes(kernel->facts.dtype);
}

/* Matrix products and convolutions on matrix units: which library made the kernel, and how wide it
 * can load, is in its name. */
static double matrix_share(const habitat_workload_kernel *kernel) {
    bool conv = kernel->op_class == HABITAT_CLASS_CONV;
    double aligned = alignment_bytes(kernel);
    if (aligned > 0.0 && aligned < 4.0)
        return 0.15;
    if (aligned > 0.0 && aligned < 8.0)
        return conv ? 0.2 : 0.3;
    if (aligned > 0.0)
        return 0.45;
    if (named(kernel, "nvjet"))
        return conv ? 0.7 : 0.95;
    return conv ? 0.45 : 0.7;
}

static double arithmetic_share(const habitat_workload_kernel *kernel) {
    /* fp32 has matrix units on few GPUs; the shares are those of plain units */
    bool matrix = kernel->facts.matrix_unit && kernel->facts.dtype != HABITAT_DTYPE_FP32;
    switch (kernel->op_class) {
    case HABITAT_CLASS_GEMM:
        return matrix ? matrix_share(kernel) : 0.95;
    case HABITAT_CLASS_BMM:
        return matrix ? 0.75 : 0.5;
    case HABITAT_CLASS_ATTENTION: /* fused ones of fp32 are slow everywhere */
        return habitat_dtype_bytes(kernel->facts.dtype) <= 2 ? 0.35 : 0.1;
    case HABITAT_CLASS_RNN:
        return matrix ? 0.2 : 0.4;
    default:
        return matrix ? matrix_share(kernel) : 0.3;
    }
}

/* ---- all others: memory ---- */

static double memory_share(const habitat_workload_kernel *kernel) {
    switch (kernel->op_class) {
    case HABITAT_CLASS_ELEMENTWISE:
    case HABITAT_CLASS_COPY:
    case HABITAT_CLASS_OTHER: /* PyTorch's kernels that go through memory in order say so */
        return named(kernel, "vectorized_elementwise") ? 0.95
               : named(kernel, "elementwise_kernel")   ? 0.4
                                                       : 0.7;
    case HABITAT_CLASS_OPTIMIZER:
        return 0.75;
    case HABITAT_CLASS_SOFTMAX:
        return 0.85;
    case HABITAT_CLASS_NORM:
    case HABITAT_CLASS_REDUCE:
        return 0.25;
    case HABITAT_CLASS_POOL:
    case HABITAT_CLASS_EMBEDDING:
    case HABITAT_CLASS_LOSS:
        return 0.1;
    default: /* helpers of products: layout changes, sums of parts, fills */
        return 0.5;
    }
}

double usual_share(const habitat_workload_kernel *kernel) {
    return kernel->main && class_of(kernel->op_class)->product ? arithmetic_share(kernel)
                                                               : memory_share(kernel);
}
