/* habitat explain: where the time of one iteration goes on the origin and on one destination. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "report/page.h"
#include "report/parts.h"
#include "report/prediction_rows.h"
#include "report/reasons.h"

enum { DEFAULT_TOP = 15, TEXT_BYTES = 256 };

static void explain_interval(writer *w, const habitat_prediction *p) {
    char line[TEXT_BYTES];
    const char *words = habitat_interval_words(p->interval_basis);
    snprintf(line, sizeof line, "%s%s%s", habitat_interval_name(p->interval_basis),
             words ? ": " : "", words ? words : "");
    wrapped_text(w, "interval   ", 11, line);
}

static void explain_head(writer *w, const habitat_answer *what, const habitat_prediction *p) {
    const habitat_workload_info *info = habitat_workload_get_info(what->workload);
    const char *file = habitat_trace_get_info(what->trace)->file;
    char name[TEXT_BYTES], line[3 * TEXT_BYTES], from[32], to[32], low[32], high[32], ratio[32];
    clean_text(name, sizeof name, base_name(file ? file : ""));
    if (info->origin) {
        styled_text(w, STYLE_BOLD, info->origin->name);
        writer_text(w, " -> ");
    } else {
        writer_text(w, "recorded without a GPU -> ");
    }
    styled_text(w, STYLE_BOLD, p->gpu->name);
    writer_printf(w, ", method %s\n%s\n\n", habitat_method_name(p->method), name);
    ms_text(p->origin_iteration_ms, from, sizeof from);
    ms_text(p->iteration_ms, to, sizeof to);
    ms_text(p->low_ms, low, sizeof low);
    ms_text(p->high_ms, high, sizeof high);
    ratio_text(ratio_of(p), ratio, sizeof ratio);
    writer_printf(w, "iteration  %s ms -> %s ms (%s to %s), %s\n", from, to, low, high, ratio);
    explain_interval(w, p);
    ms_text(info->kernel_ms, from, sizeof from);
    ms_text(p->kernel_ms, to, sizeof to);
    ratio_text(p->kernel_ms / info->kernel_ms, ratio, sizeof ratio);
    writer_printf(w, "kernels    %s ms -> %s ms, %s\n", from, to, ratio);
    coverage_text(p, line, sizeof line);
    writer_printf(w, "methods    %s\n\n", line);
}

static void class_row(text_table *t, const char *name, double origin_ms, double ms,
                      double whole_ms) {
    double share = whole_ms > 0 ? ms / whole_ms : 0;
    int decimals = decimals_for(whole_ms, 5);
    char ratio[32], bar[40];
    ratio_text(ms / origin_ms, ratio, sizeof ratio);
    bar_text(share, 30, bar, sizeof bar);
    table_row(t, STYLE_PLAIN);
    table_cell(t, 0, "%s", name);
    table_number(t, 1, origin_ms, decimals);
    table_number(t, 2, ms, decimals);
    table_cell(t, 3, "%s", ratio);
    table_cell(t, 4, "%.1f %%", 100 * share);
    table_cell(t, 5, "%s", bar);
}

static void explain_classes(writer *w, const habitat_answer *what, const habitat_prediction *p) {
    static const table_column columns[] = {
        {"class", false, false}, {"origin\nms", true, false}, {"predicted\nms", true, false},
        {"ratio", true, false},  {"share", true, false},      {"", false, false}};
    double whole = p->kernel_ms + p->copy_ms;
    text_table t;
    table_start(&t, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < p->class_count; i++)
        class_row(&t, habitat_class_name(p->by_class[i].op_class), p->by_class[i].origin_ms,
                  p->by_class[i].ms, whole);
    if (p->copy_ms > 0)
        class_row(&t, "memcpy", habitat_workload_get_info(what->workload)->copy_ms, p->copy_ms,
                  whole);
    table_write(&t, w);
    writer_text(w, "\n");
}

/* Why a row scales as it does: what it did on the origin, and how near it came to each roof. */
static void explain_roofs(writer *w, const habitat_answer *what, const view *v, size_t top) {
    char line[3 * TEXT_BYTES];
    snprintf(
        line, sizeof line,
        "On the origin (%s): work that was counted, and which share of the sustained rate of "
        "its units and of its DRAM that is in the row's time. Near 100 %% a roof decides; far "
        "below both, latency, too few blocks or the kernel itself; above 100 %% a cache, or an "
        "algorithm with fewer operations, helped.",
        habitat_workload_get_info(what->workload)->origin->name);
    writer_text(w, "\n");
    wrapped_text(w, "", 0, line);
    writer_text(w, "\n");
    text_roofs(w, v, top);
}

static void write_prediction(writer *w, const habitat_answer *what) {
    prediction_line line;
    prediction_listing list = {.what = what};
    row_list rows = prediction_rows(&list, &line);
    rows.fill(rows.of, 0, rows.line);
    rows_json_keys(w, &rows, IN_EXPLAIN);
}

habitat_status habitat_report_explanation(const habitat_answer *what,
                                          const habitat_report_options *options,
                                          habitat_error *err) {
    writer w;
    view v = {0};
    if (!what || !what->trace || !what->workload || what->row_count < 1 ||
        !what->rows[0].prediction)
        return habitat_fail(err, HABITAT_E_ARG, "no prediction given");
    if (page_asked(options))
        return page_explanation(what, options, err);
    habitat_status status = writer_start(&w, options, err);
    if (status != HABITAT_OK)
        return status;
    const habitat_prediction *p = what->rows[0].prediction;
    habitat_report_by by = options->by ? options->by : HABITAT_REPORT_BY_OP;
    status = view_create(what, split_for(by, options->format), &v, err);
    if (status == HABITAT_OK)
        status = view_fill(&v, p, err);
    if (status == HABITAT_OK && options->format == HABITAT_REPORT_JSON) {
        static const char *const names[] = {"", "kernel", "op", "class", "module"};
        json_report_head(&w, what);
        json_map(&w, "prediction");
        write_prediction(&w, what);
        json_end_map(&w);
        json_reasons(&w, what, p);
        json_text(&w, "by", names[by]);
        json_rows(&w, "rows", &v);
        json_report_foot(&w, what);
    } else if (status == HABITAT_OK && options->format == HABITAT_REPORT_CSV) {
        csv_rows_header(&w, &v);
        csv_rows(&w, p->gpu->name, &v);
    } else if (status == HABITAT_OK) {
        explain_head(&w, what, p);
        explain_classes(&w, what, p);
        text_reasons(&w, what, p);
        text_rows(&w, &v, options->top ? options->top : DEFAULT_TOP);
        if (habitat_workload_get_info(what->workload)->origin) /* else nothing was measured */
            explain_roofs(&w, what, &v, options->top ? options->top : DEFAULT_TOP);
        text_warnings(&w, what);
    }
    view_free(&v);
    habitat_status written = writer_finish(&w, err);
    return status != HABITAT_OK ? status : written;
}
