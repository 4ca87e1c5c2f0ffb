/* Shared pieces of reports; see shared_pieces.h. */
#include "report/shared_pieces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "ask/answer.h"
#include "base/constants_reports.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "report/fold.h"
#include "trace/gradients.h"
#include "workload/workload.h"

habitat_status habitat_report_by_from_name(const char *name, habitat_report_by *out,
                                           habitat_error *err) {
    static const char *const names[] = {"", "kernel", "op", "class", "module"};
    for (size_t i = 1; name && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (habitat_report_by)i;
            return HABITAT_OK;
        }
    return habitat_fail(err, HABITAT_E_ARG,
                        "\"%s\" is nothing to split by; choose kernel, op, class or module",
                        name ? name : "");
}

split_by split_for(habitat_report_by by, habitat_report_format format) {
    switch (by) {
    case HABITAT_REPORT_BY_KERNEL:
        return format == HABITAT_REPORT_TEXT ? SPLIT_KERNEL : SPLIT_LAUNCH;
    case HABITAT_REPORT_BY_CLASS:
        return SPLIT_CLASS;
    case HABITAT_REPORT_BY_MODULE:
        return format == HABITAT_REPORT_TEXT ? SPLIT_BLOCKS : SPLIT_MODULE;
    case HABITAT_REPORT_BY_NOTHING:
    case HABITAT_REPORT_BY_OP:
        break;
    }
    return SPLIT_OP;
}

const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Bytes of `text` from which on the rest takes `columns` columns. */
static size_t tail_of(const char *text, size_t columns) {
    size_t at = strlen(text);
    while (at > 0 && display_width(text + at) < columns) {
        at--;
        while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
            at--;
    }
    return at;
}

void file_name(const habitat_trace *trace, char text[FILE_NAME_BYTES]) {
    const char *file = trace ? habitat_trace_get_info(trace)->file : NULL;
    char name[1024], head[FILE_NAME_WIDTH / 2];
    clean_text(name, sizeof name, !trace ? "operations" : file ? base_name(file) : "");
    if (display_width(name) <= FILE_NAME_WIDTH) {
        clean_text(text, FILE_NAME_BYTES, name);
        return;
    }
    clean_text(head, sizeof head, name);
    snprintf(text, FILE_NAME_BYTES, "%s..%.*s", head, FILE_NAME_BYTES / 2,
             name + tail_of(name, FILE_NAME_WIDTH / 2 - 2));
}

double old_price_months(const habitat_cost *cost) {
    const double days_per_month = 30.4375;
    return cost->price_age_days > chosen_old_price_days
               ? floor(cost->price_age_days / days_per_month)
               : 0;
}

int price_is_alone(const habitat_cost *cost) {
    return cost->price ? cost->price->gpu_alone : -1;
}

const char *bound_by_name(habitat_bound_by by) {
    return by == HABITAT_BY_GPU ? "gpu" : by == HABITAT_BY_CPU ? "cpu" : NULL;
}

double ratio_of(const habitat_prediction *p) {
    return p->iteration_ms / p->origin_iteration_ms;
}

/* What the row with the most kernels is predicted from: a step in bf16 trains with a scaler where
 * it has to run in fp16. */
static const habitat_workload *with_most(const habitat_answer *what) {
    const made_answer *made = (const made_answer *)(const void *)what;
    const habitat_workload *most = what->workload;
    for (size_t i = 0; made->row_workloads && i < what->row_count; i++)
        if (made->row_workloads[i]->kernel_count > most->kernel_count)
            most = made->row_workloads[i];
    return most;
}

habitat_status view_create(const habitat_answer *what, split_by by, view *out, habitat_error *err) {
    *out = (view){0};
    habitat_status status =
        split_create(what->trace, what->workload, with_most(what), by, &out->rows, err);
    if (status == HABITAT_OK && by == SPLIT_BLOCKS)
        status = split_fold(&out->rows, err);
    size_t n = out->rows.row_count ? out->rows.row_count : 1;
    out->totals = calloc(n, sizeof *out->totals);
    out->order = calloc(n, sizeof *out->order);
    if (status == HABITAT_OK && (!out->totals || !out->order))
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    return status;
}

habitat_status view_fill(view *v, const habitat_prediction *p, habitat_error *err) {
    habitat_status status = split_sum(&v->rows, p, v->totals, err);
    if (status == HABITAT_OK)
        status = split_order(&v->rows, v->totals, v->order, err);
    v->shown = 0;
    for (size_t i = 0; status == HABITAT_OK && i < v->rows.row_count; i++)
        if (v->totals[v->order[i]].kernels || v->rows.rows[v->order[i]].kernels)
            v->order[v->shown++] = v->order[i];
    return status;
}

void view_free(view *v) {
    split_free(&v->rows);
    free(v->totals);
    free(v->order);
}

/* ---- JSON ---- */

size_t count_operations(const habitat_trace *trace) {
    size_t count, framework = 0;
    const habitat_operation *ops = habitat_trace_operations(trace, &count);
    for (size_t i = 0; i < count; i++)
        framework += ops[i].form->kind == HABITAT_OPERATION_FRAMEWORK;
    return framework;
}

void ratios_to_text(const habitat_answer *what, char *text, size_t size) {
    const habitat_workload_info *info = habitat_workload_get_info(what->workload);
    double ms = what->row_count && what->replay ? what->rows[0].prediction->origin_iteration_ms
                                                : (double)NAN;
    char to[32];
    *text = '\0';
    if (!(fabs(ms / info->iteration_ms - 1) > chosen_said_rate_apart))
        return;
    ms_text(ms, to, sizeof to);
    snprintf(text, size, "; ratios are to %s ms%s", to,
             info->iteration_recorded ? "" : ", without the profiler");
}

