/* What an operation computes in where nobody says so. */
#include <habitat/question.h>

#include "work/class.h"

/* PyTorch's defaults: convolutions and recurrent layers may round fp32 tensors to TF32, matrix
 * products may not. */
habitat_dtype habitat_usual_arithmetic(const habitat_work *work) {
    bool rounds = class_of(work->op_class)->tf32_by_default;
    return rounds && work->dtype == HABITAT_DTYPE_FP32 ? HABITAT_DTYPE_TF32 : work->dtype;
}
