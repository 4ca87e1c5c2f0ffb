/* Learned operator models in a prediction: the ones built into the library. */
#include "predict/operator_model.h"

#include <stdlib.h>

#include "base/error.h"
#include "models/learned.h"

habitat_status operator_models_there(bool *out, habitat_error *err) {
    const habitat_models *models = NULL;
    habitat_status status = learned_builtin(&models, err);
    if (status == HABITAT_OK)
        *out = models != NULL;
    return status;
}

habitat_status operator_models_ask(habitat_model_use use, habitat_method method,
                                   const habitat_gpu *gpu, size_t n,
                                   const habitat_model_query *queries, habitat_operator_answer *out,
                                   habitat_error *err) {
    const habitat_models *models = NULL;
    habitat_status status = learned_builtin(&models, err);
    if (status != HABITAT_OK)
        return status;
    if (!models)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED, "this build carries no operator models");
    habitat_model_estimate *found = calloc(n ? n : 1, sizeof *found);
    if (!found)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    status = habitat_models_predict(models, use, 1, &gpu, n, queries, found, err);
    for (size_t i = 0; status == HABITAT_OK && i < n; i++)
        out[i] = (habitat_operator_answer){found[i].covered, found[i].ms, found[i].low_ms,
                                           found[i].high_ms, method};
    free(found);
    return status;
}

habitat_status operator_models_ask_one(habitat_model_use use, habitat_method method,
                                       const method_question *q, bool *covered, method_answer *out,
                                       habitat_error *err) {
    habitat_model_query query = {.work = q->work, .arithmetic = q->arithmetic};
    habitat_operator_answer answer = {0};
    habitat_status status = operator_models_ask(use, method, q->gpu, 1, &query, &answer, err);
    if (status != HABITAT_OK)
        return status;
    *covered = answer.covered;
    if (answer.covered)
        *out = (method_answer){answer.ms, answer.low_ms, answer.high_ms, answer.method};
    return HABITAT_OK;
}
