/* What a person should know before trusting an answer: see warnings.h. */
#include "ask/warnings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/question.h>
#include <habitat/text.h>

#include "gpu/gpu.h"
#include "base/constants_reports.h"
#include "base/constants_scaling.h"
#include "base/error.h"
#include "base/list.h"
#include "predict/estimate.h"
#include "predict/untimed.h"
#include "workload/recorded_format.h"
#include "workload/scaler.h"
#include "workload/warnings.h"
#include "formula/formula.h"
#include "formula/rates.h"

enum { NAMES_SHOWN = 4 };

double format_share(const habitat_workload *workload, habitat_dtype dtype) {
    size_t count = 0;
    const habitat_workload_kernel *kernels = habitat_workload_kernels(workload, &count);
    double all = 0, in = 0;
    for (size_t i = 0; i < count; i++) {
        const habitat_kernel_facts *facts = &kernels[i].facts;
        all += facts->time_ns;
        if (facts->matrix_unit && facts->dtype == dtype)
            in += facts->time_ns;
    }
    return all > 0 ? in / all : 0;
}

/* The narrow formats: that fp32 and TF32 run on plain units elsewhere is what a person expects. */
static bool is_narrow(habitat_dtype dtype) {
    return dtype == HABITAT_DTYPE_FP16 || dtype == HABITAT_DTYPE_BF16 ||
           dtype == HABITAT_DTYPE_FP8 || dtype == HABITAT_DTYPE_INT8;
}

/* GPUs without matrix units for a format: their names, and what they compute in instead. */
typedef struct lacking {
    size_t count;
    char names[200], rates[96];
    bool rate_named[HABITAT_DTYPE_COUNT];
} lacking;

static void add_name(lacking *l, const habitat_gpu *gpu) {
    if (l->count < NAMES_SHOWN)
        snprintf(l->names + strlen(l->names), sizeof l->names - strlen(l->names), "%s%s",
                 l->count ? ", " : "", gpu->name);
    l->count++;
}

static void add_lacking(lacking *l, const habitat_gpu *gpu, habitat_dtype dtype) {
    habitat_dtype other = dtype;
    bool matrix = true;
    habitat_arithmetic_rate(gpu, dtype, true, false, &other, &matrix);
    if (other == dtype && matrix)
        return;
    add_name(l, gpu);
    if (!l->rate_named[other])
        snprintf(l->rates + strlen(l->rates), sizeof l->rates - strlen(l->rates), "%s%s",
                 *l->rates ? " or " : "", habitat_dtype_name(other));
    l->rate_named[other] = true;
}

static void close_names(lacking *l) {
    if (l->count > NAMES_SHOWN)
        snprintf(l->names + strlen(l->names), sizeof l->names - strlen(l->names), " and %zu more",
                 l->count - NAMES_SHOWN);
}

bool warn_of_format(double share, const habitat_workload *w, const habitat_gpu *const *gpus,
                    size_t count, habitat_dtype dtype, char *text) {
    lacking found = {0};
    if (!is_narrow(dtype) || share < chosen_format_least_share)
        return false;
    for (size_t i = 0; i < count; i++)
        if (gpus[i] != w->origin)
            add_lacking(&found, gpus[i], dtype);
    if (!found.count)
        return false;
    close_names(&found);
    bool scales = dtype == HABITAT_DTYPE_BF16 && workload_has_optimizer(w);
    habitat_format(
        text, WARNING_BYTES,
        "no %s matrix units on %s: %.0f %% of the origin's kernel time is predicted there "
        "at the %s rate%s; a library may be slower, or refuse",
        habitat_dtype_name(dtype), found.names, 100.0 * share, found.rates,
        scales ? ", without the loss scaling that training in fp16 needs" : "");
    return true;
}

bool warn_of_precision(habitat_precision asked, const habitat_gpu *const *gpus, size_t count,
                       char *text) {
    lacking found = {0};
    habitat_precision there = asked;
    for (size_t i = 0; i < count; i++)
        if (precision_computed_on(gpus[i], asked) != asked) {
            there = precision_computed_on(gpus[i], asked);
            add_name(&found, gpus[i]);
        }
    if (!found.count)
        return false;
    close_names(&found);
    snprintf(text, WARNING_BYTES, "no %s units on %s: %s is %s there",
             asked == HABITAT_PRECISION_TF32 ? "TF32" : "bf16", found.names,
             habitat_precision_name(asked), habitat_precision_name(there));
    return true;
}

