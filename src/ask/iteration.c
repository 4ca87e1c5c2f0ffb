/* An iteration on its destinations: whose recording it is, its workload, one prediction a row. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "ask/answer.h"
#include "ask/warnings.h"
#include "gpu/gpu.h"
#include "base/constants_intervals.h"
#include "base/constants_parallel.h"
#include "base/error.h"
#include "predict/interval.h"
#include "predict/kernel_times.h"
#include "predict/untimed.h"
#include "trace/gradients.h"
#include "workload/recorded_shapes.h"
#include "rescale/scale.h"
#include "workload/recorded_format.h"
#include "workload/workload.h"

/* What the caller says, unless the recording proves it wrong, else what the trace says. */
static habitat_status find_origin(const habitat_request *r, made_answer *out,
                                  const habitat_gpu **origin, habitat_error *err) {
    const habitat_device_facts *facts = &habitat_trace_get_info(r->trace)->device_facts;
    char note[512] = "", line[640];
    *origin = r->origin;
    if (!r->origin)
        return recorded_gpu(r, r->trace, origin, err);
    habitat_status status =
        habitat_gpu_check_origin(r->gpus, r->origin, facts, note, sizeof note, err);
    if (status != HABITAT_OK && r->origin_word && !err->file[0])
        snprintf(err->file, sizeof err->file, "%s", r->origin_word);
    if (status != HABITAT_OK || !*note)
        return status;
    snprintf(line, sizeof line, "%s: %s", r->origin_word ? r->origin_word : "origin", note);
    return warnings_add(out, HABITAT_ABOUT_REQUEST, line, err);
}

static habitat_status refuse_origin(const habitat_request *r, habitat_error *err) {
    return habitat_fail(err, HABITAT_E_ARG,
                        "recorded without a GPU, so there is none that it ran on; leave out %s",
                        r->origin_word ? r->origin_word : "the origin");
}

static habitat_status take_shapes(const habitat_request *r, made_answer *out, habitat_error *err) {
    if (r->origin)
        return refuse_origin(r, err);
    habitat_status status = workload_from_shapes_of(r->trace, &out->own_workload, err);
    out->open.workload = out->own_workload;
    return status;
}

/* Where nothing is predicted, a recording of a GPU that nobody knows, or of none, is no error. */
static habitat_status take_workload(const habitat_request *r, made_answer *out,
                                    habitat_error *err) {
    const habitat_gpu *origin = NULL;
    habitat_error unknown = {0};
    if (r->workload)
        return HABITAT_OK;
    if (r->no_predictions && r->rank_count) {
        habitat_status made = ranks_take(r, NULL, out, err);
        if (made != HABITAT_OK)
            return made;
    }
    if (r->no_predictions && !habitat_trace_get_info(r->trace)->device_count)
        return r->origin ? refuse_origin(r, err) : HABITAT_OK;
    if (habitat_trace_get_info(r->trace)->without_gpu)
        return take_shapes(r, out, err);
    habitat_status status = find_origin(r, out, &origin, &unknown);
    if (status != HABITAT_OK && status != HABITAT_E_MEMORY && r->no_predictions && !r->origin)
        return warnings_add(out, HABITAT_ABOUT_REQUEST, unknown.message, err);
    if (status != HABITAT_OK) {
        if (err)
            *err = unknown;
        return status;
    }
    if (r->rank_count && !r->no_predictions)
        return ranks_take(r, origin, out, err);
    return devices_take(r, origin, out, err);
}

static uint32_t most_gpus(const habitat_request *r) {
    uint32_t most = r->gpu_count;
    for (size_t i = 0; i < r->gpu_counts_count; i++)
        most = r->gpu_counts[i] > most ? r->gpu_counts[i] : most;
    return most;
}

