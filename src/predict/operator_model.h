/* Where learned operator models enter a prediction: one batch of operations at a time.
 *
 * `mlp` and `habitat` ask for kernel-varying operations; `auto` asks for every operation with known
 * work and takes the answers it gets. A method without models says HABITAT_E_UNSUPPORTED. */
#ifndef HABITAT_PREDICT_OPERATOR_MODEL_H
#define HABITAT_PREDICT_OPERATOR_MODEL_H

#include <habitat/predict.h>

typedef struct habitat_operator_query {
    const habitat_work *work; /* known; borrowed for the call */
    habitat_dtype arithmetic; /* what the destination computes in; UNKNOWN = as the tensors */
    double origin_ms;         /* measured on the origin; NaN without a measurement */
} habitat_operator_query;

typedef struct habitat_operator_answer {
    bool covered;               /* false: the models do not cover this operation; no number */
    double ms, low_ms, high_ms; /* on the destination, 80 % interval */
} habitat_operator_answer;

/* Times of n operations on `dest`.
 * method: HABITAT_METHOD_MLP (the paper's inputs) or HABITAT_METHOD_AUTO.
 * origin: GPU of the measurements; NULL without.
 * out:    shape (n); untouched on error.
 * Returns HABITAT_OK; HABITAT_E_UNSUPPORTED (this build has no models for the method);
 * HABITAT_E_NO_SPEC. */
habitat_status habitat_operator_model_predict(habitat_method method, const habitat_gpu *origin,
                                              const habitat_gpu *dest, size_t n,
                                              const habitat_operator_query *queries,
                                              habitat_operator_answer *out, habitat_error *err);

#endif