bool warn_of_operation_format(const habitat_gpu *const *gpus, size_t count, habitat_dtype dtype,
                              char *text) {
    lacking found = {0};
    if (!is_narrow(dtype))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!habitat_rate_unlisted(gpus[i], dtype))
            add_lacking(&found, gpus[i], dtype);
    if (!found.count)
        return false;
    close_names(&found);
    snprintf(text, WARNING_BYTES,
             "no %s matrix units on %s: predicted there at the %s rate; a library may be slower, "
             "or refuse",
             habitat_dtype_name(dtype), found.names, found.rates);
    return true;
}

const char *warn_of_vendor(const habitat_gpu *origin, const habitat_gpu *const *gpus,
                           size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(gpus[i]->vendor, origin->vendor) != 0)
            return "GPUs of another vendor than the origin's run other libraries: no measurement "
                   "of them checks these predictions; take them "
                   "as rough";
    return NULL;
}

bool warn_of_calibration(const habitat_prediction *const *predictions, size_t count, char *text) {
    char names[240] = "";
    size_t named = 0;
    for (size_t i = 0; i < count; i++) {
        const habitat_prediction *p = predictions[i];
        if (p->calibrated_operations == 0)
            continue;
        if (named < NAMES_SHOWN)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s (%zu)",
                     named ? ", " : "", p->gpu->name, p->calibrated_operations);
        named++;
    }
    char more[32] = "";
    if (named > NAMES_SHOWN)
        snprintf(more, sizeof more, " and %zu more", named - NAMES_SHOWN);
    if (named)
        snprintf(text, WARNING_BYTES,
                 "operations that a calibration measured move what the operator models say of %s%s",
                 names, more);
    return named > 0;
}

/* Of several rows the one with most such operations is named, by what tells it from the others. */
static void name_row(const habitat_prediction *const *rows, size_t count,
                     const habitat_prediction *of, char *text, size_t size) {
    bool gpus = false, batches = false;
    char batch[48] = "";
    for (size_t i = 0; i < count; i++) {
        gpus = gpus || rows[i]->gpu != of->gpu;
        batches = batches || rows[i]->batch_size != of->batch_size;
    }
    if (batches)
        snprintf(batch, sizeof batch, " at batch size %llu", (unsigned long long)of->batch_size);
    snprintf(text, size, "%s%s%s", gpus ? " on " : "", gpus ? of->gpu->name : "", batch);
}

bool warn_of_outside(const habitat_prediction *const *predictions, size_t count, char *text) {
    const habitat_prediction *most = NULL;
    char row[160];
    for (size_t i = 0; i < count; i++)
        if (predictions[i]->outside_operations > (most ? most->outside_operations : 0))
            most = predictions[i];
    if (!most)
        return false;
    name_row(predictions, count, most, row, sizeof row);
    snprintf(text, WARNING_BYTES, "%zu of the operations%s: %s", most->outside_operations, row,
             most->outside_note);
    return true;
}

bool warn_of_intervals(bool timed, double factor, const habitat_prediction *const *predictions,
                       size_t count, char *text) {
    char widths[160];
    size_t i = 0;
    while (i < count && predictions[i]->interval_basis != HABITAT_INTERVAL_DEFAULT)
        i++;
    if (i == count)
        return false;
    if (timed)
        estimate_width_words(widths, sizeof widths);
    else
        untimed_width_words(predictions[i]->cpu_basis == HABITAT_CPU_RULE ? factor : 0.0, widths,
                            sizeof widths);
    snprintf(text, WARNING_BYTES, "low_ms and high_ms are a default width, not calibrated: %s",
             widths);
    return true;
}

/* ---- all of them ---- */

habitat_status warnings_add_kind(made_answer *out, habitat_warning_about about,
                                 habitat_warning_kind kind, const char *text, habitat_error *err) {
    const char *kept = habitat_arena_string(&out->arena, text, strlen(text));
    habitat_warning *list = kept ? list_grow(out->warnings, out->open.warning_count, &out->capacity,
                                             16, SIZE_MAX, sizeof *list)
                                 : NULL;
    if (!list)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    out->open.warnings = out->warnings = list;
    out->warnings[out->open.warning_count++] = (habitat_warning){about, kind, kept};
    return HABITAT_OK;
}

habitat_status warnings_add(made_answer *out, habitat_warning_about about, const char *text,
                            habitat_error *err) {
    return warnings_add_kind(out, about, HABITAT_WARNING_SINGLE, text, err);
}