/* What is asked of measured times, where nothing was measured. */
static habitat_status check_timed(const habitat_request *r, const habitat_workload *w,
                                  habitat_error *err) {
    if (w->origin && r->cpu_scale_of_middle)
        return habitat_fail(err, HABITAT_E_ARG,
                            "--host needs --recorded-host FILE, a calibration of the host that "
                            "recorded");
    if (w->origin)
        return HABITAT_OK;
    if (r->batch_from || r->precision)
        return habitat_fail(err, HABITAT_E_ARG,
                            r->precision ? "recorded without a GPU, so no measured time can be "
                                           "scaled; for another precision, record its script so"
                                         : "recorded without a GPU: what grows with the batch is "
                                           "told from its shapes; leave out the second recording");
    if (r->cpu_scale_doubt > 1.0 && !r->cpu_scale_of_middle)
        return habitat_fail(err, HABITAT_E_ARG,
                            "recorded without a GPU: times are not those of a host; leave out "
                            "--recorded-host");
    return HABITAT_OK;
}

/* A step of copies alone is none: the profiler left the kernels out. */
static habitat_status check_kernels(const habitat_workload *w, habitat_error *err) {
    if (w->info.trace_kernel_count || !w->origin)
        return HABITAT_OK;
    return habitat_fail(err, HABITAT_E_NO_GPU,
                        "the trace holds %zu copies and sets of the GPU, and not one kernel; "
                        "record it again, with GPU activities switched on",
                        w->info.trace_copy_count);
}

/* Only what was recorded can be replayed. */
static habitat_status take_replay(const habitat_request *r, made_answer *out, habitat_error *err) {
    const habitat_workload *w = out->open.workload;
    habitat_replay_options options = {.cpu_scale = r->cpu_scale,
                                      .cpu_scale_doubt = r->cpu_scale_doubt};
    if (r->rank_count)
        return ranks_replay(r, out, err);
    if (r->assemble == HABITAT_ASSEMBLE_SUM || !w->trace)
        return HABITAT_OK;
    habitat_status status = habitat_replay_create(w, &options, &out->own_replay, err);
    out->open.replay = out->own_replay;
    return status;
}

/* ---- other batch sizes, another precision ---- */

static size_t count_batches(const habitat_request *r) {
    return r->batch_size_count ? r->batch_size_count : 1;
}

static size_t count_numbers(const habitat_request *r) {
    return r->gpu_counts_count ? r->gpu_counts_count : 1;
}

size_t answer_rows_each(const habitat_request *r) {
    return count_batches(r) * count_numbers(r);
}

/* The other recording's size may have been said as well. */
static habitat_status check_other(const habitat_workload *other, habitat_error *err) {
    habitat_error found = {0};
    habitat_status status = scale_check_said(other, &found);
    if (status == HABITAT_E_ARG)
        return habitat_fail(err, status, "the second recording: %s", found.message);
    return status == HABITAT_OK ? status : habitat_fail(err, status, "%s", found.message);
}

/* The second recording is of the same GPU: its times are not looked at, its shapes are. */
static habitat_status take_other(const habitat_request *r, made_answer *out, habitat_error *err) {
    char line[WARNING_BYTES];
    if (!r->batch_from)
        return HABITAT_OK;
    habitat_status status = habitat_workload_create(
        r->batch_from, habitat_workload_get_info(out->open.workload)->origin, &out->other, err);
    if (status == HABITAT_OK)
        status = check_other(out->other, err);
    if (status == HABITAT_OK && warn_of_versions(habitat_trace_get_info(out->open.workload->trace),
                                                 habitat_trace_get_info(r->batch_from), line))
        status = warnings_add(out, HABITAT_ABOUT_RECORDING, line, err);
    return status;
}

static bool is_scaled(const habitat_request *r) {
    return r->batch_size_count || r->precision;
}

static bool is_said(const made_answer *out, const char *text) {
    for (size_t i = 0; i < out->open.warning_count; i++)
        if (strcmp(out->open.warnings[i].text, text) == 0)
            return true;
    return false;
}

/* Precisions that a step may come to on one GPU or another, RECORDED among them. */
enum { PRECISIONS = HABITAT_PRECISION_AMP_BF16 + 1 };

/* "batch size 8 instead of 4: .." and the same of others in one line: "batch sizes 8, 16 instead of
 * 4: ..". Their numbers; NULL: it is no such note. */
