/* habitat explain: where the time of one iteration goes on the origin and on one destination. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "report/notes.h"
#include "report/page.h"
#include "report/prediction_rows.h"
#include "report/reasons.h"
#include "report/screen.h"
#include "report/shared_pieces.h"

enum { DEFAULT_TOP = 15, TEXT_BYTES = 256, NAME_BYTES = 48 };

/* Where the answer is to end on one screen, without what the interval was made from. */
static void explain_interval(writer *w, const habitat_prediction *p, bool whole) {
    char line[TEXT_BYTES];
    const char *words = whole ? habitat_interval_words(p->interval_basis) : NULL;
    snprintf(line, sizeof line, "%s%s%s", habitat_interval_name(p->interval_basis),
             words ? ": " : "", words ? words : "");
    wrapped_text(w, "interval   ", 11, line);
}

static void explain_title(writer *w, const habitat_answer *what, const habitat_prediction *p) {
    const habitat_workload_info *info = habitat_workload_get_info(what->workload);
    const char *from = info->origin ? info->origin->name : "recorded without a GPU";
    const char *method = habitat_method_name(p->method);
    char name[FILE_NAME_BYTES];
    file_name(what->trace, name);
    size_t width = strlen(from) + strlen(p->gpu->name) + strlen(method) + display_width(name) +
                   strlen(" -> , method , ");
    styled_text(w, info->origin ? STYLE_BOLD : STYLE_PLAIN, from);
    writer_text(w, " -> ");
    styled_text(w, STYLE_BOLD, p->gpu->name);
    writer_printf(w, ", method %s%s%s\n", method, width <= w->width ? ", " : "\n", name);
}

static void explain_iteration(writer *w, const habitat_prediction *p) {
    char from[32], to[32], low[32], high[32], ratio[32];
    ms_text(p->origin_iteration_ms, from, sizeof from);
    ms_text(p->iteration_ms, to, sizeof to);
    ms_text(p->low_ms, low, sizeof low);
    ms_text(p->high_ms, high, sizeof high);
    ratio_text(ratio_of(p), ratio, sizeof ratio);
    writer_printf(w, "iteration  %s ms -> %s ms (%s to %s), %s\n", from, to, low, high, ratio);
}

/* What the iteration's time is made of, along the way that decides. */
static void explain_path(writer *w, const habitat_prediction *p) {
    char cpu[32], kernels[32], gaps[32];
    if (isnan(p->path_cpu_ms))
        return;
    ms_text(p->path_cpu_ms, cpu, sizeof cpu);
    ms_text(p->path_kernel_ms, kernels, sizeof kernels);
    ms_text(p->path_gap_ms, gaps, sizeof gaps);
    writer_printf(w, "critical path  CPU %s ms, kernels %s ms, pauses %s ms\n", cpu, kernels, gaps);
}

