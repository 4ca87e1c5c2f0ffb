/* Method auto: operator models for the operations they know (auto_models.c), a rule for every other
 * kernel (auto_rule.c). One operation without a measurement: the models, else sustained rates, what
 * a matrix product loses to whole tiles and waves, and the cost any kernel has.
 * docs/formulas.md#auto, docs/formulas.md#operation */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "formula/rates.h"
#include "gpu/gpu.h"
#include "kernels/conv3d_times.h"
#include "predict/auto_models.h"
#include "predict/auto_rule.h"
#include "predict/fallback.h"
#include "predict/plug.h"
#include "kernels/tiles.h"
#include "kernels/unmodelled_times.h"
#include "work/class.h"

typedef struct auto_state {
    unsized_convolutions told;
    auto_rule rule;
    auto_models models;
} auto_state;

static void forget(void *state) {
    auto_state *own = state;
    if (!own)
        return;
    unsized_convolutions_free(&own->told);
    auto_rule_free(&own->rule);
    auto_models_free(&own->models);
    free(own);
}

static habitat_status prepare(const habitat_workload *w, const habitat_models *models, void **state,
                              habitat_error *err) {
    auto_state *own = calloc(1, sizeof *own);
    habitat_status status = HABITAT_OK;
    if (!own || unsized_convolutions_prepare(w, &own->told) != HABITAT_OK ||
        auto_rule_prepare(w, &own->told, &own->rule) != HABITAT_OK)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    else
        status = auto_models_prepare(w, &own->told, models, &own->models, err);
    if (status == HABITAT_OK)
        *state = own;
    else
        forget(own);
    return status;
}

static scaled kernel(const scaling *s, const void *state, size_t i) {
    const auto_state *own = state;
    return auto_rule_kernel(s, &own->rule, i);
}

/* What a group takes where no answer stands for it [ms]. */
static double by_kernels_ms(const scaling *s, const auto_state *own, size_t g) {
    const habitat_workload_group *group = &s->w->groups[g];
    double sum_ns = 0.0;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        uint32_t k = s->w->group_index[group->first_kernel + i];
        scaled time = kernel(s, own, k);
        sum_ns += isnan(time.ns) ? fallback_kernel(s, &s->w->kernels[k]).ns : time.ns;
    }
    return sum_ns / HABITAT_NS_PER_MS;
}

static bool permitted(const scaling *s, const auto_state *own, const operator_answers *answers,
                      size_t g) {
    uint32_t q = own->models.of_group[g];
    return q != HABITAT_NONE && !isnan(answers->ms[g]) &&
           auto_models_permits(s, &own->models.questions[q]);
}

/* TF32 permits and does not force: its convolutions take what the rule makes of the recorded
 * kernels or what fp32 takes by the models, whichever is less for all of them together. One by one
 * the errors of both would be in the choice, always towards the quicker. */
static void choose_permitted(const scaling *s, const auto_state *own, operator_answers *answers) {
    double rule_ms = 0.0, strict_ms = 0.0;
    for (size_t g = 0; g < s->w->group_count; g++)
        if (permitted(s, own, answers, g)) {
            rule_ms += by_kernels_ms(s, own, g);
            strict_ms += answers->ms[g];
        }
    if (rule_ms > strict_ms)
        return;
    for (size_t g = 0; g < s->w->group_count; g++)
        if (permitted(s, own, answers, g))
            answers->ms[g] = NAN;
}

static habitat_status groups(const scaling *s, const void *state, operator_answers *answers,
                             size_t *operations, habitat_error *err) {
    const auto_state *own = state;
    habitat_status status = auto_models_answer(s, &own->models, answers, operations, err);
    if (status == HABITAT_OK && answers->ms)
        choose_permitted(s, own, answers);
    return status;
}

static const habitat_kernel_facts *binding(const scaling *s, const void *state, size_t i) {
    const auto_state *own = state;
    return auto_rule_facts(s->w, &own->rule, own->rule.lead[i]);
}

/* Measurements of NVIDIA's GPUs alone check the intervals. */
static bool calibrated(const scaling *s) {
    return s->origin->compute_capability && s->dest->compute_capability;
}

/* Kernels, or rounds of one, that follow each other: a recurrent layer's steps do. */
static double rounds_of(const habitat_work *work) {
    const habitat_rnn_shape *s = &work->shape.rnn;
    return work->op_class == HABITAT_CLASS_RNN ? fmax(1, s->steps * s->layers) : 1;
}

static habitat_status by_rule(const method_question *q, method_answer *out, habitat_error *err) {
    if (!formula_usable(q->gpu->boost_clock_hz))
        return habitat_fail(err, HABITAT_E_NO_SPEC, "%s lists no boost clock", q->gpu->name);
    habitat_status status = operation_question_check(q, true, true, err);
    if (status != HABITAT_OK)
        return status;
    double floor_s = formula_kernel_floor_ns(q->gpu) * 1e-9 * rounds_of(q->work);
    double roof_s =
        formula_roofline_s(tiles_spent_flop(q->work, q->gpu), operation_question_bytes(q),
                           q->rates.flop_per_s, q->rates.bytes_per_s);
    double own_s = conv3d_told(q->work, q->arithmetic, q->gpu)
                       ? conv3d_s(q->work, q->gpu, q->rates.bytes_per_s, floor_s)
                   : class_of(q->work->op_class)->product
                       ? roof_s
                       : unmodelled_s(q->work, q->gpu, roof_s, floor_s);
    double seconds = floor_s + own_s;
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
