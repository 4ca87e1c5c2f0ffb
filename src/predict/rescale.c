/* A recorded iteration at another batch size or precision: what its operations do then
 * (workload/scale.h), and what time that takes on the recording's GPU (rescale_times.c). */
#include "predict/rescale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <habitat/predict.h>

#include "base/constants.h"
#include "base/error.h"
#include "models/learned.h"

/* Batches n, n/2, n/4, .. of which the models' largest answer counts. */
enum { LEVELS = 4 };

/* What every group does at one batch size and its halves. */
typedef struct ladder {
    scale_group *levels[LEVELS];
    size_t count;
} ladder;

static void ladder_free(ladder *l) {
    for (size_t i = 0; i < LEVELS; i++)
        free(l->levels[i]);
}

static habitat_status ladder_set(const habitat_workload *recorded, const habitat_workload *other,
                                 uint64_t batch, habitat_arena *arena, ladder *out,
                                 habitat_error *err) {
    habitat_status status = HABITAT_OK;
    for (; status == HABITAT_OK && batch && out->count < LEVELS; batch /= 2) {
        scale_group *level = calloc(recorded->group_count + 1, sizeof *level);
        if (!level)
            return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        out->levels[out->count] = level;
        status = scale_batch(recorded, other, batch, out->count ? NULL : arena, level, err);
        out->count++;
    }
    return status;
}

/* ---- times ---- */

static habitat_status set_times(const habitat_workload *w, const scale_group *after,
                                const rescale_answer *answers, habitat_workload *out,
                                habitat_error *err) {
    double *ns = calloc(out->kernel_count + 1, sizeof *ns);
    if (!ns)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t k = 0; k < w->kernel_count; k++)
        ns[k] = w->kernels[k].facts.time_ns;
    for (size_t g = 0; g < w->group_count; g++)
        if (after[g].source != SCALE_STAYS)
            rescale_group(w, g, &after[g], &answers[g], ns);
    habitat_status status = scale_set_times(out, ns, err);
    free(ns);
    return status;
}

/* ---- what to say ---- */

static habitat_status warn_of_batch(const habitat_workload *w, const scale_group *after,
                                    uint64_t batch, habitat_workload *out, habitat_error *err) {
    double of[SCALE_GONE + 1] = {0.0}, all = 0.0;
    char text[400];
    for (size_t g = 0; g < w->group_count; g++) {
        of[after[g].source] += w->groups[g].origin_ms;
        all += w->groups[g].origin_ms;
    }
    snprintf(text, sizeof text,
             "batch size %llu instead of %llu: operations that carry the batch (%.0f %% of the "
             "time) were found %s; %.0f %% stay as recorded",
             (unsigned long long)batch, (unsigned long long)w->batch_size,
             100.0 * (of[SCALE_BY_SHAPES] + of[SCALE_BY_RECORDING] + of[SCALE_ASSUMED]) / all,
             of[SCALE_BY_RECORDING] > of[SCALE_BY_SHAPES] ? "from the second recording"
                                                          : "from shapes and layers",
             100.0 * of[SCALE_STAYS] / all);
    habitat_status status = scale_warn(out, text, err);
    if (status != HABITAT_OK || of[SCALE_ASSUMED] < chosen_scale_assumed_share * all)
        return status;
    snprintf(text, sizeof text,
             "%.0f %% of the time is in kernels without recorded shapes: taken to grow with the "
             "batch; record with shapes (`habitat record` does)",
             100.0 * of[SCALE_ASSUMED] / all);
    return scale_warn(out, text, err);
}

/* ---- one step ---- */

static habitat_status to_batch(const habitat_workload *w, const habitat_scale *scale,
                               const habitat_models *models, habitat_workload **out,
                               habitat_error *err) {
    const habitat_workload *recorded = w->recorded ? w->recorded : w;
    habitat_arena arena = {0};
    ladder before = {0}, after = {0};
    habitat_workload *made = NULL;
    rescale_answer *answers = calloc(w->group_count + 1, sizeof *answers);
    habitat_status status = answers ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK)
        status = ladder_set(recorded, scale->batch_from, scale->batch_size, &arena, &after, err);
    if (status == HABITAT_OK)
        status = ladder_set(recorded, scale->batch_from, w->batch_size, NULL, &before, err);
    size_t levels = after.count < before.count ? after.count : before.count;
    if (status == HABITAT_OK)
        status = rescale_ask(models, w, levels, before.levels, after.levels, answers, err);
    if (status == HABITAT_OK && scale_derive(w, after.levels[0], 0, NULL, &made) != HABITAT_OK)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK) {
        made->batch_size = scale->batch_size;
        made->scale_sigma = fitted_scale_sigma;
        status = set_times(w, after.levels[0], answers, made, err);
    }
    if (status == HABITAT_OK)
        status = warn_of_batch(w, after.levels[0], scale->batch_size, made, err);
    ladder_free(&before);
    ladder_free(&after);
    habitat_arena_free(&arena);
    free(answers);
    if (status == HABITAT_OK)
        *out = made;
    else
        habitat_workload_free(made);
    return status;
}

static habitat_status as_it_is(const habitat_workload *w, habitat_workload **out,
                               habitat_error *err) {
    scale_group *same = calloc(w->group_count + 1, sizeof *same);
    for (size_t g = 0; same && g < w->group_count; g++)
        same[g] = (scale_group){.work = w->groups[g].work, .ratio = 1.0};
    habitat_status status = same ? scale_derive(w, same, 0, NULL, out) : HABITAT_E_MEMORY;
    free(same);
    return status == HABITAT_OK ? status : habitat_fail(err, status, "out of memory");
}

static habitat_status check(const habitat_workload *w, habitat_error *err) {
    if (!w->origin || !w->trace)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "nothing was timed: another batch size or precision is that of the "
                            "operations that are asked");
    return HABITAT_OK;
}

habitat_status habitat_workload_scale(const habitat_workload *w, const habitat_scale *scale,
                                      const habitat_models *models, habitat_workload **out,
                                      habitat_error *err) {
    if (!w || !scale || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no workload or nothing to scale it to");
    habitat_status status = check(w, err);
    if (status == HABITAT_OK && !models)
        status = learned_builtin(&models, err);
    if (status != HABITAT_OK)
        return status;
    bool batch = scale->batch_size && (scale->batch_size != w->batch_size || !w->batch_size);
    return batch ? to_batch(w, scale, models, out, err) : as_it_is(w, out, err);
}
