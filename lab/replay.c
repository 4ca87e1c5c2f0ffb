/* Replays of a folder of recordings: each against its own time; with that time withheld; one batch
 * size from another of the same run; one GPU from another. */
#include "lab/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/trace.h>

#include "base/constants_replay.h"
#include "base/error.h"
#include "lab/recordings.h"
#include "lab/replay_fit.h"

/* ---- one recording ---- */

/* Replay with the recorded kernels; `info` may be NULL. */
static habitat_status replay_with(const recording *o, const habitat_replay_options *options,
                                  habitat_replay_info *info, habitat_replay_result *out,
                                  habitat_error *err) {
    habitat_replay *r = NULL;
    habitat_status status = habitat_replay_create(o->workload, options, &r, err);
    if (status == HABITAT_OK)
        status = habitat_replay_run(r, NULL, out, err);
    if (status == HABITAT_OK && info)
        *info = *habitat_replay_get_info(r);
    habitat_replay_free(r);
    return status;
}

/* "resnet50_b16_fp32_h200.json.gz" -> "resnet50", 16, "resnet50_fp32_h200.json.gz" */
static void split_name(replay_case *c) {
    const char *batch = recording_batch_part(c->file);
    size_t length = batch ? (size_t)(batch - c->file) : recording_stem_length(c->file);
    const char *rest = batch ? batch + 2 + strspn(batch + 2, "0123456789") : "";
    snprintf(c->step, sizeof c->step, "%.*s%s", (int)length, c->file, rest);
    snprintf(c->model, sizeof c->model, "%.*s", (int)length, c->file);
    static const char *const modes[] = {"_inference", "_training"};
    for (int i = 0; i < 2; i++) {
        char *mode = strstr(c->model, modes[i]);
        if (mode)
            *mode = '\0';
    }
}

static habitat_status add_case(const habitat_gpu_table *gpus, const char *folder, const char *file,
                               replay_set *set, habitat_error *err) {
    replay_case *grown = realloc(set->cases, (set->count + 1) * sizeof *grown);
    if (!grown)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    set->cases = grown;
    replay_case *c = &grown[set->count];
    recording o = {0};
    habitat_replay_info info;
    habitat_replay_result result;
    *c = (replay_case){0};
    snprintf(c->file, sizeof c->file, "%s", file);
    split_name(c);
    habitat_status status = recording_open(gpus, folder, file, &o, err);
    if (status == HABITAT_OK && habitat_workload_get_info(o.workload)->iteration_recorded) {
        const habitat_workload_info *w = habitat_workload_get_info(o.workload);
        c->gpu = o.gpu;
        c->batch = habitat_trace_get_info(o.trace)->batch_size;
        c->measured_ms = w->iteration_ms;
        c->busy_ms = w->busy_ms;
        c->kernels = w->trace_kernel_count;
        c->spread = habitat_trace_get_info(o.trace)->iteration_spread;
        c->cpu_bound = w->bound_by == HABITAT_BY_CPU;
        status = replay_features(o.workload, c->features, NULL, err);
        if (status == HABITAT_OK)
            status = replay_with(&o, NULL, &info, &result, err);
        if (status == HABITAT_OK) {
            c->replayed_ms = result.iteration_ms;
            c->cpu_ms = info.cpu_ms;
            c->basis = info.cpu_basis;
            set->count++;
        }
    }
    recording_close(&o);
    return status;
}

/* ---- its own time withheld ---- */

static double by_rule_ms(const replay_case *c, const double *weights) {
    double ns = 0.0;
    for (int f = 0; f < REPLAY_FEATURES; f++)
        ns += weights[f] * c->features[f];
    return isfinite(ns) ? ns / HABITAT_NS_PER_MS : 0.0;
}

/* The origin's own interval is at least so wide: src/workload/bound.c. */
static const double kernels_factor = 1.03;

static habitat_status withhold(const habitat_gpu_table *gpus, const char *folder, replay_set *set,
                               replay_case *c, habitat_error *err) {
    double weights[REPLAY_FEATURES];
    recording o = {0};
    double *out[3] = {&c->withheld_ms, &c->low_ms, &c->high_ms};
    double cpu[3] = {chosen_replay_point, 1.0 / fitted_replay_factor, fitted_replay_factor};
    double kernels[3] = {1.0, 1.0 / kernels_factor, kernels_factor};
    habitat_status status = replay_fit(set, c->model, weights, err);
    double by_rule = status == HABITAT_OK ? by_rule_ms(c, weights) : NAN;
    if (status == HABITAT_OK)
        status = recording_open(gpus, folder, c->file, &o, err);
    for (int i = 0; status == HABITAT_OK && i < 3; i++) {
        habitat_replay *r = NULL;
        habitat_replay_options options = {.withhold = true, .cpu_ms = cpu[i] * by_rule};
        status = habitat_replay_create(o.workload, &options, &r, err);
        if (status == HABITAT_OK)
            status = replay_iteration_ms(r, NULL, kernels[i], 1.0, out[i], err);
        habitat_replay_free(r);
    }
    recording_close(&o);
    return status;
}

