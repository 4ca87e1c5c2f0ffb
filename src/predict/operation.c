/* One operation without a recording (`habitat op`): from its work and the GPU alone, by the
 * method's own rule. docs/formulas.md#operation */
#include <math.h>

#include "base/error.h"
#include "predict/estimate.h"
#include "predict/method.h"

static bool needs_no_recording(const method_plug *plug) {
    return plug->operation && !plug->needs_models;
}

static habitat_status check(const habitat_work *work, const method_plug *plug, habitat_error *err) {
    char list[METHOD_LIST_BYTES];
    if (!plug || !plug->askable)
        return habitat_fail(err, HABITAT_E_ARG, "not a method");
    if (!work->known || !formula_known(work->flop) ||
        !formula_known(work->read_bytes + work->write_bytes))
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "flop and bytes of this operation are unknown");
    if (!plug->operation || (plug->covers && !plug->covers(work))) {
        method_list(needs_no_recording, " or ", list, sizeof list);
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "method %s scales a measured time, and a single operation has none; "
                            "use %s, or predict from a trace",
                            plug->name, list);
    }
    return method_check_models(plug, err);
}

habitat_status habitat_predict_operation(const habitat_work *work, const habitat_gpu *gpu,
                                         habitat_method method, habitat_estimate *out,
                                         habitat_error *err) {
    if (!work || !gpu || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no operation or no GPU given");
    const method_plug *plug = method_of(method);
    habitat_status status = check(work, plug, err);
    if (status != HABITAT_OK)
        return status;
    method_question q = single_question(work, gpu, plug->sustained);
    method_answer answer = {0};
    status = plug->operation(&q, &answer, err);
    if (status != HABITAT_OK)
        return status;
    double width = estimate_default_width(false, answer.method);
    bool own = answer.low_ms > 0.0;
    *out = (habitat_estimate){
        .ms = answer.ms,
        .low_ms = own ? answer.low_ms : answer.ms / (1.0 + width),
        .high_ms = own ? answer.high_ms : answer.ms * (1.0 + width),
        .origin_ms = NAN,
        .method = answer.method,
        .bound = estimate_bound(gpu, work->flop, single_bytes(&q), q.rates, answer.ms),
    };
    return HABITAT_OK;
}
