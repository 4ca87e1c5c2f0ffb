/* What an operation without a recording computes in on a GPU, and at which rates. */
#include "predict/operation_question.h"

#include "base/error.h"
#include "gpu/gpu.h"
#include "work/class.h"
#include "formula/rates.h"

method_question operation_question(const habitat_model_query *query, const habitat_gpu *gpu,
                                   bool sustained) {
    const habitat_work *work = query->work;
    /* As asked: fp32 is fp32 on plain units, also in convolutions, where PyTorch takes TF32 unless
     * told otherwise; TF32 and 16-bit formats run on matrix units. */
    habitat_dtype arithmetic = query->arithmetic ? query->arithmetic : work->dtype;
    bool matrix_unit = class_of(work->op_class)->product;
    method_question q = {.work = work, .gpu = gpu, .arithmetic = arithmetic};
    habitat_arithmetic_rate(gpu, arithmetic, matrix_unit, false, &q.arithmetic, NULL);
    q.rates = (formula_rates){
        .flop_per_s = habitat_arithmetic_rate(gpu, arithmetic, matrix_unit, sustained, NULL, NULL),
        .bytes_per_s = habitat_memory_rate(gpu, sustained),
    };
    return q;
}

habitat_status operation_question_check(const method_question *q, bool arithmetic, bool memory,
                                        habitat_error *err) {
    if ((arithmetic && q->work->flop > 0.0 && !formula_usable(q->rates.flop_per_s)) ||
        (memory && !formula_usable(q->rates.bytes_per_s)))
        return habitat_fail(err, HABITAT_E_NO_SPEC, "%s lists no %s rate for this operation",
                            q->gpu->name, habitat_dtype_name(q->work->dtype));
    return HABITAT_OK;
}
