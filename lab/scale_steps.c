/* Whole steps at another batch size or precision and their intervals. */
#include "lab/scale_steps.h"

#include <habitat/predict.h>
#include <habitat/replay.h>
#include <habitat/trace.h>

#include "base/constants_recordings.h"

const double scale_doubts[SCALE_DOUBTS] = {1.0, 1.1, 1.2, 1.3, 1.4};

/* doubt 0: as built. */
static habitat_status replayed(const habitat_replay *r, const habitat_workload *w,
                               const habitat_gpu *gpu, double doubt, habitat_prediction **out,
                               habitat_error *err) {
    habitat_prediction *p = NULL;
    habitat_status status = habitat_predict(w, gpu, HABITAT_METHOD_AUTO, &p, err);
    if (status == HABITAT_OK && doubt > 0.0)
        p->cpu_doubt = doubt;
    if (status == HABITAT_OK)
        status = habitat_replay_apply(r, p, err);
    if (status == HABITAT_OK)
        *out = p;
    else
        habitat_prediction_free(p);
    return status;
}

static bool is_spread(const recording *of) {
    return habitat_trace_get_info(of->trace)->iteration_spread > chosen_much_spread;
}

habitat_status scale_judge_step(const recording *from, const habitat_workload *w,
                                const recording *to, scale_step *out, habitat_error *err) {
    const habitat_workload_info *truth = habitat_workload_get_info(to->workload);
    habitat_replay *r = NULL;
    habitat_prediction *p = NULL;
    scale_step made = {.known = truth->iteration_recorded,
                       .measured_ms = truth->iteration_ms,
                       .spread = is_spread(from) || is_spread(to)};
    habitat_status status = habitat_replay_create(from->workload, NULL, &r, err);
    if (status == HABITAT_OK)
        status = replayed(r, w, from->gpu, 0.0, &p, err);
    if (status == HABITAT_OK) {
        made.cpu_binds = p->bound_by == HABITAT_BY_CPU;
        made.predicted_ms = p->iteration_ms;
        made.low_ms = p->low_ms;
        made.high_ms = p->high_ms;
    }
    habitat_prediction_free(p);
    for (size_t d = 0; status == HABITAT_OK && d < SCALE_DOUBTS; d++) {
        status = replayed(r, w, from->gpu, scale_doubts[d], &p, err);
        if (status != HABITAT_OK)
            break;
        made.tried_low_ms[d] = p->low_ms;
        made.tried_high_ms[d] = p->high_ms;
        habitat_prediction_free(p);
    }
    habitat_replay_free(r);
    if (status == HABITAT_OK)
        *out = made;
    return status;
}
