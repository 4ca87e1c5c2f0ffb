/* Learned operator models in a prediction: the ones built into the library. */
#include "predict/operator_model.h"

#include <stdlib.h>

#include "base/error.h"
#include "models/learned.h"

static habitat_status ask(const habitat_models *models, habitat_model_use use,
                          const habitat_gpu *dest, size_t n, const habitat_operator_query *queries,
                          habitat_operator_answer *out, habitat_error *err) {
    habitat_model_query *asked = calloc(n ? n : 1, sizeof *asked);
    habitat_model_estimate *found = calloc(n ? n : 1, sizeof *found);
    habitat_status status =
        asked && found ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; status == HABITAT_OK && i < n; i++)
        asked[i] =
            (habitat_model_query){.work = queries[i].work, .arithmetic = queries[i].arithmetic};
    if (status == HABITAT_OK)
        status = habitat_models_predict(models, use, 1, &dest, n, asked, found, err);
    for (size_t i = 0; status == HABITAT_OK && i < n; i++)
        out[i] = (habitat_operator_answer){found[i].covered, found[i].ms, found[i].low_ms,
                                           found[i].high_ms};
    free(asked);
    free(found);
    return status;
}

habitat_status habitat_operator_model_predict(habitat_method method, const habitat_gpu *origin,
                                              const habitat_gpu *dest, size_t n,
                                              const habitat_operator_query *queries,
                                              habitat_operator_answer *out, habitat_error *err) {
    /* The models predict from the destination alone. Where there is a measurement auto does better
     * (auto_models.c); where there is none, they are the best there is for GPUs of their kind. */
    bool paper = method == HABITAT_METHOD_MLP;
    bool alone = method == HABITAT_METHOD_AUTO && !origin && dest->compute_capability;
    const habitat_models *models = NULL;
    habitat_status status = paper || alone ? learned_builtin(&models, err) : HABITAT_OK;
    if (status != HABITAT_OK)
        return status;
    if (!models)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "method %s needs trained operator models, and this build has none; use "
                            "auto, wave, wave-large, flops, bandwidth or roofline",
                            habitat_method_name(method));
    return ask(models, paper ? HABITAT_MODEL_PAPER : HABITAT_MODEL_AUTO, dest, n, queries, out,
               err);
}
