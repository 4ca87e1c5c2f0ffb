/* Shared pieces of reports; see parts.h. */
#include "report/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "base/error.h"
#include "gpu/gpu.h"

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
        return SPLIT_MODULE;
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

static const char *bound_by_name(habitat_bound_by by) {
    return by == HABITAT_BY_GPU ? "gpu" : by == HABITAT_BY_CPU ? "cpu" : NULL;
}

double ratio_of(const habitat_report_predictions *what, const habitat_prediction *p) {
    return p->busy_ms / habitat_workload_get_info(what->workload)->busy_ms;
}

habitat_status view_create(const habitat_report_predictions *what, split_by by, view *out,
                           habitat_error *err) {
    *out = (view){0};
    habitat_status status = split_create(what->trace, what->workload, by, &out->rows, err);
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
        framework += ops[i].kind == HABITAT_OPERATION_FRAMEWORK;
    return framework;
}

void json_report_head(writer *w, const habitat_report_predictions *what) {
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
    json_text(w, "gpu", info->origin->name);
    json_integer(w, "iterations", info->iteration_count);
    json_number(w, "iteration_ms", info->iteration_ms);
    json_text(w, "iteration_source", info->iteration_recorded ? "recorded" : "trace");
    json_number(w, "kernel_ms", info->kernel_ms);
    json_number(w, "copy_ms", info->copy_ms);
    json_number(w, "busy_ms", info->busy_ms);
    json_integer(w, "kernels", info->trace_kernel_count);
    json_integer(w, "operations", count_operations(what->trace));
    json_known_integer(w, "batch_size", trace->batch_size);
    json_text(w, "bound_by", bound_by_name(info->bound_by));
    json_text(w, "model", trace->model);
    json_text(w, "framework", trace->framework);
    json_array(w, "warnings");
    size_t count;
    const char *const *warnings = habitat_workload_warnings(what->workload, &count);
    for (size_t i = 0; i < count; i++)
        json_text(w, NULL, warnings[i]);
    json_end_array(w);
    json_end_map(w);
}

enum { FORMAT_WARNING_BYTES = 400 };

/* Intervals that nobody calibrated, among these. */
static const char *interval_warning(const habitat_prediction *const *predictions, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!predictions[i]->intervals_calibrated)
            return habitat_default_interval_warning();
    return NULL;
}

/* What these destinations, and not the recording, give reason to say. */
static void json_destination_warnings(writer *w, const habitat_report_predictions *what,
                                      const habitat_prediction *const *predictions, size_t count) {
    for (int d = 0; d < HABITAT_DTYPE_COUNT; d++) {
        char line[FORMAT_WARNING_BYTES];
        if (habitat_format_warning(what->workload, predictions, count, (habitat_dtype)d, line,
                                   sizeof line))
            json_text(w, NULL, line);
    }
    const char *vendor = habitat_vendor_warning(what->workload, predictions, count);
    if (vendor)
        json_text(w, NULL, vendor);
    char note[FORMAT_WARNING_BYTES];
    if (habitat_calibration_note(predictions, count, note, sizeof note))
        json_text(w, NULL, note);
    if (interval_warning(predictions, count))
        json_text(w, NULL, interval_warning(predictions, count));
}

void json_own_warnings(writer *w, const habitat_report_predictions *what,
                       const habitat_prediction *prediction) {
    json_array(w, "warnings");
    json_destination_warnings(w, what, &prediction, 1);
    json_end_array(w);
}

void json_report_foot(writer *w, const habitat_report_predictions *what) {
    size_t count;
    const char *const *warnings = habitat_workload_warnings(what->workload, &count);
    json_array(w, "warnings");
    for (size_t i = 0; i < what->warning_count; i++)
        json_text(w, NULL, what->warnings[i]);
    for (size_t i = 0; i < count; i++)
        json_text(w, NULL, warnings[i]);
    json_destination_warnings(w, what, what->predictions, what->count);
    json_end_array(w);
    json_end_map(w);
}

static void json_coverage(writer *w, const habitat_prediction *prediction) {
    json_map(w, "coverage");
    for (int m = 0; m < HABITAT_METHOD_COUNT; m++)
        if (prediction->coverage[m] > 0)
            json_number(w, habitat_method_name((habitat_method)m), prediction->coverage[m]);
    json_end_map(w);
}