void untimed_operations_text(const habitat_answer *what, char *text, size_t size) {
    const habitat_workload_info *info = habitat_workload_get_info(what->workload);
    size_t iterations = what->trace ? habitat_trace_get_info(what->trace)->iteration_count : 1;
    double count = (double)info->trace_kernel_count / (double)(iterations ? iterations : 1);
    habitat_format(text, size, "%.*f operations%s", count == floor(count) ? 0 : 1, count,
                   iterations > 1 ? " an iteration" : "");
}

const char *origin_name(const habitat_workload_info *info) {
    return info->origin ? info->origin->name : NULL;
}

const char *batch_source_name(const habitat_trace_info *trace) {
    return !trace->batch_size ? NULL : trace->batch_size_said ? "said" : "recorded";
}

/* Of the recording, as `info` tells it, whether or not several GPUs were asked for. */
static void json_gradients_source(writer *w, const habitat_trace *trace) {
    trace_gradients found;
    habitat_status status = trace_gradients_of(trace, &found, NULL);
    json_text(w, "gradients_source",
              status == HABITAT_OK ? trace_gradients_source_name(found.source) : NULL);
    if (status != HABITAT_OK)
        writer_stop(w, status);
    trace_gradients_free(&found);
}

void json_report_head(writer *w, const habitat_answer *what) {
    const habitat_trace_info *trace = habitat_trace_get_info(what->trace);
    const habitat_workload_info *info = habitat_workload_get_info(what->workload);
    json_start(w);
    json_map(w, NULL);
    json_integer(w, "schema", 1);
    json_text(w, "habitat", habitat_version());
    json_map(w, "trace");
    json_text(w, "file", trace->file);
    char sha256[65];
    bool hashed = habitat_trace_sha256(what->trace, sha256, NULL) == HABITAT_OK;
    json_text(w, "sha256", hashed ? sha256 : NULL);
    json_text(w, "gpu", origin_name(info));
    json_integer(w, "iterations", info->origin ? info->iteration_count : trace->iteration_count);
    /* without a GPU: the CPU's own, where it was timed, as `info` has it */
    bool timed = !info->origin && isfinite(trace->iteration_ms);
    json_number(w, "iteration_ms", info->origin ? info->iteration_ms : trace->iteration_ms);
    json_text(w, "iteration_source",
              timed                      ? "recorded"
              : !info->origin            ? NULL
              : info->iteration_recorded ? "recorded"
                                         : "trace");
    json_number(w, "kernel_ms", info->kernel_ms);
    json_number(w, "copy_ms", info->copy_ms);
    json_number(w, "busy_ms", info->busy_ms);
    json_integer(w, "kernels", info->origin ? info->trace_kernel_count : 0);
    json_integer(w, "operations", count_operations(what->trace));
    json_known_integer(w, "batch_size", trace->batch_size);
    json_text(w, "batch_size_source", batch_source_name(trace));
    json_gradients_source(w, what->trace);
    json_text(w, "bound_by", bound_by_name(info->bound_by));
    json_text(w, "model", trace->model);
    json_text(w, "framework", trace->framework);
    json_text(w, "cuda_version", trace->cuda_version);
    json_text(w, "hip_version", trace->hip_version);
    json_known_integer(w, "cudnn_version", trace->cudnn_version);
    json_text(w, "driver_version", trace->driver_version);
    json_warnings(w, what, HABITAT_ABOUT_RECORDING, HABITAT_ABOUT_RECORDING);
    json_end_map(w);
}

void json_warnings(writer *w, const habitat_answer *what, habitat_warning_about first,
                   habitat_warning_about last) {
    json_array(w, "warnings");
    for (size_t i = 0; i < what->warning_count; i++)
        if (what->warnings[i].about >= first && what->warnings[i].about <= last)
            json_text(w, NULL, what->warnings[i].text);
    json_end_array(w);
}

void json_report_foot(writer *w, const habitat_answer *what) {
    json_warnings(w, what, HABITAT_ABOUT_NOTE, HABITAT_ABOUT_DESTINATIONS);
    json_end_map(w);
}

/* ---- text ---- */

void coverage_text(const habitat_prediction *p, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int m = 0; m < HABITAT_METHOD_COUNT; m++) {
        double share = p->coverage[m];
        if (!(share > 0) || used >= size)
            continue;
        const char *name = habitat_method_name((habitat_method)m);
        int n = share < 0.001 ? habitat_format(text + used, size - used, "%s%s under 0.1 %%",
                                               used ? ", " : "", name)
                              : habitat_format(text + used, size - used, "%s%s %.1f %%",
                                               used ? ", " : "", name, 100 * share);
        used += n > 0 ? (size_t)n : 0;
    }
}

static void text_warning(writer *w, bool *first, const char *warning) {
    char clean[1024];
    if (*first)
        writer_text(w, "\n");
    *first = false;
    clean_text(clean, sizeof clean, warning);
    wrapped_text(w, "Note: ", 6, clean);
}

bool warned_before(const habitat_answer *const *answers, size_t count, const char *text) {
    for (size_t a = 0; a < count; a++)
        for (size_t i = 0; i < answers[a]->warning_count; i++)
            if (strcmp(answers[a]->warnings[i].text, text) == 0)
                return true;
    return false;
}

void text_warnings(writer *w, const habitat_answer *what, habitat_warning_about first) {
    bool none = true;
    for (size_t i = 0; i < what->warning_count; i++)
        if (what->warnings[i].about >= first)
            text_warning(w, &none, what->warnings[i].text);
}

void text_kind(writer *w, const habitat_answer *what, habitat_warning_kind kind) {
    bool none = true;
    for (size_t i = 0; i < what->warning_count; i++)
        if (what->warnings[i].kind == kind)
            text_warning(w, &none, what->warnings[i].text);
}