static const char *batches_of(const char *text, size_t *length) {
    static const char *const begins[] = {"batch size ", "batch sizes "};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        size_t size = strlen(begins[i]), numbers = strspn(text + size, "0123456789, ");
        if (strncmp(text, begins[i], size) != 0 || !numbers ||
            strncmp(text + size + numbers, "instead of ", strlen("instead of ")) != 0)
            continue;
        *length = numbers - 1; /* the space */
        return text + size;
    }
    return NULL;
}

static bool is_in_list(const char *list, size_t list_length, const char *number, size_t length) {
    for (size_t at = 0; at < list_length; at += strspn(list + at, "0123456789")) {
        at += strspn(list + at, ", ");
        if (strspn(list + at, "0123456789") == length && strncmp(list + at, number, length) == 0)
            return true;
    }
    return false;
}

/* *joined: whether it went into a note that another batch size has in the same words. */
static habitat_status join_batches(const char *text, made_answer *out, bool *joined,
                                   habitat_error *err) {
    enum { MOST = 4096 };
    char line[MOST];
    size_t length = 0, told = 0;
    const char *batch = batches_of(text, &length);
    *joined = false;
    for (size_t i = 0; batch && i < out->open.warning_count; i++) {
        const char *before = out->warnings[i].text, *batches = batches_of(before, &told);
        if (!batches || strcmp(batches + told, batch + length) != 0 ||
            strlen(before) + length + 8 > sizeof line)
            continue;
        *joined = true;
        if (is_in_list(batches, told, batch, length))
            return HABITAT_OK; /* by another precision */
        int used = snprintf(line, sizeof line, "batch sizes %.*s, %.*s%s", (int)told, batches,
                            (int)length, batch, batch + length);
        const char *kept = habitat_arena_string(&out->arena, line, (size_t)used);
        if (!kept)
            return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        out->warnings[i].text = kept;
        return HABITAT_OK;
    }
    return HABITAT_OK;
}

static habitat_status tell_notes(const habitat_workload *w, made_answer *out, habitat_error *err) {
    size_t count = 0;
    bool joined = false;
    habitat_status status = HABITAT_OK;
    const char *const *said = habitat_workload_warnings(w, &count);
    for (size_t k = 0; status == HABITAT_OK && k < count; k++) {
        if (is_said(out, said[k]))
            continue;
        status = join_batches(said[k], out, &joined, err);
        if (status == HABITAT_OK && !joined)
            status = warnings_add(out, HABITAT_ABOUT_RECORDING, said[k], err);
    }
    return status;
}

/* Ranks are replayed together as they were recorded. */
static habitat_precision settle(const habitat_request *r, const habitat_workload *w,
                                const habitat_gpu *gpu) {
    return r->rank_count ? HABITAT_PRECISION_RECORDED : precision_settle(w, r->precision, gpu);
}

/* The workload of row set i on GPUs where the precision asked for comes to `settled`, of which
 * `gpu` is one: the recorded one where nothing else is asked. */
static habitat_status take_scaled(const habitat_request *r, size_t i, habitat_precision settled,
                                  const habitat_gpu *gpu, made_answer *out,
                                  const habitat_workload **w, habitat_error *err) {
    habitat_workload **made =
        is_scaled(r) || settled ? &out->scaled[i * PRECISIONS + settled] : NULL;
    habitat_scale scale = {.batch_size = r->batch_size_count ? r->batch_sizes[i] : 0,
                           .batch_from = out->other,
                           .precision = r->precision,
                           .on = gpu};
    *w = out->open.workload;
    if (!made)
        return HABITAT_OK;
    habitat_status status = habitat_workload_scale(*w, &scale, r->models, made, err);
    if (status == HABITAT_OK)
        *w = *made;
    return status;
}

/* ---- rows ---- */

uint32_t answer_gpus(const habitat_request *r) {
    return r->gpu_count ? r->gpu_count : r->rank_count ? (uint32_t)r->rank_count : 1;
}

static habitat_answer_row row_of(const habitat_request *r, size_t i, const made_answer *out,
                                 habitat_prediction *made) {
    bool devices = out->open.workload->all_devices;
    return (habitat_answer_row){
        .key = {.gpu = made->gpu,
                .batch_size = r->batch_size_count ? r->batch_sizes[i] : 0,
                .precision = r->precision,
                .gpu_count = devices ? (uint32_t)out->device_count : answer_gpus(r)},
        .prediction = made};
}

