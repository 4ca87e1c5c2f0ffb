/* An iteration on its destinations: whose recording it is, its workload, one prediction a row. */
#include <stdio.h>

#include "ask/answer.h"
#include "ask/warnings.h"
#include "gpu/gpu.h"
#include "base/error.h"
#include "workload/workload.h"

/* What the caller says, unless the recording proves it wrong, else what the trace says. */
static habitat_status find_origin(const habitat_request *r, made_answer *out,
                                  const habitat_gpu **origin, habitat_error *err) {
    const habitat_device_facts *facts = &habitat_trace_get_info(r->trace)->device_facts;
    char note[512] = "", line[640];
    *origin = r->origin;
    if (!r->origin)
        return habitat_gpu_match(r->gpus, facts, origin, err);
    habitat_status status =
        habitat_gpu_check_origin(r->gpus, r->origin, facts, note, sizeof note, err);
    if (status != HABITAT_OK && r->origin_word && !err->file[0])
        snprintf(err->file, sizeof err->file, "%s", r->origin_word);
    if (status != HABITAT_OK || !*note)
        return status;
    snprintf(line, sizeof line, "%s: %s", r->origin_word ? r->origin_word : "origin", note);
    return warnings_add(out, HABITAT_ABOUT_REQUEST, line, err);
}

/* Where nothing is predicted, a recording of a GPU that nobody knows, or of none, is no error. */
static habitat_status take_workload(const habitat_request *r, made_answer *out,
                                    habitat_error *err) {
    const habitat_gpu *origin = NULL;
    habitat_error unknown = {0};
    if (r->workload || (r->no_predictions && !habitat_trace_get_info(r->trace)->device_count))
        return HABITAT_OK;
    habitat_status status = find_origin(r, out, &origin, &unknown);
    if (status != HABITAT_OK && status != HABITAT_E_MEMORY && r->no_predictions && !r->origin)
        return warnings_add(out, HABITAT_ABOUT_REQUEST, unknown.message, err);
    if (status != HABITAT_OK) {
        if (err)
            *err = unknown;
        return status;
    }
    status = habitat_workload_create(r->trace, origin, &out->own_workload, err);
    out->open.workload = out->own_workload;
    return status;
}

/* Only what was recorded can be replayed. */
static habitat_status take_replay(const habitat_request *r, made_answer *out, habitat_error *err) {
    const habitat_workload *w = out->open.workload;
    habitat_replay_options options = {.cpu_scale = r->cpu_scale};
    if (r->assemble == HABITAT_ASSEMBLE_SUM || (r->assemble == HABITAT_ASSEMBLE_USUAL && !w->trace))
        return HABITAT_OK;
    habitat_status status = habitat_replay_create(w, &options, &out->own_replay, err);
    out->open.replay = out->own_replay;
    return status;
}

/* A GPU whose specification has a gap is left out of many, and an error when it is all. */
static habitat_status predict_one(const habitat_predictor *predictor, const habitat_gpu *gpu,
                                  bool alone, made_answer *out, habitat_error *err) {
    habitat_error why = {0};
    habitat_prediction *made = NULL;
    char line[sizeof why.message + 128];
    habitat_status status = habitat_predictor_predict(predictor, gpu, &made, &why);
    if (status == HABITAT_OK && out->own_replay)
        status = habitat_replay_apply(out->own_replay, made, &why);
    if (status == HABITAT_E_NO_SPEC && !alone) {
        snprintf(line, sizeof line, "%s: left out: %s", gpu->name, why.message);
        return warnings_add(out, HABITAT_ABOUT_REQUEST, line, err);
    }
    if (status != HABITAT_OK) {
        habitat_prediction_free(made);
        if (err)
            *err = why;
        return status;
    }
    out->open.rows[out->open.row_count++] =
        (habitat_answer_row){.key = {.gpu = gpu, .gpu_count = 1}, .prediction = made};
    return HABITAT_OK;
}

habitat_status answer_iteration(const habitat_request *r, size_t count,
                                const habitat_gpu *const *destinations, made_answer *out,
                                habitat_error *err) {
    habitat_predictor *predictor = NULL;
    habitat_status status = take_workload(r, out, err);
    if (status != HABITAT_OK || r->no_predictions)
        return status;
    status = take_replay(r, out, err);
    if (status != HABITAT_OK)
        return status;
    status = habitat_predictor_create(out->open.workload, r->method, r->models, &predictor, err);
    for (size_t i = 0; status == HABITAT_OK && i < count; i++) {
        status = predict_one(predictor, destinations[i], count == 1, out, err);
        if (status != HABITAT_OK && err)
            err->index = i;
    }
    habitat_predictor_free(predictor);
    return status;
}