/* The origin's rate is of its recorded time, which is nearer to the truth than its busy time: one
 * row has two meanings then. */
static habitat_status of_origin_rate(const habitat_prediction *const *predictions, size_t count,
                                     made_answer *out, habitat_error *err) {
    char line[WARNING_BYTES];
    for (size_t i = 0; i < count; i++) {
        const habitat_prediction *p = predictions[i];
        double told_ms = (double)p->batch_size / p->samples_per_s * 1e3;
        if (!(fabs(told_ms - p->iteration_ms) > chosen_said_rate_apart * p->iteration_ms))
            continue; /* or not known */
        habitat_format(line, sizeof line,
                       "samples per second of %s are of its recorded iteration, %.4g ms; its "
                       "iteration_ms is busy time, as is what the other rows are made of",
                       p->gpu->name, told_ms);
        return warnings_add(out, HABITAT_ABOUT_RECORDING, line, err);
    }
    return HABITAT_OK;
}

/* What the way in which rows were put together gives reason to say. */
static habitat_status of_assembling(const habitat_prediction *const *predictions, size_t count,
                                    made_answer *out, habitat_error *err) {
    static const char sum[] =
        "iteration_ms is the GPU's busy time: a real iteration takes longer where the GPU is as "
        "fast; samples per second of other GPUs are unknown";
    char line[WARNING_BYTES];
    habitat_status status = HABITAT_OK;
    if (!out->open.replay) {
        if (out->open.workload->info.bound_by == HABITAT_BY_CPU)
            status = warnings_add(out, HABITAT_ABOUT_RECORDING, sum, err);
        return status == HABITAT_OK && out->open.workload->origin
                   ? of_origin_rate(predictions, count, out, err)
                   : status;
    }
    if (habitat_replay_note(out->open.replay, line, sizeof line))
        status = warnings_add(out, HABITAT_ABOUT_RECORDING, line, err);
    if (status == HABITAT_OK && habitat_replay_wait_note(out->open.replay, line, sizeof line))
        status = warnings_add(out, HABITAT_ABOUT_RECORDING, line, err);
    if (status == HABITAT_OK && habitat_replay_once_note(out->open.replay, line, sizeof line))
        status = warnings_add(out, HABITAT_ABOUT_RECORDING, line, err);
    if (status == HABITAT_OK &&
        habitat_replay_cpu_warning(out->open.replay, predictions, count, line, sizeof line))
        status = warnings_add(out, HABITAT_ABOUT_DESTINATIONS, line, err);
    return status;
}

/* What is looked at for the rows of an iteration. */
typedef struct scene {
    const habitat_workload *w; /* as recorded */
    const habitat_gpu *origin; /* NULL: nobody timed the workload */
    habitat_precision asked;
    double cpu_factor; /* untimed: by which the CPU's side may be off; 0: none is known */
    bool computes[HABITAT_DTYPE_COUNT];     /* untimed: products compute in it */
    const habitat_workload *const *of;      /* shape (count): what each row is predicted from */
    double (*shares)[HABITAT_DTYPE_COUNT];  /* shape (count): format_share() of these */
    const habitat_prediction **predictions; /* shape (count) */
    const habitat_gpu **gpus, **some;       /* shape (count): of the predictions; room */
    size_t count;
} scene;

static void look_at(const habitat_workload *w, scene *out) {
    out->w = w;
    out->origin = w->origin;
    for (size_t i = 0; w->origin && i < out->count; i++)
        for (int d = 0; d < HABITAT_DTYPE_COUNT; d++)
            if (i && out->of[i] == out->of[i - 1])
                out->shares[i][d] = out->shares[i - 1][d];
            else if (is_narrow((habitat_dtype)d))
                out->shares[i][d] = format_share(out->of[i], (habitat_dtype)d);
    for (size_t i = 0; !w->origin && i < w->kernel_count; i++)
        out->computes[w->kernels[i].facts.dtype] |=
            habitat_class_is_product(w->kernels[i].op_class);
}

enum { LINES_MAX = HABITAT_DTYPE_COUNT + 5 };

typedef struct lines {
    char text[LINES_MAX][WARNING_BYTES]; /* the next one is written to next_line() */
    habitat_warning_kind kinds[LINES_MAX];
    size_t count;
} lines;

static char *next_line(lines *l) {
    return l->text[l->count];
}