/* A GPU whose specification has a gap is left out of many, and an error when it is all. */
static habitat_status predict_one(const habitat_request *r, size_t i, const habitat_workload *w,
                                  const habitat_predictor *predictor, const habitat_gpu *gpu,
                                  bool alone, made_answer *out, habitat_error *err) {
    habitat_error why = {0};
    habitat_prediction *made = NULL;
    char line[sizeof why.message + 128];
    habitat_status status = r->rank_count ? ranks_predict(r, predictor, gpu, out, &made, &why)
                                          : habitat_predictor_predict(predictor, gpu, &made, &why);
    if (status == HABITAT_OK && out->own_replay)
        status = r->sharded
                     ? habitat_replay_apply_sharded(out->own_replay, answer_gpus(r), made, &why)
                     : habitat_replay_apply_parallel(out->own_replay, answer_gpus(r), made, &why);
    if (status == HABITAT_E_NO_SPEC && !alone) {
        habitat_prediction_free(made);
        snprintf(line, sizeof line, "%s: left out: %s", gpu->name, why.message);
        return is_said(out, line) ? HABITAT_OK
                                  : warnings_add_kind(out, HABITAT_ABOUT_REQUEST,
                                                      HABITAT_WARNING_LEFT_OUT, line, err);
    }
    if (status != HABITAT_OK) {
        habitat_prediction_free(made);
        if (err)
            *err = why;
        return status;
    }
    out->row_workloads[out->open.row_count] = w;
    habitat_answer_row *row = &out->open.rows[out->open.row_count++];
    *row = row_of(r, i, out, made);
    status = devices_finish(out, made, row, err);
    if (r->totals)
        prediction_forget_kernels(made);
    return status;
}

/* What rows of one batch size are predicted from, by the precision that a GPU settles on. */
typedef struct sources {
    const habitat_workload *workloads[PRECISIONS];
    habitat_predictor *predictors[PRECISIONS];
    habitat_precision told; /* notes are of it; RECORDED where none is */
} sources;

/* Where GPUs compute what was asked in two ways, notes are of the one that it is called by; where
 * that is as recorded, of the other one. */
static sources sources_of(const habitat_request *r, const habitat_workload *w, size_t count,
                          const habitat_gpu *const *destinations) {
    sources out = {.told = HABITAT_PRECISION_RECORDED};
    habitat_precision called = settle(r, w, NULL);
    for (size_t d = 0; d < count && (!called || out.told != called); d++) {
        habitat_precision p = settle(r, w, destinations[d]);
        out.told = p ? p : out.told;
    }
    return out;
}

static habitat_status take_source(const habitat_request *r, size_t i, habitat_precision p,
                                  const habitat_gpu *gpu, made_answer *out, sources *from,
                                  habitat_error *err) {
    if (from->predictors[p])
        return HABITAT_OK;
    habitat_status status = take_scaled(r, i, p, gpu, out, &from->workloads[p], err);
    if (status == HABITAT_OK && is_scaled(r) && p == from->told) /* unasked: not of every row */
        status = tell_notes(from->workloads[p], out, err);
    if (status == HABITAT_OK)
        status = habitat_predictor_create(from->workloads[p], r->method, r->models,
                                          &from->predictors[p], err);
    if (status == HABITAT_OK && r->totals)
        predictor_keep_times_alone(from->predictors[p]);
    return status;
}

/* One row each destination, of batch size i and the request's one number of GPUs. What a GPU
 * computes in is settled before anything is scaled: two precisions that it cannot tell apart have
 * one workload. */
