/* A recorded iteration at another batch size or precision: what its operations do then
 * (rescale/scale.h), and what time that takes on the recording's GPU (rescale_times.c). */
#include "predict/rescale_times.h"
#include "predict/rescale_untimed.h"
#include "predict/rescale_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/predict.h>
#include <habitat/text.h>

#include "base/constants_scaling.h"
#include "base/error.h"
#include "kernels/conv_as_images.h"
#include "memory/model.h"
#include "models/learned.h"
#include "workload/recorded_format.h"

/* Batches n, n/2, n/4, .. of which the models' largest answer counts. */
enum { LEVELS = 4 };

/* What every group does at one batch size and its halves. */
typedef struct ladder {
    scale_group *levels[LEVELS];
    size_t count;
    uint32_t parts; /* forward passes that share the batch, as the first level tells */
} ladder;

static void ladder_free(ladder *l) {
    for (size_t i = 0; i < LEVELS; i++)
        free(l->levels[i]);
}

static habitat_status ladder_set(const habitat_workload *recorded, const habitat_workload *other,
                                 uint64_t batch, habitat_arena *arena, ladder *out,
                                 habitat_error *err) {
    habitat_status status = HABITAT_OK;
    do {
        scale_group *level = calloc(recorded->group_count + 1, sizeof *level);
        if (!level)
            return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        out->levels[out->count] = level;
        bool first = out->count++ == 0;
        status = scale_batch(recorded, other, batch, first ? arena : NULL, level,
                             first ? &out->parts : NULL, err);
        batch /= 2;
    } while (status == HABITAT_OK && batch && out->count < LEVELS);
    return status;
}

/* Changes are told from the recorded sizes: what they are from those of w. */
static void compare_with(const scale_group *before, size_t count, scale_group *after) {
    for (size_t g = 0; g < count; g++) {
        if (after[g].source == SCALE_STAYS)
            after[g].source = before[g].source;
        if (before[g].ratio > 0.0)
            after[g].ratio /= before[g].ratio;
    }
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

static habitat_status set_format_times(const habitat_workload *w, const scale_group *after,
                                       const rescale_answer *answers, const scale_added *added,
                                       const habitat_models *models, habitat_workload *out,
                                       habitat_error *err) {
    double *ns = calloc(out->kernel_count + 1, sizeof *ns);
    if (!ns)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t k = 0; k < w->kernel_count; k++)
        ns[k] = after[w->kernels[k].group].source == SCALE_GONE ? 0.0 : w->kernels[k].facts.time_ns;
    for (size_t g = 0; g < w->group_count; g++)
        if (after[g].source == SCALE_BY_FORMAT)
            rescale_format(w, g, &after[g], &answers[g], ns);
    habitat_status status = rescale_added(models, w->origin, out->kernel_count - w->kernel_count,
                                          added, ns + w->kernel_count, err);
    if (status == HABITAT_OK)
        status = scale_set_times(out, ns, err);
    free(ns);
    return status;
}

/* ---- how far it may be off ---- */

/* What is only taken to grow with the batch is the further off the further that goes: small kernels
 * fill no GPU, and of those that are known not to it is known in part. */
static double assumed_sigma(const habitat_workload *w, const scale_group *after,
                            const rescale_answer *answers, uint64_t batch) {
    double assumed = 0.0, idle = 0.0, all = 0.0;
    for (size_t g = 0; g < w->group_count; g++) {
        double ms = w->groups[g].origin_ms;
        bool taken = after[g].source == SCALE_ASSUMED || after[g].source == SCALE_IN_A_ROW;
        assumed += taken ? ms : 0.0;
        idle += !taken && rescale_leaves_idle(w, g, &after[g], &answers[g]) ? ms : 0.0;
        all += ms;
    }
    double doubt =
        (assumed < chosen_scale_assumed_share * all ? 0.0 : assumed) * fitted_scale_assumed_sigma +
        idle * fitted_scale_idle_sigma;
    return doubt > 0.0 ? doubt / all * fabs(log((double)batch / (double)w->batch_size)) : 0.0;
}

/* ---- one step ---- */