/* The next line stays if it was written. */
static void keep_line(lines *l, habitat_warning_kind kind, bool written) {
    l->kinds[l->count] = kind;
    l->count += written;
}

static habitat_warning_kind kind_of_format(habitat_dtype dtype) {
    return dtype == HABITAT_DTYPE_FP16   ? HABITAT_WARNING_NO_FP16
           : dtype == HABITAT_DTYPE_BF16 ? HABITAT_WARNING_NO_BF16
           : dtype == HABITAT_DTYPE_FP8  ? HABITAT_WARNING_NO_FP8
                                         : HABITAT_WARNING_NO_INT8;
}

/* Of the rows whose own workload computes in that format: what a GPU cannot tell apart it has in
 * one of the two. Nobody who asks for fp16 wants to hear of bf16. */
static bool say_format(const scene *s, size_t first, size_t gpu_count, habitat_dtype dtype,
                       char *line) {
    size_t count = 0;
    double share = 0.0;
    if (s->asked == HABITAT_PRECISION_AMP_FP16 && dtype == HABITAT_DTYPE_BF16)
        return false;
    for (size_t i = first; i < first + gpu_count; i++)
        if (s->shares[i][dtype] >= chosen_format_least_share) {
            share = s->shares[i][dtype];
            s->some[count++] = s->gpus[i];
        }
    return warn_of_format(share, s->w, s->some, count, dtype, line);
}

/* What was asked; where nothing was, and some GPUs train in fp16 what was recorded in bf16, that.
 */
static habitat_precision precision_told(const scene *s, size_t first, size_t count) {
    for (size_t i = first; !s->asked && s->origin && i < first + count; i++)
        if (s->of[i]->precision)
            return s->w->format.precision;
    return s->asked;
}

/* Lines about `count` predictions from `first` on, of which the first `gpu_count` are of all GPUs:
 * what depends on the GPU alone is told once, whatever batch sizes are asked. */
static void say(const scene *s, size_t first, size_t gpu_count, size_t count, lines *out) {
    const habitat_gpu *const *gpus = s->gpus + first;
    const habitat_prediction *const *predictions = s->predictions + first;
    bool told = false; /* that bf16 is computed otherwise */
    out->count = 0;
    for (int d = 0; d < HABITAT_DTYPE_COUNT; d++) {
        char *line = next_line(out);
        bool said = false;
        if (s->origin)
            said = say_format(s, first, gpu_count, (habitat_dtype)d, line);
        else if (s->computes[d])
            said = warn_of_operation_format(gpus, gpu_count, (habitat_dtype)d, line);
        keep_line(out, kind_of_format((habitat_dtype)d), said);
        told |= said && d == HABITAT_DTYPE_BF16;
    }
    if (!told)
        keep_line(out, HABITAT_WARNING_PRECISION,
                  warn_of_precision(precision_told(s, first, gpu_count), gpus, gpu_count,
                                    next_line(out)));
    const char *vendor = s->origin ? warn_of_vendor(s->origin, gpus, gpu_count) : NULL;
    if (vendor)
        snprintf(next_line(out), WARNING_BYTES, "%s", vendor);
    keep_line(out, HABITAT_WARNING_VENDOR, vendor != NULL);
    keep_line(out, HABITAT_WARNING_CALIBRATION,
              warn_of_calibration(predictions, gpu_count, next_line(out)));
    keep_line(out, HABITAT_WARNING_OUTSIDE, warn_of_outside(predictions, count, next_line(out)));
    keep_line(
        out, HABITAT_WARNING_WIDTH,
        warn_of_intervals(s->origin != NULL, s->cpu_factor, predictions, count, next_line(out)));
}

static habitat_status set_row_warnings(habitat_answer_row *row, const lines *l, made_answer *out,
                                       habitat_error *err) {
    const char **list = habitat_arena_alloc(&out->arena, LINES_MAX * sizeof *list);
    habitat_warning_kind *kinds = habitat_arena_alloc(&out->arena, LINES_MAX * sizeof *kinds);
    for (size_t i = 0; list && i < l->count; i++) {
        list[i] = habitat_arena_string(&out->arena, l->text[i], strlen(l->text[i]));
        if (!list[i])
            list = NULL;
    }
    if (!list || !kinds)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    memcpy(kinds, l->kinds, l->count * sizeof *kinds);
    row->warnings = list;
    row->warning_kinds = kinds;
    row->warning_count = l->count;
    return HABITAT_OK;
}