void json_prediction(writer *w, const habitat_prediction *p) {
    json_text(w, "gpu", p->gpu->name);
    json_text(w, "method", habitat_method_name(p->method));
    json_number(w, "iteration_ms", p->iteration_ms);
    json_number(w, "low_ms", p->low_ms);
    json_number(w, "high_ms", p->high_ms);
    json_number(w, "busy_ms", p->busy_ms);
    json_number(w, "kernel_ms", p->kernel_ms);
    json_number(w, "copy_ms", p->copy_ms);
    json_text(w, "bound_by", bound_by_name(p->bound_by));
    json_number(w, "memory_bytes", p->memory_bytes);
    json_tristate(w, "fits", p->fits);
    json_coverage(w, p);
    json_integer(w, "calibrated_operations", p->calibrated_operations);
    json_array(w, "by_class");
    for (size_t i = 0; i < p->class_count; i++) {
        json_map(w, NULL);
        json_text(w, "class", habitat_class_name(p->by_class[i].op_class));
        json_number(w, "origin_ms", p->by_class[i].origin_ms);
        json_number(w, "ms", p->by_class[i].ms);
        json_end_map(w);
    }
    json_end_array(w);
}

/* Names of the columns `name` and `detail` of a split; NULL: not shown. */
static void row_keys(split_by by, const char **name, const char **detail) {
    static const char *const names[] = {"kernel", "kernel", "op", "class", "module"};
    static const char *const details[] = {"operation", NULL, "shape", NULL, NULL};
    *name = names[by];
    *detail = details[by];
}

void json_rows(writer *w, const char *list, const split *s, const split_total *totals,
               const size_t *order) {
    const char *name, *detail;
    row_keys(s->by, &name, &detail);
    json_array(w, list);
    for (size_t i = 0; i < s->row_count; i++) {
        const split_row *row = &s->rows[order[i]];
        const split_total *total = &totals[order[i]];
        json_map(w, NULL);
        json_text(w, name, row->name);
        if (detail)
            json_text(w, detail, row->detail[0] ? row->detail : NULL);
        if (s->by != SPLIT_CLASS)
            json_text(w, "class", habitat_class_name(row->op_class));
        if (s->by != SPLIT_LAUNCH) {
            json_integer(w, "calls", row->calls);
            json_integer(w, "kernels", row->kernels);
        } else {
            json_integer(w, "iteration", row->iteration);
        }
        json_number(w, "origin_ms", row->origin_ms);
        json_number(w, "ms", total->ms);
        json_number(w, "low_ms", total->low_ms);
        json_number(w, "high_ms", total->high_ms);
        json_text(w, "method", habitat_method_name(total->method));
        json_text(w, "bound", habitat_bound_name(total->bound));
        json_end_map(w);
    }
    json_end_array(w);
}

/* ---- CSV ---- */

void csv_rows_header(writer *w, habitat_report_by by) {
    static const char *const rest[] = {"class",  "calls",  "kernels",  "origin_ms",
                                       "ms",     "low_ms", "high_ms",  "ratio",
                                       "method", "bound",  "iteration"};
    const char *name, *detail;
    split_by kind = split_for(by, HABITAT_REPORT_CSV);
    row_keys(kind, &name, &detail);
    csv_text(w, "gpu");
    csv_text(w, name);
    if (detail)
        csv_text(w, detail);
    /* by class, the name is the class */
    size_t skip = kind == SPLIT_CLASS;
    size_t last = sizeof rest / sizeof rest[0] - (kind != SPLIT_LAUNCH);
    csv_header(w, rest + skip, last - skip);
}

void csv_rows(writer *w, const char *gpu, const split *s, const split_total *totals,
              const size_t *order) {
    const char *name, *detail;
    row_keys(s->by, &name, &detail);
    for (size_t i = 0; i < s->row_count; i++) {
        const split_row *row = &s->rows[order[i]];
        const split_total *total = &totals[order[i]];
        csv_text(w, gpu);
        csv_text(w, row->name);
        if (detail)
            csv_text(w, row->detail);
        if (s->by != SPLIT_CLASS)
            csv_text(w, habitat_class_name(row->op_class));
        csv_integer(w, row->calls);
        csv_integer(w, row->kernels);
        csv_number(w, row->origin_ms);
        csv_number(w, total->ms);
        csv_number(w, total->low_ms);
        csv_number(w, total->high_ms);
        csv_number(w, row->origin_ms > 0 ? total->ms / row->origin_ms : (double)NAN);
        csv_text(w, habitat_method_name(total->method));
        csv_text(w, habitat_bound_name(total->bound));
        if (s->by == SPLIT_LAUNCH)
            csv_integer(w, row->iteration);
        csv_end_row(w);
    }
}

/* ---- text ---- */

/* How often in one iteration: kernels for kernels and classes, calls for operations and modules. */
static double times(const split *s, const split_row *row) {
    bool kernels = s->by == SPLIT_KERNEL || s->by == SPLIT_LAUNCH || s->by == SPLIT_CLASS;
    return (double)(kernels ? row->kernels : row->calls) / s->iterations;
}

/* "void at::native::elementwise_kernel<128, 2, ..>(..)" -> "elementwise_kernel": what a column has
 * room for; the whole name follows below the row. */