static habitat_status predict_number(const habitat_request *r, size_t i, sources *from,
                                     size_t count, const habitat_gpu *const *destinations,
                                     made_answer *out, habitat_error *err) {
    habitat_status status = HABITAT_OK;
    for (size_t d = 0; status == HABITAT_OK && d < count; d++) {
        const habitat_gpu *gpu = destinations[d];
        habitat_precision p = settle(r, out->open.workload, gpu);
        status = take_source(r, i, p, gpu, out, from, err);
        if (status != HABITAT_OK)
            break;
        status =
            predict_one(r, i, from->workloads[p], from->predictors[p], gpu, count == 1, out, err);
        if (status != HABITAT_OK && status != HABITAT_E_UNSUPPORTED && err)
            err->index = d; /* else it is the recording, or the method */
    }
    return status;
}

/* One row each number of GPUs and destination, of batch size i. */
static habitat_status predict_rows(const habitat_request *r, size_t i, size_t count,
                                   const habitat_gpu *const *destinations, made_answer *out,
                                   habitat_error *err) {
    sources from = sources_of(r, out->open.workload, count, destinations);
    habitat_request one = *r;
    habitat_status status = HABITAT_OK;
    for (size_t n = 0; status == HABITAT_OK && n < count_numbers(r); n++) {
        one.gpu_count = r->gpu_counts ? r->gpu_counts[n] : r->gpu_count;
        status = predict_number(&one, i, &from, count, destinations, out, err);
    }
    for (size_t p = 0; p < PRECISIONS; p++)
        habitat_predictor_free(from.predictors[p]);
    return status;
}

/* Autocast leaves parameters as they are. Of a model in 16 bit it is not known whether another
 * precision means other parameters: their gradients would be twice as large. */
static habitat_status check_shared_precision(const habitat_request *r, const trace_gradients *g,
                                             habitat_error *err) {
    for (size_t i = 0; r->precision && i < g->count; i++)
        if (habitat_dtype_bytes(g->all[i].dtype) < habitat_dtype_bytes(HABITAT_DTYPE_FP32))
            return habitat_fail(err, HABITAT_E_ARG,
                                "several GPUs share gradients in the format of the recorded "
                                "parameters, %s; leave out the precision, or the number of GPUs",
                                habitat_dtype_name(g->all[i].dtype));
    return HABITAT_OK;
}

/* Of a recording of one GPU: what is known of the gradients that several share. */
static habitat_status check_gradients(const habitat_request *r, made_answer *out,
                                      habitat_error *err) {
    char line[WARNING_BYTES];
    double bytes = 0.0;
    trace_gradients g = {0};
    if (most_gpus(r) <= 1 || r->rank_count || !out->open.workload->trace)
        return HABITAT_OK;
    habitat_status status = trace_gradients_of(out->open.workload->trace, &g, err);
    if (status == HABITAT_OK)
        status = check_shared_precision(r, &g, err);
    out->open.gradients_source = trace_gradients_source_name(g.source);
    for (size_t i = 0; i < g.count; i++)
        bytes += (double)g.all[i].elements * (double)habitat_dtype_bytes(g.all[i].dtype);
    if (status == HABITAT_OK && g.source == TRACE_GRADIENTS_SHAPES) {
        habitat_format(line, sizeof line,
                       "the gradients that the GPUs share are those whose shapes the backward pass "
                       "shows: %zu tensors, %.3g GB; parameters that get none are not among them",
                       g.count, bytes / HABITAT_GB);
        status = warnings_add(out, HABITAT_ABOUT_RECORDING, line, err);
    }
    trace_gradients_free(&g);
    return status;
}

/* What a recording cannot say of many GPUs. */
static habitat_status warn_of_hosts(const habitat_request *r, made_answer *out,
                                    habitat_error *err) {
    char line[160];
    habitat_status status = check_gradients(r, out, err);
    if (status != HABITAT_OK || most_gpus(r) <= chosen_host_gpus)
        return status;
    habitat_format(line, sizeof line,
                   "more than %.0f GPUs: taken as hosts of %.0f, linked with %.0f Gbit/s each; "
                   "other networks give other answers",
                   chosen_host_gpus, chosen_host_gpus, 8 * chosen_network_bytes_per_s / 1e9);
    return warnings_add(out, HABITAT_ABOUT_REQUEST, line, err);
}

