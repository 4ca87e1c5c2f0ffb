/* Learned operator models in a prediction. */
#include "predict/operator_model.h"

#include <stdlib.h>

#include "base/error.h"

habitat_status operator_models_ask(const habitat_models *models, habitat_model_use use,
                                   habitat_method method, const habitat_gpu *gpu, size_t n,
                                   const habitat_model_query *queries, habitat_operator_answer *out,
                                   habitat_error *err) {
    if (!models)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED, "this build carries no operator models");
    habitat_model_estimate *found = calloc(n ? n : 1, sizeof *found);
    if (!found)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    habitat_status status = habitat_models_predict(models, use, 1, &gpu, n, queries, found, err);
    for (size_t i = 0; status == HABITAT_OK && i < n; i++)
        out[i] = (habitat_operator_answer){found[i].covered, found[i].ms, found[i].low_ms,
                                           found[i].high_ms, method};
    free(found);
    return status;
}