static habitat_status to_batch(const habitat_workload *w, const habitat_scale *scale,
                               const habitat_models *models, habitat_workload **out,
                               habitat_error *err) {
    const habitat_workload *first = w->recorded ? w->recorded : w;
    const habitat_workload *recorded = w->batch_size == first->batch_size ? w : first;
    habitat_arena arena = {0};
    ladder before = {0}, after = {0};
    scale_twins twins = {0};
    habitat_workload *made = NULL;
    rescale_answer *answers = calloc(w->group_count + 1, sizeof *answers);
    habitat_status status =
        answers ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK)
        status = ladder_set(recorded, scale->batch_from, scale->batch_size, &arena, &after, err);
    if (status == HABITAT_OK)
        status = rescale_check_shared(after.parts, scale->batch_size, err);
    if (status == HABITAT_OK && scale->batch_size != recorded->batch_size)
        status = rescale_check_grows(w, after.levels[0], err);
    if (status == HABITAT_OK && scale->batch_from)
        status = scale_check_twins(first, scale->batch_from, &twins, err);
    if (status == HABITAT_OK)
        status = ladder_set(recorded, scale->batch_from, w->batch_size, NULL, &before, err);
    if (status == HABITAT_OK)
        compare_with(before.levels[0], w->group_count, after.levels[0]);
    size_t levels = after.count < before.count ? after.count : before.count;
    if (status == HABITAT_OK)
        status = rescale_ask(models, w, levels, before.levels, after.levels, answers, err);
    if (status == HABITAT_OK && scale_derive(w, after.levels[0], 0, NULL, &made) != HABITAT_OK)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK) {
        made->batch_size = scale->batch_size;
        made->scale_sigma = hypot(hypot(w->scale_sigma, fitted_scale_sigma),
                                  assumed_sigma(w, after.levels[0], answers, scale->batch_size));
        status = set_times(w, after.levels[0], answers, made, err);
    }
    size_t by_values = status == HABITAT_OK ? rescale_count_by_values(w) : 0;
    if (by_values)
        made->scale_sigma = hypot(
            made->scale_sigma, rescale_values_sigma(w, after.levels[0], scale->batch_size, made));
    for (size_t i = 0; status == HABITAT_OK && w->recorded && i < w->warning_count; i++)
        status = scale_warn(made, w->warnings[i], err);
    if (status == HABITAT_OK)
        status =
            rescale_warn_of_batch(w, after.levels[0], after.parts, scale->batch_size, made, err);
    if (status == HABITAT_OK)
        status = rescale_warn_of_passes(recorded, after.parts, made, err);
    if (status == HABITAT_OK && by_values)
        status = rescale_warn_of_values(w, after.levels[0], by_values, made, err);
    if (status == HABITAT_OK)
        status = rescale_warn_of_twins(scale->batch_from, &twins, made, err);
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

static habitat_status warn_of_precision(const habitat_workload *w, const scale_group *after,
                                        habitat_workload *out, habitat_error *err) {
    double changed = 0.0, all = 0.0, added = 0.0, iterations = (double)out->info.iteration_count;
    size_t fused = 0;
    char text[400], whole[80] = "";
    for (size_t g = 0; g < out->group_count; g++)
        if (g >= w->group_count && out->groups[g].work->varying)
            fused++;
        else if (g >= w->group_count)
            added += out->groups[g].origin_ms;
        else
            all += w->groups[g].origin_ms,
                changed += after[g].source == SCALE_STAYS ? 0.0 : w->groups[g].origin_ms;
    if (fused)
        habitat_format(whole, sizeof whole, "; %.0f kernel%s of attention instead of its parts",
                       (double)fused / iterations, (double)fused > iterations ? "s" : "");
    habitat_format(
        text, sizeof text,
        "%s instead of %s: %.0f %% of the recorded time is in operations that change their "
        "format; %.0f casts and checks are added (%.2f ms)%s",
        habitat_precision_name(out->precision), recorded_format_words(w->format),
        100.0 * changed / all, (double)(out->group_count - w->group_count - fused) / iterations,
        added / iterations, whole);
    return scale_warn(out, text, err);
}

/* Share by which a step may take longer in strict fp32, converted from a format of the matrix
 * units: that of gradients for which libraries have few kernels, times what these may take more. */
static habitat_status doubt_gradients(const habitat_workload *w, const scale_group *after,
                                      habitat_workload *out, habitat_error *err) {
    double slow = 0.0, more = 0.0, most = 1.0, all = 0.0;
    char text[240];
    for (size_t g = 0; g < out->group_count; g++) {
        bool converted = g < w->group_count && after[g].source == SCALE_BY_FORMAT &&
                         after[g].arithmetic == HABITAT_DTYPE_FP32;
        double factor = converted ? conv_slow_factor(&after[g].work) : 1.0;
        slow += factor > 1.0 ? out->groups[g].origin_ms : 0.0;
        more += (factor - 1.0) * out->groups[g].origin_ms;
        most = fmax(most, factor);
        all += out->groups[g].origin_ms;
    }
    if (!(slow > 0.0))
        return HABITAT_OK;
    out->scale_slow = more / all;
    if (slow < chosen_format_least_share * all)
        return HABITAT_OK;
    habitat_format(text, sizeof text,
                   "%.0f %% of the time in fp32 is in gradients of convolutions with groups, "
                   "dilation or three dimensions: libraries have few kernels for them there, which "
                   "may take up to %g times as long",
                   100.0 * slow / all, most);
    return scale_warn(out, text, err);
}