/* Rows of the first batch size and number of GPUs: those of the others are of the same GPUs. */
static size_t count_first(const made_answer *out) {
    const habitat_answer_row *rows = out->open.rows;
    size_t count = 0;
    while (count < out->open.row_count && rows[count].key.batch_size == rows[0].key.batch_size &&
           rows[count].key.gpu_count == rows[0].key.gpu_count)
        count++;
    return count;
}

static habitat_status of_destinations(const scene *s, made_answer *out, habitat_error *err) {
    lines l;
    habitat_status status = HABITAT_OK;
    for (size_t i = 0; status == HABITAT_OK && i < s->count; i++) {
        say(s, i, 1, 1, &l);
        status = set_row_warnings(&out->open.rows[i], &l, out, err);
    }
    say(s, 0, count_first(out), s->count, &l);
    for (size_t i = 0; status == HABITAT_OK && i < l.count; i++)
        status = warnings_add_kind(out, HABITAT_ABOUT_DESTINATIONS, l.kinds[i], l.text[i], err);
    return status;
}

static habitat_status of_recording(const habitat_workload *w, size_t i, made_answer *out,
                                   habitat_error *err) {
    return warnings_add_kind(out, HABITAT_ABOUT_RECORDING,
                             i < w->doubt_count ? HABITAT_WARNING_DOUBT : HABITAT_WARNING_SINGLE,
                             w->warnings[i], err);
}

/* Of a recording whose GPU is not known: what it notes and contradicts itself. */
static habitat_status of_notes(made_answer *out, habitat_error *err) {
    habitat_workload w = {.trace = out->open.trace};
    habitat_status status = habitat_workload_doubt(&w, err);
    for (size_t i = 0; status == HABITAT_OK && i < w.warning_count; i++)
        status = of_recording(&w, i, out, err);
    habitat_arena_free(&w.arena);
    return status;
}

static habitat_status of_iteration(made_answer *out, habitat_error *err) {
    const habitat_workload *w = out->open.workload;
    habitat_status status = HABITAT_OK;
    for (size_t i = 0; status == HABITAT_OK && i < w->warning_count; i++)
        status = of_recording(w, i, out, err);
    scene s = {.count = out->open.row_count, .of = out->row_workloads};
    s.predictions = calloc(s.count + 1, sizeof *s.predictions);
    s.gpus = calloc(s.count + 1, sizeof *s.gpus);
    s.some = calloc(s.count + 1, sizeof *s.some);
    s.shares = calloc(s.count + 1, sizeof *s.shares);
    if (status == HABITAT_OK && (!s.predictions || !s.gpus || !s.some || !s.shares))
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; status == HABITAT_OK && i < s.count; i++) {
        s.predictions[i] = out->open.rows[i].prediction;
        s.gpus[i] = out->open.rows[i].key.gpu;
    }
    if (status == HABITAT_OK && s.count)
        status = of_assembling(s.predictions, s.count, out, err);
    if (status == HABITAT_OK && s.count) {
        s.asked = out->open.rows[0].key.precision;
        look_at(w, &s);
        if (out->open.replay)
            s.cpu_factor = habitat_replay_get_info(out->open.replay)->cpu_high;
        status = of_destinations(&s, out, err);
    }
    free(s.predictions);
    free(s.gpus);
    free(s.some);
    free(s.shares);
    return status;
}

/* PyTorch computes convolutions and recurrent layers of fp32 tensors in TF32 where it can: which of
 * the two is meant must be said. */
static habitat_status of_strict_fp32(const habitat_gpu *const *gpus, size_t count, made_answer *out,
                                     habitat_error *err) {
    const habitat_gpu *able = NULL;
    bool strict = false;
    char line[WARNING_BYTES];
    for (size_t i = 0; i < out->open.operation_count; i++) {
        const habitat_model_query *asked = &out->open.operations[i];
        bool fp32 =
            asked->work->dtype == HABITAT_DTYPE_FP32 && asked->arithmetic == HABITAT_DTYPE_FP32;
        strict |= fp32 && habitat_usual_arithmetic(asked->work) == HABITAT_DTYPE_TF32;
    }
    for (size_t i = 0; i < count && !able; i++)
        if (isfinite(gpus[i]->peak.matrix_flop_per_s[HABITAT_DTYPE_TF32]))
            able = gpus[i];
    if (!strict || !able)
        return HABITAT_OK;
    snprintf(line, sizeof line,
             "fp32 is meant strictly, without TF32; PyTorch computes this operation in TF32 on %s "
             "and the like unless told otherwise: --dtype tf32",
             able->name);
    return warnings_add(out, HABITAT_ABOUT_REQUEST, line, err);
}

