/* Iterations of several GPUs, predicted from a recording on one, against measurements of the same
 * step on the same host. */
#include "lab/ddp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <habitat/csv.h>
#include <habitat/predict.h>
#include <habitat/replay.h>
#include <habitat/text.h>

#include "base/error.h"
#include "lab/recordings.h"

/* From the recording `file`, in the case's precision if another one was recorded. */
static habitat_status predict(const habitat_gpu_table *gpus, const char *folder, const char *file,
                              ddp_case *c, habitat_error *err) {
    recording one = {0};
    habitat_workload *w = NULL;
    habitat_replay *r = NULL;
    habitat_prediction *p = NULL;
    habitat_scale scale = {.precision = c->precision};
    habitat_status status = recording_open(gpus, folder, file, &one, err);
    if (status == HABITAT_OK && one.gpu != c->gpu)
        status = habitat_fail_at(err, HABITAT_E_RANGE, file, UINT64_MAX, 0,
                                 "recorded on the %s, but its row was measured on the %s",
                                 habitat_gpu_name(one.gpu), habitat_gpu_name(c->gpu));
    if (status == HABITAT_OK)
        status = habitat_replay_create(one.workload, NULL, &r, err);
    if (status == HABITAT_OK)
        status = habitat_workload_scale(one.workload, &scale, NULL, &w, err);
    if (status == HABITAT_OK)
        status = habitat_predict(w, one.gpu, HABITAT_METHOD_AUTO, &p, err);
    if (status == HABITAT_OK)
        status = habitat_replay_apply_parallel(r, c->gpus, p, err);
    if (status == HABITAT_OK) {
        const habitat_workload_info *info = habitat_workload_get_info(one.workload);
        c->one_ms = info->iteration_ms;
        c->predicted_ms = p->iteration_ms;
        c->low_ms = p->low_ms;
        c->high_ms = p->high_ms;
        c->communication_ms = p->communication_ms;
        c->exposed_ms = p->exposed_ms;
        c->gpu_binds =
            c->precision ? p->bound_by == HABITAT_BY_GPU : info->bound_by == HABITAT_BY_GPU;
    }
    habitat_prediction_free(p);
    habitat_workload_free(w);
    habitat_replay_free(r);
    recording_close(&one);
    return status;
}

/* "33.8 33.7 33.9": the medians of groups of iterations, seconds apart. */
static double spread_of(const char *groups, double median) {
    double low = INFINITY, high = -INFINITY, value = 0;
    size_t used = 1;
    for (const char *next = groups ? groups : ""; used; next += used) {
        used = habitat_read_number(next, &value);
        low = used ? fmin(low, value) : low;
        high = used ? fmax(high, value) : high;
    }
    return low <= high && median > 0 ? (high - low) / median : 0;
}

/* The name of the row's recording without its ending, checked: it becomes a path. */
static habitat_status take_name(const habitat_csv_reader *table, ddp_case *c, habitat_error *err) {
    const char *name = habitat_csv_text(table, "recording");
    if (!name || !*name || strlen(name) >= sizeof c->name || strchr(name, '/'))
        return habitat_fail(err, HABITAT_E_RANGE,
                            "a row of measured_ddp.csv without the name of a recording");
    snprintf(c->name, sizeof c->name, "%s", name);
    return HABITAT_OK;
}

static habitat_status add_row(const habitat_gpu_table *gpus, const habitat_csv_reader *table,
                              ddp_set *out, habitat_error *err) {
    ddp_case *grown = realloc(out->cases, (out->count + 1) * sizeof *grown);
    if (!grown)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    out->cases = grown;
    ddp_case *c = &grown[out->count];
    *c = (ddp_case){.gpus = (uint32_t)habitat_csv_number(table, "gpus"),
                    .measured_ms = habitat_csv_number(table, "iteration_ms"),
                    .measured_one_ms = NAN};
    c->spread = spread_of(habitat_csv_text(table, "group_ms"), c->measured_ms);
    const char *gpu = habitat_csv_text(table, "gpu");
    habitat_status status = habitat_gpu_find(gpus, gpu ? gpu : "", &c->gpu, NULL, err);
    if (status == HABITAT_OK)
        status = take_name(table, c, err);
    if (status == HABITAT_OK)
        out->count++;
    return status;
}

static habitat_status read_rows(const habitat_gpu_table *gpus, const char *path, ddp_set *out,
                                habitat_error *err) {
    habitat_csv_reader *table = NULL;
    const char *record = NULL;
    habitat_status status = habitat_csv_open(path, &table, err);
    while (status == HABITAT_OK) {
        status = habitat_csv_next(table, &record, err);
        if (status != HABITAT_OK || !record)
            break;
        status = add_row(gpus, table, out, err);
    }
    habitat_csv_close(table);
    return status;
}

