/* Learned operator models in a prediction: this build carries none, and says so. */
#include "predict/operator_model.h"

#include "base/error.h"

habitat_status habitat_operator_model_predict(habitat_method method, const habitat_gpu *origin,
                                              const habitat_gpu *dest, size_t n,
                                              const habitat_operator_query *queries,
                                              habitat_operator_answer *out, habitat_error *err) {
    (void)origin;
    (void)dest;
    (void)n;
    (void)queries;
    (void)out;
    return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                        "method %s needs trained operator models, and this build has none; use "
                        "auto, wave, wave-large, flops, bandwidth or roofline",
                        habitat_method_name(method));
}
