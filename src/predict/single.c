/* What an operation without a recording computes in, and at which rates. */
#include "predict/single.h"

#include "base/error.h"
#include "gpu/gpu.h"
#include "work/class.h"
#include "workload/workload.h"

/* What an operation's kernels compute in when no kernel name tells: PyTorch's defaults
 * (the class table says which may use TF32; 16-bit formats run on matrix units). */
static habitat_dtype default_arithmetic(const habitat_work *work, bool *matrix_unit) {
    const class_facts *facts = class_of(work->op_class);
    *matrix_unit = facts->product && work->dtype != HABITAT_DTYPE_FP32;
    if (work->dtype != HABITAT_DTYPE_FP32 || !facts->tf32_by_default)
        return work->dtype;
    *matrix_unit = true;
    return HABITAT_DTYPE_TF32;
}

method_question single_question(const habitat_work *work, const habitat_gpu *gpu, bool sustained) {
    bool matrix_unit = false;
    habitat_dtype arithmetic = default_arithmetic(work, &matrix_unit);
    method_question q = {.work = work, .gpu = gpu, .arithmetic = arithmetic};
    habitat_arithmetic_rate(gpu, arithmetic, matrix_unit, false, &q.arithmetic, NULL);
    q.rates = (formula_rates){
        .flop_per_s = habitat_arithmetic_rate(gpu, arithmetic, matrix_unit, sustained, NULL, NULL),
        .bytes_per_s = habitat_memory_rate(gpu, sustained),
    };
    return q;
}

habitat_status single_check(const method_question *q, bool arithmetic, bool memory,
                            habitat_error *err) {
    if ((arithmetic && q->work->flop > 0.0 && !formula_usable(q->rates.flop_per_s)) ||
        (memory && !formula_usable(q->rates.bytes_per_s)))
        return habitat_fail(err, HABITAT_E_NO_SPEC, "%s lists no %s rate for this operation",
                            q->gpu->name, habitat_dtype_name(q->work->dtype));
    return HABITAT_OK;
}