/* Rows of one GPU are no cases: they tell the others how fast that host is alone. */
static void take_one_gpu_out(ddp_set *set) {
    for (size_t i = 0; i < set->count; i++)
        for (size_t j = 0; set->cases[i].gpus == 1 && j < set->count; j++)
            if (strcmp(set->cases[i].name, set->cases[j].name) == 0)
                set->cases[j].measured_one_ms = set->cases[i].measured_ms;
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++)
        if (set->cases[i].gpus != 1)
            set->cases[kept++] = set->cases[i];
    set->count = kept;
}

/* Ranks of the step "resnet50_b64_tf32_h200" are named resnet50_b64_tf32.rank0.json.gz. */
static habitat_status judge_ranks(const habitat_gpu_table *gpus, const char *folder,
                                  const char *file, ddp_case *c, habitat_error *err) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%.*s", folder, (int)recording_step_length(file), file);
    return lab_judge_ranks(gpus, path, &c->has_ranks, &c->ranks, err);
}

static habitat_status collect(const habitat_gpu_table *gpus, const char *folder, ddp_set *out,
                              habitat_error *err) {
    char path[4096], file[RECORDING_NAME + 16];
    snprintf(path, sizeof path, "%s/measured_ddp.csv", folder);
    habitat_status status = read_rows(gpus, path, out, err);
    take_one_gpu_out(out);
    for (size_t i = 0; status == HABITAT_OK && i < out->count; i++) {
        snprintf(file, sizeof file, "%s.json.gz", out->cases[i].name);
        status = predict(gpus, folder, file, &out->cases[i], err);
        if (status == HABITAT_OK)
            status = judge_ranks(gpus, folder, file, &out->cases[i], err);
    }
    return status;
}

/* ---- from another precision ---- */

static bool holds_name(const recording_names *names, const char *file) {
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], file) == 0)
            return true;
    return false;
}

/* "vit_b64_amp_bf16_h200": file becomes "vit_b64_fp32_h200.json.gz", precision amp-bf16. False
 * where the step is fp32 itself, or in a precision without a name. */
static bool fp32_of(const char *name, char *file, size_t size, habitat_precision *precision) {
    const char *batch = recording_batch_part(name), *gpu = strrchr(name, '_');
    const char *word = batch ? batch + 2 + strspn(batch + 2, "0123456789") : NULL;
    char asked[32] = "";
    if (!word || *word != '_' || gpu <= word)
        return false;
    for (size_t i = 0; word + 1 + i < gpu && i + 1 < sizeof asked; i++) {
        asked[i] = word[1 + i] == '_' ? '-' : word[1 + i];
        asked[i + 1] = '\0';
    }
    snprintf(file, size, "%.*s_fp32%s.json.gz", (int)(word - name), name, gpu);
    return habitat_precision_from_name(asked, precision, NULL) == HABITAT_OK &&
           *precision > HABITAT_PRECISION_FP32;
}

/* Each step of `from` that was recorded in fp32 too, in its folder. */
static habitat_status collect_from_fp32(const habitat_gpu_table *gpus, const char *folder,
                                        const ddp_set *from, ddp_set *out, habitat_error *err) {
    recording_names names = {0};
    habitat_status status = recording_names_read(folder, &names, err);
    out->cases = calloc(from->count + 1, sizeof *out->cases);
    if (status == HABITAT_OK && !out->cases)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; status == HABITAT_OK && i < from->count; i++) {
        ddp_case c = from->cases[i];
        char file[RECORDING_NAME + 32];
        if (!fp32_of(c.name, file, sizeof file, &c.precision) || !holds_name(&names, file))
            continue;
        status = predict(gpus, folder, file, &c, err);
        c.has_ranks = false;
        out->cases[out->count] = c;
        out->count += status == HABITAT_OK;
    }
    recording_names_free(&names);
    return status;
}

habitat_status ddp_collect(const habitat_gpu_table *gpus, const char *folder, ddp_result *out,
                           habitat_error *err) {
    char own[4096];
    snprintf(own, sizeof own, "%s/two_gpus", folder);
    habitat_status status = collect(gpus, own, &out->seen, err);
    if (status == HABITAT_OK)
        status = collect(gpus, folder, &out->unseen, err);
    snprintf(own, sizeof own, "%s/two_h100s", folder);
    if (status == HABITAT_OK && access(own, F_OK) == 0)
        status = collect(gpus, own, &out->one_host, err);
    if (status == HABITAT_OK)
        status = collect_from_fp32(gpus, folder, &out->unseen, &out->from_fp32, err);
    return status;
}

void ddp_free(ddp_result *result) {
    free(result->seen.cases);
    free(result->unseen.cases);
    free(result->one_host.cases);
    free(result->from_fp32.cases);
    *result = (ddp_result){0};
}
