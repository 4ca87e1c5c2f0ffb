/* Recorded ranks of one step: their order, their workloads, and what they do together elsewhere. */
#include "workload/ranks.h"

#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "ask/answer.h"
#include "ask/warnings.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "workload/workload.h"

habitat_status ranks_sort(const habitat_request *r, made_answer *out, habitat_error *err) {
    size_t order[WORKLOAD_RANKS_MAX];
    out->rank_traces = calloc(r->rank_count, sizeof *out->rank_traces);
    out->rank_workloads = calloc(r->rank_count, sizeof(habitat_workload *));
    if (!out->rank_traces || !out->rank_workloads)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    out->rank_count = r->rank_count;
    for (size_t i = 0; i < r->rank_count; i++)
        if (habitat_trace_get_info(r->ranks[i])->without_gpu)
            return habitat_fail_at(err, HABITAT_E_FORMAT, habitat_trace_get_info(r->ranks[i])->file,
                                   UINT64_MAX, 0,
                                   "recorded without a GPU: ranks need what their GPUs did");
    habitat_status status = ranks_order(r->ranks, r->rank_count, order, err);
    for (size_t i = 0; status == HABITAT_OK && i < r->rank_count; i++)
        out->rank_traces[i] = r->ranks[order[i]];
    if (status == HABITAT_OK)
        out->open.trace = out->rank_traces[0];
    return status;
}

/* All on the first one's GPU. */
static habitat_status check_gpu(const habitat_request *r, const habitat_trace *trace,
                                const habitat_gpu *origin, habitat_error *err) {
    const habitat_gpu *found = NULL;
    const habitat_trace_info *info = habitat_trace_get_info(trace);
    if (r->origin)
        return HABITAT_OK;
    habitat_status status = recorded_gpu(r, trace, &found, err);
    if (status == HABITAT_OK && found != origin)
        return habitat_fail_at(err, HABITAT_E_FORMAT, info->file, UINT64_MAX, 0,
                               "recorded on %s, and the first rank on %s: ranks need equal GPUs",
                               found->name, origin->name);
    return status;
}

/* As recorded, under the profiler. */
static habitat_status say(made_answer *out, habitat_error *err) {
    char line[WARNING_BYTES];
    const habitat_rank *ranks = out->open.ranks;
    size_t longest = 0, iterations = 0;
    habitat_trace_iterations(ranks[0].trace, &iterations);
    for (size_t r = 1; r < out->rank_count; r++)
        longest = ranks[r].waiting_ms > ranks[longest].waiting_ms ? r : longest;
    habitat_format(
        line, sizeof line,
        "%zu ranks replayed together. Their messages (%zu an iteration) take %.3g ms; what "
        "collectives last longer as recorded is waiting for other ranks, most on rank %zu, "
        "%.3g ms an iteration: it is not scaled, a message begins when the last rank comes to "
        "it",
        out->rank_count, out->open.message_count / (iterations ? iterations : 1),
        ranks[0].communication_ms, longest, ranks[longest].waiting_ms);
    return warnings_add(out, HABITAT_ABOUT_RECORDING, line, err);
}

/* Samples are those of one rank then. */
static habitat_status say_share(const habitat_workload *w, made_answer *out, habitat_error *err) {
    static const char line[] =
        "the ranks work on one batch together: they sum or pass on large tensors in the forward "
        "pass. Samples per second, and what is made of them, count one rank's batch once";
    return w->one_batch && w->batch_size ? warnings_add(out, HABITAT_ABOUT_RECORDING, line, err)
                                         : HABITAT_OK;
}

static habitat_status make_workloads(const habitat_gpu *origin, const rank_messages *m,
                                     made_answer *out, habitat_error *err) {
    habitat_status status = HABITAT_OK;
    for (size_t i = 0; status == HABITAT_OK && i < out->rank_count; i++)
        status = workload_create_rank(out->rank_traces[i], origin, m->taken_ns[i],
                                      &out->rank_workloads[i], err);
    if (status != HABITAT_OK)
        return status;
    out->open.workload = out->rank_workloads[0];
    status = say(out, err);
    return status == HABITAT_OK ? say_share(out->rank_workloads[0], out, err) : status;
}

/* Without predictions what was recorded is looked at, whatever GPU it was on. */
habitat_status ranks_take(const habitat_request *r, const habitat_gpu *origin, made_answer *out,
                          habitat_error *err) {
    rank_messages messages = {.message_ns = NULL};
    habitat_status status = HABITAT_OK;
    for (size_t i = 1; status == HABITAT_OK && !r->no_predictions && i < out->rank_count; i++)
        status = check_gpu(r, out->rank_traces[i], origin, err);
    if (status == HABITAT_OK)
        status = ranks_match(out->rank_traces, out->rank_count, &messages, err);
    if (status == HABITAT_OK)
        status = ranks_measure(&messages, out, err);
    if (status == HABITAT_OK && !r->no_predictions)
        status = make_workloads(origin, &messages, out, err);
    ranks_free(&messages);
    return status;
}

habitat_status ranks_replay(const habitat_request *r, made_answer *out, habitat_error *err) {
    habitat_replay_options options = {.cpu_scale = r->cpu_scale,
                                      .cpu_scale_doubt = r->cpu_scale_doubt};
    habitat_status status =
        replay_ranks_create((const habitat_workload *const *)out->rank_workloads, out->rank_count,
                            &options, &out->ranks, err);
    out->open.replay = &out->ranks.joint;
    return status;
}

/* The other ranks' predictions are needed for their kernels alone. */
habitat_status ranks_predict(const habitat_request *r, const habitat_predictor *first,
                             const habitat_gpu *gpu, const made_answer *out,
                             habitat_prediction **made, habitat_error *err) {
    habitat_prediction *all[WORKLOAD_RANKS_MAX] = {NULL};
    habitat_status status = habitat_predictor_predict(first, gpu, &all[0], err);
    for (size_t i = 1; status == HABITAT_OK && i < out->rank_count; i++) {
        habitat_predictor *predictor = NULL;
        status =
            habitat_predictor_create(out->rank_workloads[i], r->method, r->models, &predictor, err);
        if (status == HABITAT_OK)
            status = habitat_predictor_predict(predictor, gpu, &all[i], err);
        habitat_predictor_free(predictor);
    }
    if (status == HABITAT_OK)
        status = replay_ranks_apply(&out->ranks, all, r->gpu_count, err);
    if (status == HABITAT_OK) {
        *made = all[0];
        all[0] = NULL;
    }
    for (size_t i = 0; i < out->rank_count; i++)
        habitat_prediction_free(all[i]);
    return status;
}

void ranks_free_all(made_answer *out) {
    replay_ranks_free(&out->ranks);
    for (size_t i = 0; i < out->rank_count; i++)
        habitat_workload_free(out->rank_workloads[i]);
    free(out->rank_workloads);
    free(out->rank_traces);
}
