/* Iterations of several GPUs, predicted from a recording on one, against measurements of the same
 * step on the same host. */
#include "lab/ddp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/csv.h>
#include <habitat/predict.h>
#include <habitat/replay.h>

#include "base/error.h"
#include "lab/recordings.h"

/* "resnet50", 64, "amp-bf16": the recording is resnet50_b64_amp_bf16_h200.json.gz. */
static void name_of(const habitat_csv_reader *table, char *out, size_t size) {
    const char *model = habitat_csv_text(table, "model");
    const char *precision = habitat_csv_text(table, "precision");
    const char *batch = habitat_csv_text(table, "batch");
    snprintf(out, size, "%s_b%s_%s", model ? model : "", batch ? batch : "",
             precision ? precision : "");
    for (char *c = out; *c; c++)
        *c = *c == '-' ? '_' : *c;
}

static habitat_status predict(const habitat_gpu_table *gpus, const char *folder, ddp_case *c,
                              habitat_error *err) {
    char file[RECORDING_NAME + 16];
    recording one = {0};
    habitat_replay *r = NULL;
    habitat_prediction *p = NULL;
    snprintf(file, sizeof file, "%s_h200.json.gz", c->name);
    habitat_status status = recording_open(gpus, folder, file, &one, err);
    if (status == HABITAT_OK)
        status = habitat_replay_create(one.workload, NULL, &r, err);
    if (status == HABITAT_OK)
        status = habitat_predict(one.workload, one.gpu, HABITAT_METHOD_AUTO, &p, err);
    if (status == HABITAT_OK)
        status = habitat_replay_apply_parallel(r, c->gpus, p, err);
    if (status == HABITAT_OK) {
        const habitat_workload_info *w = habitat_workload_get_info(one.workload);
        c->one_ms = w->iteration_ms;
        c->predicted_ms = p->iteration_ms;
        c->low_ms = p->low_ms;
        c->high_ms = p->high_ms;
        c->communication_ms = p->communication_ms;
        c->exposed_ms = p->exposed_ms;
        c->gpu_binds = w->bound_by == HABITAT_BY_GPU;
    }
    habitat_prediction_free(p);
    habitat_replay_free(r);
    recording_close(&one);
    return status;
}

habitat_status ddp_collect(const habitat_gpu_table *gpus, const char *folder, ddp_set *out,
                           habitat_error *err) {
    char path[4096], own[4096];
    habitat_csv_reader *table = NULL;
    const char *record = NULL;
    snprintf(own, sizeof own, "%s/two_gpus", folder);
    snprintf(path, sizeof path, "%s/two_gpus/measured_ddp.csv", folder);
    habitat_status status = habitat_csv_open(path, &table, err);
    while (status == HABITAT_OK) {
        status = habitat_csv_next(table, &record, err);
        if (status != HABITAT_OK || !record)
            break;
        ddp_case *grown = realloc(out->cases, (out->count + 1) * sizeof *grown);
        if (!grown) {
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
            break;
        }
        out->cases = grown;
        ddp_case *c = &grown[out->count++];
        *c = (ddp_case){.gpus = (uint32_t)habitat_csv_number(table, "gpus"),
                        .measured_ms = habitat_csv_number(table, "iteration_ms")};
        name_of(table, c->name, sizeof c->name);
        status = predict(gpus, own, c, err);
        snprintf(path, sizeof path, "%s/two_gpus/%s", folder, c->name);
        if (status == HABITAT_OK)
            status = lab_judge_ranks(gpus, path, &c->has_ranks, &c->ranks, err);
    }
    habitat_csv_close(table);
    return status;
}

void ddp_free(ddp_set *set) {
    free(set->cases);
    *set = (ddp_set){0};
}