/* What models of fp8 know is the call of a serving framework. */
static habitat_status of_fp8(made_answer *out, habitat_error *err) {
    bool linear = false, learned = false;
    for (size_t i = 0; i < out->open.operation_count; i++) {
        const habitat_work *work = out->open.operations[i].work;
        linear |= work->dtype == HABITAT_DTYPE_FP8 && work->op_class == HABITAT_CLASS_GEMM;
    }
    for (size_t i = 0; i < out->open.row_count; i++)
        learned |= out->open.rows[i].whole.estimate.method == HABITAT_METHOD_LEARNED &&
                   isfinite(out->open.rows[i].key.gpu->peak.matrix_flop_per_s[HABITAT_DTYPE_FP8]);
    if (!linear || !learned)
        return HABITAT_OK;
    return warnings_add(out, HABITAT_ABOUT_REQUEST,
                        "fp8 products were measured as serving frameworks call them: fp8 is made "
                        "of the input in 16 bit first, which is most of a small one",
                        err);
}

/* What rows say of sizes far beyond what was measured: mostly the same, told once each. */
static habitat_status of_outside(made_answer *out, habitat_error *err) {
    habitat_status status = HABITAT_OK;
    for (size_t i = 0; status == HABITAT_OK && i < out->open.row_count; i++) {
        const char *note = out->open.rows[i].whole.outside_note;
        bool told = !note;
        for (size_t j = 0; !told && j < i; j++) {
            const char *earlier = out->open.rows[j].whole.outside_note;
            told = earlier && strcmp(earlier, note) == 0;
        }
        if (!told)
            status = warnings_add(out, HABITAT_ABOUT_REQUEST, note, err);
    }
    return status;
}

static habitat_status of_tensors(made_answer *out, habitat_error *err) {
    lacking found = {0};
    char line[WARNING_BYTES];
    const char *first = NULL;
    for (size_t i = 0; i < out->open.row_count; i++) {
        const char *note = out->open.rows[i].whole.memory_note;
        if (note)
            add_name(&found, out->open.rows[i].key.gpu);
        first = first ? first : note;
    }
    if (found.count == 0)
        return HABITAT_OK;
    close_names(&found);
    if (found.count == 1)
        snprintf(line, sizeof line, "%s: it cannot run there", first);
    else
        habitat_format(line, sizeof line,
                       "tensors of %.4g GB do not fit the memory of %s: it cannot run there",
                       (out->open.work.read_bytes + out->open.work.write_bytes) / 1e9, found.names);
    return warnings_add(out, HABITAT_ABOUT_REQUEST, line, err);
}

/* Matrix work in a format that a GPU lacks is predicted in another one. */
static habitat_status of_operations(const habitat_gpu *const *gpus, size_t count, made_answer *out,
                                    habitat_error *err) {
    bool computes[HABITAT_DTYPE_COUNT] = {false};
    char line[WARNING_BYTES];
    habitat_status status = HABITAT_OK;
    for (size_t i = 0; i < out->open.operation_count; i++) {
        const habitat_work *work = out->open.operations[i].work;
        computes[work->dtype] |= habitat_class_is_product(work->op_class);
    }
    for (int d = 0; status == HABITAT_OK && d < HABITAT_DTYPE_COUNT; d++)
        if (computes[d] && warn_of_operation_format(gpus, count, (habitat_dtype)d, line))
            status = warnings_add(out, HABITAT_ABOUT_REQUEST, line, err);
    if (status == HABITAT_OK)
        status = of_strict_fp32(gpus, count, out, err);
    if (status == HABITAT_OK)
        status = of_fp8(out, err);
    if (status == HABITAT_OK)
        status = of_outside(out, err);
    return status == HABITAT_OK ? of_tensors(out, err) : status;
}

habitat_status warnings_assemble(size_t count, const habitat_gpu *const *destinations,
                                 made_answer *out, habitat_error *err) {
    if (out->open.operation_count)
        return of_operations(destinations, count, out, err);
    if (out->open.workload)
        return of_iteration(out, err);
    return out->open.trace ? of_notes(out, err) : HABITAT_OK;
}