/* ---- another batch size, another GPU ---- */

static replay_pair *add_pair(replay_pair **list, size_t *count, size_t from, size_t to) {
    replay_pair *grown = realloc(*list, (*count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    *list = grown;
    grown[*count] = (replay_pair){.from = from, .to = to};
    return &grown[(*count)++];
}

/* Kernels of the one, CPU of the other. */
static habitat_status other_batch(const habitat_gpu_table *gpus, const char *folder,
                                  replay_set *set, size_t from, size_t to, habitat_error *err) {
    replay_pair *pair = add_pair(&set->batches, &set->batch_count, from, to);
    if (!pair)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    recording o = {0};
    habitat_replay_result result = {0};
    habitat_replay_options options = {.withhold = true, .cpu_ms = set->cases[from].cpu_ms};
    habitat_status status = recording_open(gpus, folder, set->cases[to].file, &o, err);
    if (status == HABITAT_OK)
        status = replay_with(&o, &options, NULL, &result, err);
    pair->replayed_ms = result.iteration_ms;
    pair->sum_ms = set->cases[to].busy_ms;
    recording_close(&o);
    return status;
}

static habitat_status other_gpu(const habitat_gpu_table *gpus, const char *folder, replay_set *set,
                                size_t from, size_t to, habitat_error *err) {
    replay_pair *pair = add_pair(&set->gpus, &set->gpu_count, from, to);
    if (!pair)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    recording o = {0};
    habitat_replay *r = NULL;
    habitat_prediction *p = NULL;
    habitat_status status = recording_open(gpus, folder, set->cases[from].file, &o, err);
    if (status == HABITAT_OK)
        status = habitat_predict(o.workload, set->cases[to].gpu, HABITAT_METHOD_AUTO, &p, err);
    if (status == HABITAT_OK)
        status = habitat_replay_create(o.workload, NULL, &r, err);
    if (status == HABITAT_OK) {
        pair->sum_ms = p->busy_ms;
        status = habitat_replay_apply(r, p, err);
    }
    if (status == HABITAT_OK) {
        pair->replayed_ms = p->iteration_ms;
        pair->low_ms = p->low_ms;
        pair->high_ms = p->high_ms;
    }
    habitat_replay_free(r);
    habitat_prediction_free(p);
    recording_close(&o);
    return status;
}

static habitat_status pair_up(const habitat_gpu_table *gpus, const char *folder, replay_set *set,
                              habitat_error *err) {
    habitat_status status = HABITAT_OK;
    for (size_t i = 0; status == HABITAT_OK && i < set->count; i++)
        for (size_t j = 0; status == HABITAT_OK && j < set->count; j++) {
            const replay_case *a = &set->cases[i], *b = &set->cases[j];
            size_t length = recording_step_length(a->file);
            if (a->batch != b->batch && strcmp(a->step, b->step) == 0)
                status = other_batch(gpus, folder, set, i, j, err);
            else if (a->gpu != b->gpu && length && length == recording_step_length(b->file) &&
                     memcmp(a->file, b->file, length) == 0)
                status = other_gpu(gpus, folder, set, i, j, err);
        }
    return status;
}

/* ---- a folder ---- */

static habitat_status read_folder(const habitat_gpu_table *gpus, const char *folder,
                                  replay_set *out, habitat_error *err) {
    recording_names names = {0};
    habitat_status status = recording_names_read(folder, &names, err);
    for (size_t i = 0; status == HABITAT_OK && i < names.count; i++)
        status = add_case(gpus, folder, names.items[i], out, err);
    recording_names_free(&names);
    return status;
}

habitat_status replay_collect(const habitat_gpu_table *gpus, const char *folder, replay_set *out,
                              habitat_error *err) {
    habitat_status status = read_folder(gpus, folder, out, err);
    if (status == HABITAT_OK && !out->count)
        return habitat_fail_at(err, HABITAT_E_ARG, folder, UINT64_MAX, 0,
                               "no recording here holds its time without the profiler; "
                               "`habitat record` notes it");
    if (status == HABITAT_OK)
        status = replay_fit(out, NULL, out->weights, err);
    for (size_t i = 0; status == HABITAT_OK && i < out->count; i++)
        status = withhold(gpus, folder, out, &out->cases[i], err);
    return status == HABITAT_OK ? pair_up(gpus, folder, out, err) : status;
}

void replay_free(replay_set *set) {
    free(set->cases);
    free(set->batches);
    free(set->gpus);
    *set = (replay_set){0};
}