static void explain_head(writer *w, const habitat_answer *what, const habitat_prediction *p,
                         bool whole) {
    const habitat_workload_info *info = habitat_workload_get_info(what->workload);
    char line[3 * TEXT_BYTES], from[32], to[32], ratio[32];
    explain_title(w, what, p);
    explain_iteration(w, p);
    explain_interval(w, p, whole);
    if (whole)
        explain_path(w, p);
    ms_text(info->kernel_ms, from, sizeof from);
    ms_text(p->kernel_ms, to, sizeof to);
    ratio_text(p->kernel_ms / info->kernel_ms, ratio, sizeof ratio);
    writer_printf(w, "kernels    %s ms -> %s ms, %s\n", from, to, ratio);
    coverage_text(p, line, sizeof line);
    wrapped_text(w, "methods    ", 11, line);
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

/* The classes with the most time, and one row for those behind the first `most`; copies stand alone
 * but where they would be among the rest. */
static void explain_classes(writer *w, const habitat_answer *what, const habitat_prediction *p,
                            size_t most) {
    static const table_column columns[] = {
        {"class", false, false}, {"origin\nms", true, false}, {"predicted\nms", true, false},
        {"ratio", true, false},  {"share", true, false},      {"", false, false}};
    const habitat_class_total *classes = p->by_class;
    double copy_origin_ms = habitat_workload_get_info(what->workload)->copy_ms;
    double whole = p->kernel_ms + p->copy_ms, rest_ms = 0, rest_origin_ms = 0;
    size_t shown = p->class_count <= most + 1 ? p->class_count : most,
           more = p->class_count - shown;
    bool copies = p->copy_ms > 0, small = more && p->copy_ms < classes[shown - 1].ms;
    char rest[32];
    text_table t;
    for (size_t i = shown; i < p->class_count; i++) {
        rest_ms += classes[i].ms;
        rest_origin_ms += classes[i].origin_ms;
    }
    snprintf(rest, sizeof rest, "(%zu more)", more + (copies && small));
    writer_text(w, "\n");
    table_start(&t, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < shown; i++)
        class_row(&t, habitat_class_name(classes[i].op_class), classes[i].origin_ms, classes[i].ms,
                  whole);
    if (more)
        class_row(&t, rest, rest_origin_ms + (small ? copy_origin_ms : 0),
                  rest_ms + (small ? p->copy_ms : 0), whole);
    if (copies && !small)
        class_row(&t, "memcpy", copy_origin_ms, p->copy_ms, whole);
    table_write(&t, w);
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

/* What is behind the classes, and how to see all of it. */
static void explain_longest(writer *w, const view *v) {
    char line[TEXT_BYTES], name[NAME_BYTES], detail[TEXT_BYTES / 2], ms[32];
    if (!v->rows.row_count)
        return;
    const split_row *row = &v->rows.rows[v->order[0]];
    bool cut = clean_text(name, sizeof name, row->name) < strlen(row->name);
    clean_text(detail, sizeof detail, row->detail);
    ms_text(v->totals[v->order[0]].ms, ms, sizeof ms);
    snprintf(line, sizeof line, "%s%s%s%s, %s ms. All: --top 15.", name, cut ? ".." : "",
             *detail ? " " : "", detail, ms);
    wrapped_text(w, "Longest: ", 9, line);
}

/* All of it: the answer and its reasons come last again, where they stay on the screen. */
static void explain_whole(writer *w, const habitat_answer *what, const habitat_prediction *p,
                          const view *v, size_t top) {
    explain_head(w, what, p, true);
    explain_classes(w, what, p, HABITAT_CLASS_COUNT);
    writer_text(w, "\n");
    text_rows(w, v, top);
    if (habitat_workload_get_info(what->workload)->origin) /* else nothing was measured */
        explain_roofs(w, what, v, top);
    text_warnings(w, what, HABITAT_ABOUT_REQUEST);
    writer_text(w, "\n");
    explain_iteration(w, p);
    text_reasons(w, what, p);
}

/* What fits on one screen. */
static void explain_short(writer *w, const habitat_answer *what, const habitat_prediction *p,
                          const view *v, size_t classes) {
    const habitat_answer_row *row = &what->rows[0];
    explain_head(w, what, p, false);
    if (classes)
        explain_classes(w, what, p, classes);
    text_reasons(w, what, p);
    writer_text(w, "\n");
    explain_longest(w, v);
    notes_short(w, what, &row, 1, false);
}

static void explain_text(writer *w, const habitat_answer *what, const habitat_prediction *p,
                         const view *v, const habitat_report_options *options) {
    screen s;
    size_t classes = HABITAT_CLASS_COUNT;
    if (options->top || options->by) {
        explain_whole(w, what, p, v, options->top ? options->top : DEFAULT_TOP);
        return;
    }
    do {
        writer counting = screen_writer(w, &s);
        classes = classes > 1 ? classes - 1 : 0;
        explain_short(&counting, what, p, v, classes);
        writer_stop(w, counting.status); /* fewer lines were counted than there are */
    } while (classes > 0 && s.lines > SCREEN_LINES);
    explain_short(w, what, p, v, classes);
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
        explain_text(&w, what, p, &v, options);
    }
    view_free(&v);
    habitat_status written = writer_finish(&w, err);
    return status != HABITAT_OK ? status : written;
}