/* How the model is taken to be wrapped, which no recording of one GPU tells. */
static habitat_status warn_of_parts(made_answer *out, habitat_error *err) {
    char line[400];
    const habitat_prediction *p = NULL;
    for (size_t i = 0; i < out->open.row_count && !p; i++)
        if (out->open.rows[i].prediction->sharded)
            p = out->open.rows[i].prediction;
    if (!p)
        return HABITAT_OK;
    if (p->layer_count > 1)
        habitat_format(line, sizeof line,
                       "weights in parts: %u layers whose weights have the same sizes are gathered "
                       "one by one, what is around them at once (PyTorch's fully_shard of each "
                       "layer and of the model); autocast's layers in 16 bit; sums of kernels and "
                       "classes are of one GPU with all weights",
                       p->layer_count);
    else
        habitat_format(line, sizeof line,
                       "weights in parts: no layers are seen whose weights have the same sizes, so "
                       "all weights are gathered at once, before the forward pass; sums of kernels "
                       "and classes are of one GPU with all weights");
    return warnings_add(out, HABITAT_ABOUT_REQUEST, line, err);
}

/* A CPU that is stated takes its own doubt away, not what short kernels leave open. */
static habitat_status warn_of_short_kernels(const habitat_request *r, made_answer *out,
                                            habitat_error *err) {
    char line[WARNING_BYTES];
    const habitat_workload_info *info = &out->open.workload->info;
    double kernels = (double)info->trace_kernel_count / (double)info->iteration_count, most = 1.0;
    for (size_t i = 0; r->cpu_scale > 0.0 && i < out->open.row_count; i++)
        most = fmax(most, interval_short_factor(out->open.rows[i].prediction, kernels));
    if (most < chosen_short_kernel_told)
        return HABITAT_OK;
    habitat_format(
        line, sizeof line,
        "intervals of other GPUs reach up to %.2g times the time whatever CPU is stated: "
        "steps of such short kernels took others longer than kernels and hosts explain",
        most);
    return warnings_add(out, HABITAT_ABOUT_DESTINATIONS, line, err);
}

static habitat_status answer_recording(const habitat_request *r, size_t count,
                                       const habitat_gpu *const *destinations, made_answer *out,
                                       habitat_error *err) {
    habitat_status status = take_workload(r, out, err);
    if (status != HABITAT_OK)
        return status;
    if (r->no_predictions) /* of a GPU that nobody knows there is no workload */
        return out->open.workload ? scale_check_said(out->open.workload, err) : HABITAT_OK;
    status = scale_check_said(out->open.workload, err);
    if (status == HABITAT_OK)
        status = check_kernels(out->open.workload, err);
    if (status == HABITAT_OK)
        status = check_timed(r, out->open.workload, err);
    if (status == HABITAT_OK)
        status = take_replay(r, out, err);
    if (status == HABITAT_OK)
        status = take_other(r, out, err);
    if (status == HABITAT_OK)
        status = warn_of_hosts(r, out, err);
    if (status != HABITAT_OK)
        return status;
    size_t sets = count_batches(r), rows = answer_rows_each(r) * count;
    out->scaled = calloc(sets * PRECISIONS, sizeof(habitat_workload *));
    out->scaled_count = out->scaled ? sets * PRECISIONS : 0;
    out->row_workloads = habitat_arena_alloc(&out->arena, (rows + 1) * sizeof *out->row_workloads);
    if (!out->scaled || !out->row_workloads)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; status == HABITAT_OK && i < sets; i++)
        status = predict_rows(r, i, count, destinations, out, err);
    if (status == HABITAT_OK)
        status = warn_of_short_kernels(r, out, err);
    return status == HABITAT_OK ? warn_of_parts(out, err) : status;
}

/* Of several ranks the first one is the recording that is shown. */
habitat_status answer_iteration(const habitat_request *r, size_t count,
                                const habitat_gpu *const *destinations, made_answer *out,
                                habitat_error *err) {
    habitat_request own = *r;
    habitat_status status = HABITAT_OK;
    if (r->rank_count) {
        status = ranks_sort(r, out, err);
        own.trace = out->open.trace;
    }
    return status == HABITAT_OK ? answer_recording(&own, count, destinations, out, err) : status;
}