static habitat_status to_precision(const habitat_workload *w, habitat_precision precision,
                                   const habitat_models *models, habitat_workload **out,
                                   habitat_error *err) {
    habitat_arena arena = {0};
    habitat_workload *made = NULL;
    scale_added *added = NULL;
    size_t added_count = 0;
    scale_group *after = calloc(w->group_count + 1, sizeof *after);
    scale_group *before = calloc(w->group_count + 1, sizeof *before);
    rescale_answer *answers = calloc(w->group_count + 1, sizeof *answers);
    habitat_status status = after && before && answers
                                ? HABITAT_OK
                                : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t g = 0; status == HABITAT_OK && g < w->group_count; g++)
        before[g].work = *w->groups[g].work;
    if (status == HABITAT_OK)
        status = scale_precision(w, precision, &arena, after, &added, &added_count, err);
    if (status == HABITAT_OK)
        status = rescale_ask(models, w, 1, &before, &after, answers, err);
    if (status == HABITAT_OK && scale_derive(w, after, added_count, added, &made) != HABITAT_OK)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK) {
        made->precision = precision;
        made->scale_sigma = fitted_scale_format_sigma;
        status = set_format_times(w, after, answers, added, models, made, err);
    }
    if (status == HABITAT_OK)
        status = warn_of_precision(w, after, made, err);
    if (status == HABITAT_OK)
        status = doubt_gradients(w, after, made, err);
    free(added);
    free(after);
    free(before);
    free(answers);
    habitat_arena_free(&arena);
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
        same[g] = (scale_group){.work = *w->groups[g].work, .ratio = 1.0};
    habitat_status status = same ? scale_derive(w, same, 0, NULL, out) : HABITAT_E_MEMORY;
    free(same);
    return status == HABITAT_OK ? status : habitat_fail(err, status, "out of memory");
}

/* What is left to do; RECORDED: nothing. */
static habitat_precision precision_to_make(const habitat_workload *w, const habitat_scale *scale) {
    if (!w->origin)
        return HABITAT_PRECISION_RECORDED;
    if (scale->precision && w->precision)
        return scale->precision == w->precision ? HABITAT_PRECISION_RECORDED : scale->precision;
    return precision_settle(w, scale->precision, scale->on);
}

/* Autocast keeps weights in fp32 and casts them. Where they are in 16 bit, the step has neither:
 * what it would take with both is not to be told from it, nor is it an autocast step as it is. */
static habitat_status check_half(const habitat_workload *w, habitat_precision asked,
                                 habitat_error *err) {
    recorded_format recorded = w->format;
    if (!recorded.half || !precision_is_amp(asked))
        return HABITAT_OK;
    return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                        "the step was recorded in %s throughout, weights too: autocast keeps "
                        "weights in fp32 and casts them; leave out %s, or record the step with "
                        "autocast or in fp32",
                        habitat_dtype_name(recorded.half), habitat_precision_name(asked));
}

/* Formats are recorded with the shapes: without them the recorded precision is not known either. */
static habitat_status check(const habitat_workload *w, bool batch, bool precision, bool asked,
                            habitat_error *err) {
    const habitat_workload *recorded = w->recorded ? w->recorded : w;
    bool moved = w->batch_size != recorded->batch_size, converted = w->precision != 0;
    if (!w->trace || (!w->origin && asked))
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "nothing was timed: another batch size or precision is that of the "
                            "operations that are asked");
    if (asked && recorded->lacks_arguments)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "no operation has its arguments (Concrete Inputs), without which "
                            "sizes of convolutions and recurrent layers are not known, nor what "
                            "they take in another format; record with PyTorch 2.1 or newer");
    if (asked && !habitat_trace_get_info(w->trace)->has_shapes)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "no operation has input shapes and formats, so nothing tells which of "
                            "them change with the precision; record with record_shapes=True, as "
                            "`habitat record` does");
    if ((precision && (moved || converted)) || (batch && moved && converted))
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "the workload was scaled already; scale the recording itself, in batch "
                            "size and precision at once");
    return HABITAT_OK;
}

/* Precision first: what it adds then grows with the batch. */
static habitat_status warn_of_memory(const habitat_workload *w, habitat_workload *out,
                                     habitat_error *err) {
    char text[320];
    return memory_explain_gap(w->memory, text, sizeof text) ? scale_warn(out, text, err)
                                                            : HABITAT_OK;
}

habitat_status habitat_workload_scale(const habitat_workload *w, const habitat_scale *scale,
                                      const habitat_models *models, habitat_workload **out,
                                      habitat_error *err) {
    if (!w || !scale || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no workload or nothing to scale it to");
    bool batch = scale->batch_size && scale->batch_size != w->batch_size;
    habitat_precision precision = precision_to_make(w, scale);
    habitat_workload *converted = NULL, *made = NULL;
    habitat_status status = check(w, batch, precision != 0, scale->precision != 0, err);
    if (status == HABITAT_OK)
        status = check_half(w, scale->precision, err);
    if (status == HABITAT_OK && !models)
        status = learned_builtin(&models, err);
    if (status != HABITAT_OK || (!batch && !precision))
        return status == HABITAT_OK ? as_it_is(w, out, err) : status;
    if (workload_is_untimed(w))
        return rescale_untimed(w->recorded ? w->recorded : w, scale->batch_size, out, err);
    if (precision)
        status = to_precision(w, precision, models, batch ? &converted : &made, err);
    if (status == HABITAT_OK && batch)
        status = to_batch(converted ? converted : w, scale, models, &made, err);
    if (status == HABITAT_OK)
        status = warn_of_memory(w, made, err);
    habitat_workload_free(converted);
    if (status == HABITAT_OK)
        *out = made;
    else
        habitat_workload_free(made);
    return status;
}
