/* See ranks.h. */
#include "lab/ranks.h"

#include <stdio.h>

#include <habitat/predict.h>
#include <habitat/trace.h>

#include "replay/ranks.h"
#include "workload/ranks.h"

enum { RANKS = 2 };

typedef struct pair {
    habitat_trace *traces[RANKS];
    rank_messages messages;
    habitat_workload *workloads[RANKS];
    replay_ranks replay;
    habitat_prediction *predictions[RANKS];
} pair;

static void pair_free(pair *p) {
    replay_ranks_free(&p->replay);
    ranks_free(&p->messages);
    for (int i = 0; i < RANKS; i++) {
        habitat_prediction_free(p->predictions[i]);
        habitat_workload_free(p->workloads[i]);
        habitat_trace_free(p->traces[i]);
    }
}

static void path_of(const char *stem, int rank, char *out, size_t size) {
    snprintf(out, size, "%s.rank%d.json.gz", stem, rank);
}

static habitat_status open_pair(const habitat_gpu_table *gpus, const char *stem, pair *p,
                                const habitat_gpu **gpu, habitat_error *err) {
    char path[4096];
    habitat_status status = HABITAT_OK;
    for (int i = 0; status == HABITAT_OK && i < RANKS; i++) {
        path_of(stem, i, path, sizeof path);
        status = habitat_trace_read(path, &p->traces[i], err);
    }
    if (status == HABITAT_OK)
        status =
            habitat_gpu_match(gpus, &habitat_trace_get_info(p->traces[0])->device_facts, gpu, err);
    if (status == HABITAT_OK)
        status = ranks_match((const habitat_trace *const *)p->traces, RANKS, &p->messages, err);
    for (int i = 0; status == HABITAT_OK && i < RANKS; i++)
        status = workload_create_rank(p->traces[i], *gpu, p->messages.taken_ns[i], &p->workloads[i],
                                      err);
    return status;
}

static habitat_status predict_pair(pair *p, const habitat_gpu *gpu, habitat_error *err) {
    habitat_replay_options options = {.withhold = true};
    habitat_status status = replay_ranks_create((const habitat_workload *const *)p->workloads,
                                                RANKS, &options, &p->replay, err);
    for (int i = 0; status == HABITAT_OK && i < RANKS; i++)
        status =
            habitat_predict(p->workloads[i], gpu, HABITAT_METHOD_AUTO, &p->predictions[i], err);
    return status == HABITAT_OK ? replay_ranks_apply(&p->replay, p->predictions, 0, err) : status;
}

habitat_status lab_judge_ranks(const habitat_gpu_table *gpus, const char *stem, bool *found,
                               ranks_case *out, habitat_error *err) {
    char path[4096];
    const habitat_gpu *gpu = NULL;
    pair p = {.messages = {.message_ns = NULL}};
    path_of(stem, 0, path, sizeof path);
    FILE *file = fopen(path, "rb");
    *found = file != NULL;
    if (!file)
        return HABITAT_OK;
    (void)fclose(file);
    habitat_status status = open_pair(gpus, stem, &p, &gpu, err);
    if (status == HABITAT_OK)
        status = predict_pair(&p, gpu, err);
    if (status == HABITAT_OK) {
        const habitat_prediction *made = p.predictions[0];
        *out = (ranks_case){.measured_ms = habitat_trace_get_info(p.traces[0])->iteration_ms,
                            .predicted_ms = made->iteration_ms,
                            .low_ms = made->low_ms,
                            .high_ms = made->high_ms,
                            .communication_ms = made->communication_ms,
                            .exposed_ms = made->exposed_ms,
                            .waiting_ms = made->waiting_ms};
    }
    pair_free(&p);
    return status;
}