static void short_kernel(const char *name, char *text, size_t size) {
    static const char *const prefixes[] = {
        "void ",     "at::native::",     "(anonymous namespace)::",
        "cutlass::", "at_cuda_detail::", "cub::"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0];) {
        size_t length = strlen(prefixes[i]);
        bool found = strncmp(name, prefixes[i], length) == 0;
        name += found ? length : 0;
        i = found ? 0 : i + 1;
    }
    size_t length = strcspn(name, "<(");
    snprintf(text, size, "%.*s", (int)(length ? length : strlen(name)), name);
}

static void row_cells(table_style style, text_table *t, const char *name, double calls,
                      double origin_ms, const split_total *total, double whole_ms, int decimals) {
    char text[32];
    table_row(t, style);
    table_cell(t, 0, "%s", name);
    table_cell(t, 1, "%.*f", calls == floor(calls) ? 0 : 1, calls);
    table_number(t, 2, origin_ms, decimals);
    table_number(t, 3, total->ms, decimals);
    ratio_text(total->ms / origin_ms, text, sizeof text);
    table_cell(t, 4, "%s", text);
    table_cell(t, 5, "%.1f %%", whole_ms > 0 ? 100 * total->ms / whole_ms : 0.0);
}

void text_rows(writer *w, const split *s, const split_total *totals, const size_t *order,
               size_t top) {
    static const char *const first[] = {"kernel", "kernel", "operation", "class", "module"};
    const table_column columns[] = {{first[s->by], false, true}, {"n", true, false},
                                    {"origin\nms", true, false}, {"predicted\nms", true, false},
                                    {"ratio", true, false},      {"share", true, false},
                                    {"method", false, false},    {"bound", false, false}};
    size_t shown = s->row_count <= top + 1 ? s->row_count : top;
    split_total rest = {0}, all = {0};
    double rest_origin = 0, all_origin = 0;
    double rest_calls = 0, all_calls = 0;
    for (size_t i = 0; i < s->row_count; i++) {
        const split_row *row = &s->rows[order[i]];
        all.ms += totals[order[i]].ms;
        all_origin += row->origin_ms;
        all_calls += times(s, row);
        if (i >= shown) {
            rest.ms += totals[order[i]].ms;
            rest_origin += row->origin_ms;
            rest_calls += times(s, row);
        }
    }
    int decimals = decimals_for(all.ms, 5);
    text_table t;
    table_start(&t, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < shown; i++) {
        const split_row *row = &s->rows[order[i]];
        const split_total *total = &totals[order[i]];
        char name[128] = "";
        if (s->by == SPLIT_KERNEL)
            short_kernel(row->name, name, sizeof name);
        row_cells(STYLE_PLAIN, &t, s->by == SPLIT_KERNEL ? name : row->name, times(s, row),
                  row->origin_ms, total, all.ms, decimals);
        table_cell(&t, 6, "%s", habitat_method_name(total->method));
        table_cell(&t, 7, "%s",
                   total->bound == HABITAT_BOUND_UNKNOWN ? "-" : habitat_bound_name(total->bound));
        if (s->by == SPLIT_OP && row->detail[0])
            table_note(&t, row->detail);
        if (s->by == SPLIT_KERNEL && strcmp(name, row->name) != 0)
            table_note(&t, row->name);
    }
    char text[64];
    snprintf(text, sizeof text, "(%zu more)", s->row_count - shown);
    if (shown < s->row_count)
        row_cells(STYLE_DIM, &t, text, rest_calls, rest_origin, &rest, all.ms, decimals);
    row_cells(STYLE_BOLD, &t, "total", all_calls, all_origin, &all, all.ms, decimals);
    table_write(&t, w);
}

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

/* What the caller warned about is on stderr by now. */
void text_warnings(writer *w, const habitat_report_predictions *what) {
    size_t count;
    bool first = true;
    const char *const *warnings = habitat_workload_warnings(what->workload, &count);
    for (size_t i = 0; i < count; i++)
        text_warning(w, &first, warnings[i]);
    for (int d = 0; d < HABITAT_DTYPE_COUNT; d++) {
        char line[FORMAT_WARNING_BYTES];
        if (habitat_format_warning(what->workload, what->predictions, what->count, (habitat_dtype)d,
                                   line, sizeof line))
            text_warning(w, &first, line);
    }
    const char *vendor = habitat_vendor_warning(what->workload, what->predictions, what->count);
    if (vendor)
        text_warning(w, &first, vendor);
    char note[FORMAT_WARNING_BYTES];
    if (habitat_calibration_note(what->predictions, what->count, note, sizeof note))
        text_warning(w, &first, note);
    if (interval_warning(what->predictions, what->count))
        text_warning(w, &first, interval_warning(what->predictions, what->count));
}
