/* Method auto: operator models for the operations they know (auto_models.c), a rule for every other
 * kernel (auto_rule.c). One operation without a measurement: the models, else sustained rates, what
 * a matrix product loses to whole tiles and waves, and the cost any kernel has.
 * docs/formulas.md#auto, docs/formulas.md#operation */
#include <stdlib.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "predict/auto_models.h"
#include "predict/auto_rule.h"
#include "predict/plug.h"
#include "predict/tiles.h"
#include "predict/usual.h"
#include "work/class.h"

typedef struct auto_state {
    auto_rule rule;
    auto_models models;
} auto_state;

static void forget(void *state) {
    auto_state *own = state;
    if (!own)
        return;
    auto_rule_free(&own->rule);
    auto_models_free(&own->models);
    free(own);
}

static habitat_status prepare(const habitat_workload *w, const habitat_models *models, void **state,
                              habitat_error *err) {
    auto_state *own = calloc(1, sizeof *own);
    habitat_status status = HABITAT_OK;
    if (!own || auto_rule_prepare(w, &own->rule) != HABITAT_OK)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    else
        status = auto_models_prepare(w, models, &own->models, err);
    if (status == HABITAT_OK)
        *state = own;
    else
        forget(own);
    return status;
}

static habitat_status groups(const scaling *s, const void *state, operator_answers *answers,
                             size_t *operations, habitat_error *err) {
    const auto_state *own = state;
    return auto_models_answer(s, &own->models, answers, operations, err);
}

static scaled kernel(const scaling *s, const void *state, size_t i) {
    const auto_state *own = state;
    return auto_rule_kernel(s, &own->rule, i);
}

static size_t binding(const void *state, size_t i) {
    const auto_state *own = state;
    return own->rule.lead[i];
}

/* Measurements of NVIDIA's GPUs alone check the intervals. */
static bool calibrated(const scaling *s) {
    return s->origin->compute_capability && s->dest->compute_capability;
}

static habitat_status by_rule(const method_question *q, method_answer *out, habitat_error *err) {
    if (!formula_usable(q->gpu->boost_clock_hz))
        return habitat_fail(err, HABITAT_E_NO_SPEC, "%s lists no boost clock", q->gpu->name);
    habitat_status status = single_check(q, true, true, err);
    if (status != HABITAT_OK)
        return status;
    double floor_s = scaling_kernel_floor_ns(q->gpu) * 1e-9;
    double roof_s = formula_roofline_s(tiles_spent_flop(q->work, q->gpu), single_bytes(q),
                                       q->rates.flop_per_s, q->rates.bytes_per_s);
    double seconds = floor_s + (class_of(q->work->op_class)->product
                                    ? roof_s
                                    : usual_time_s(q->work->op_class, roof_s, floor_s));
    *out = (method_answer){.ms = seconds * 1e3, .method = HABITAT_METHOD_ROOFLINE};
    return HABITAT_OK;
}

const method_plug method_auto = {.name = "auto",
                                 .askable = true,
                                 .asks_models = true,
                                 .models = HABITAT_MODEL_AUTO,
                                 .marked = HABITAT_METHOD_LEARNED,
                                 .sustained = true,
                                 .prepare = prepare,
                                 .free = forget,
                                 .groups = groups,
                                 .kernel = kernel,
                                 .calibrated = calibrated,
                                 .binding = binding,
                                 .operation = by_rule};
