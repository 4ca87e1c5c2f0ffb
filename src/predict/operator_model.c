/* Learned operator models in a prediction. */
#include "predict/operator_model.h"

#include <stdlib.h>

#include <habitat/text.h>

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
        out[i] = (habitat_operator_answer){
            found[i].covered,
            found[i].ms,
            found[i].low_ms,
            found[i].high_ms,
            operator_analytic(&found[i].outside) ? HABITAT_METHOD_ROOFLINE : method,
            found[i].guessed,
            found[i].outside};
    free(found);
    return status;
}

void operator_answers_free(operator_answers *a) {
    free(a->each);
    free(a->ms);
    *a = (operator_answers){0};
}

bool operator_analytic(const habitat_outside *outside) {
    return outside->distance > 0;
}

void outside_text(const habitat_outside *outside, char *text) {
    if (!operator_analytic(outside)) {
        habitat_format(text, OUTSIDE_BYTES,
                       "nobody measured %s: taken as floating point of the same width, the "
                       "interval is a guess",
                       outside->size);
        return;
    }
    bool above = outside->value > outside->edge;
    habitat_format(
        text, OUTSIDE_BYTES,
        "%s %.6g is far beyond what was measured (%s %.6g): the time is mostly analytic, "
        "its interval a guess",
        outside->size, outside->value, above ? "at most" : "at least", outside->edge);
}
