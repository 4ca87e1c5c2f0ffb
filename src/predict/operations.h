/* Operations by their shapes, without a measurement to scale: `op`, `predict-ops`, workloads that
 * nobody timed. */
#ifndef HABITAT_PREDICT_OPERATIONS_H
#define HABITAT_PREDICT_OPERATIONS_H

#include <habitat/predict.h>

#include "base/arena.h"

/* What may answer. */
typedef struct operations_by {
    habitat_method method;
    const habitat_models *models; /* NULL: there are none */
    const char *models_name;      /* what messages call them; NULL: the library's own */
    habitat_model_use use;        /* which of them, where the method is auto */
    bool models_only;             /* what they do not know has no answer */
    bool untimed;                 /* of a recording without a GPU: messages speak of it */
    bool part; /* of an iteration: at the rate of another number format rather than not at all */
} operations_by;

/* Estimates of n operations on one GPU: operator models where the method asks them, in one call;
 * else the method's own rule.
 * questions: shape (n). A number format that the GPU lacks is taken as what it computes in instead.
 * arena:     keeps the reasons.
 * out:       shape (n); origin_ms NaN; without an estimate its times are NaN and the reason is
 * said. Returns HABITAT_OK; what is no matter of one operation: HABITAT_E_UNSUPPORTED (the method
 * has no answer without a measured time, or none without models), HABITAT_E_RANGE (measured
 * operations of the GPU's file), HABITAT_E_ARG, HABITAT_E_MEMORY. docs/formulas.md#operation */
habitat_status operations_predict(const operations_by *by, const habitat_gpu *gpu, size_t n,
                                  const habitat_model_query *questions, habitat_arena *arena,
                                  habitat_operation_estimate *out, habitat_error *err);

#endif
