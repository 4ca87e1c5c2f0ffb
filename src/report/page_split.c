/* Where the time goes, in an HTML report: by class of operation on every GPU, and the slowest
 * operations on each. */
#include <math.h>
#include <stdio.h>

#include <habitat/text.h>

#include "gpu/gpu.h"
#include "report/html.h"
#include "report/page_split.h"
#include "report/reasons.h"
#include "report/shared_pieces.h"

/* ---- classes ---- */

static void find_classes(const page *p, const habitat_answer *answer, page_split *out) {
    double sums[HABITAT_CLASS_COUNT] = {0};
    for (size_t i = 0; i < p->shown && i < MOST_BREAKDOWN; i++) {
        const habitat_answer_row *row = page_row_in(answer, &p->rows[i]);
        for (size_t c = 0; row && c < row->prediction->class_count; c++)
            sums[row->prediction->by_class[c].op_class] +=
                row->prediction->by_class[c].ms / row->prediction->kernel_ms;
    }
    while (out->class_count < PAGE_CLASSES) {
        size_t best = 0;
        for (size_t c = 1; c < HABITAT_CLASS_COUNT; c++)
            best = sums[c] > sums[best] ? c : best;
        if (!(sums[best] > 0))
            break;
        out->classes[out->class_count++] = (habitat_class)best;
        sums[best] = -1;
    }
}

static void add_bar(page_split *out, const habitat_prediction *of, const char *name, bool measured,
                    double copy_ms) {
    page_class_bar *bar = &out->bars[out->bar_count++];
    *bar = (page_class_bar){0};
    snprintf(bar->name, sizeof bar->name, "%s%s", name, measured ? ", measured" : "");
    for (size_t i = 0; i < of->class_count; i++) {
        const habitat_class_total *total = &of->by_class[i];
        size_t at = 0;
        while (at < out->class_count && out->classes[at] != total->op_class)
            at++;
        bar->ms[at] += measured ? total->origin_ms : total->ms;
    }
    bar->ms[out->class_count + 1] = copy_ms;
}

/* A row that is the recording itself stands as measured already. */
void page_split_make(const page *p, const habitat_answer *answer, page_split *out) {
    const habitat_workload_info *info = habitat_workload_get_info(answer->workload);
    bool told = !info->origin;
    *out = (page_split){.class_count = 0};
    find_classes(p, answer, out);
    for (size_t i = 0; i < p->shown && i < MOST_BREAKDOWN; i++) {
        const habitat_answer_row *row = page_row_in(answer, &p->rows[i]);
        bool recorded = row && page_as_recorded(row);
        if (recorded && !told)
            add_bar(out, row->prediction, info->origin->name, true, info->copy_ms);
        told = told || recorded;
        if (row && !(recorded && row->key.gpu == info->origin && row->key.gpu_count <= 1))
            add_bar(out, row->prediction, p->rows[i].label, false, row->prediction->copy_ms);
    }
}

static void class_row(page *p, const page_class_bar *bar, size_t count) {
    double sum = 0;
    writer_text(&p->w, "<tr><th scope=\"row\">");
    html_text(&p->w, bar->name);
    writer_text(&p->w, "</th>\n");
    for (size_t i = 0; i < count; i++)
        sum += bar->ms[i];
    int decimals = decimals_for(sum, 4);
    html_number_cell(&p->w, sum, decimals);
    for (size_t i = 0; i < count; i++)
        html_number_cell(&p->w, bar->ms[i], decimals);
    writer_text(&p->w, "</tr>\n");
}

static void class_table(page *p, const habitat_answer *answer) {
    const char *headers[PAGE_CLASSES + 4] = {"GPU", "All, ms"};
    page_split parts;
    page_split_make(p, answer, &parts);
    for (size_t c = 0; c < parts.class_count; c++)
        headers[2 + c] = habitat_class_name(parts.classes[c]);
    headers[2 + parts.class_count] = "rest";
    headers[3 + parts.class_count] = "copies";
    writer_text(&p->w, "<details><summary>The numbers of this chart</summary>\n"
                       "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                       "aria-label=\"Time by class\">\n<table class=\"sortable\"><caption>Kernels "
                       "of one iteration by class of operation, ms</caption>\n");
    html_head(&p->w, headers, parts.class_count + 4);
    writer_text(&p->w, "<tbody>\n");
    for (size_t i = 0; i < parts.bar_count; i++)
        class_row(p, &parts.bars[i], parts.class_count + 2);
    writer_text(&p->w, "</tbody></table></div></details>\n");
}

static void heading_of(page *p, const habitat_answer *answer) {
    const char *file = answer->trace ? habitat_trace_get_info(answer->trace)->file : NULL;
    if (p->answer_count > 1)
        html_element(&p->w, "h3", file ? base_name(file) : "operations");
}

void page_breakdown(page *p) {
    if (p->shown > MOST_BREAKDOWN)
        writer_printf(&p->w, "<p>The first %d of %zu.</p>\n", MOST_BREAKDOWN, p->shown);
    for (size_t i = 0; i < p->answer_count; i++) {
        heading_of(p, p->answers[i]);
        writer_printf(&p->w, "<div class=\"chart\" id=\"breakdown-%zu\"></div>\n", i);
        class_table(p, p->answers[i]);
    }
    if (p->explains)
        html_reasons(&p->w, p->what, p->what->rows[0].prediction);
}

/* ---- operations ---- */

enum { DEFAULT_TOP = 15 };

static void operation_row(page *p, const view *v, size_t at, double whole_ms) {
    const split_row *row = &v->rows.rows[at];
    const split_total *total = &v->totals[at];
    double times =
        (double)(v->rows.by == SPLIT_OP || v->rows.by == SPLIT_MODULE ? row->calls : row->kernels) /
        v->rows.iterations;
    char share[32], interval[96], low[32], high[32], ratio[32];
    writer_text(&p->w, "<tr><th scope=\"row\">");
    html_text(&p->w, row->name);
    if (row->detail[0])
        html_element(&p->w, "small", row->detail);
    writer_text(&p->w, "</th>\n");
    html_number_cell(&p->w, times, times == floor(times) ? 0 : 1);
    html_ms_cell(&p->w, row->origin_ms);
    html_ms_cell(&p->w, total->ms);
    ms_text(total->low_ms, low, sizeof low);
    ms_text(total->high_ms, high, sizeof high);
    snprintf(interval, sizeof interval, "%s \xe2\x80\x93 %s", low, high);
    html_shown_cell(&p->w, total->high_ms, interval);
    double factor = row->origin_ms > 0 ? total->ms / row->origin_ms : NAN;
    ratio_text(factor, ratio, sizeof ratio);
    html_shown_cell(&p->w, factor, ratio);
    double part = whole_ms > 0 ? total->ms / whole_ms : NAN;
    habitat_format(share, sizeof share, "%.1f %%", 100 * part);
    html_shown_cell(&p->w, part, share);
    html_cell(&p->w, habitat_method_name(total->method));
    html_cell(&p->w,
              total->bound == HABITAT_BOUND_UNKNOWN ? NULL : habitat_bound_name(total->bound));
    writer_text(&p->w, "</tr>\n");
}

static void operation_table(page *p, const view *v, size_t top) {
    static const char *const names[] = {"Kernel", "Kernel", "Operation", "Class", "Module"};
    const char *const headers[] = {
        names[v->rows.by], "n",     "Origin, ms", "Predicted, ms", "Interval, ms",
        "Ratio",           "Share", "Method",     "Bound"};
    size_t shown = top < v->shown ? top : v->shown;
    double whole_ms = 0, rest_ms = 0;
    for (size_t i = 0; i < v->shown; i++)
        whole_ms += v->totals[i].ms;
    for (size_t i = shown; i < v->shown; i++)
        rest_ms += v->totals[v->order[i]].ms;
    writer_text(&p->w, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                       "aria-label=\"Slowest operations\">\n<table class=\"sortable "
                       "operations\"><caption>n: times in an iteration; bound: what the time goes "
                       "to on this GPU</caption>\n");
    html_head(&p->w, headers, sizeof headers / sizeof *headers);
    writer_text(&p->w, "<tbody>\n");
    for (size_t i = 0; i < shown; i++)
        operation_row(p, v, v->order[i], whole_ms);
    writer_text(&p->w, "</tbody></table></div>\n");
    if (shown < v->shown)
        writer_printf(&p->w, "<p>%zu more take %.1f %% of the time.</p>\n", v->shown - shown,
                      whole_ms > 0 ? 100 * rest_ms / whole_ms : 0.0);
}

static habitat_status operations_of(page *p, const habitat_answer *answer, view *v, size_t most) {
    size_t top = p->options->top && p->explains ? p->options->top : DEFAULT_TOP, told = 0;
    for (size_t i = 0; i < p->shown && told < most; i++) {
        const habitat_answer_row *row = page_row_in(answer, &p->rows[i]);
        if (!row)
            continue;
        habitat_status status = view_fill(v, row->prediction, p->err);
        if (status != HABITAT_OK)
            return status;
        writer_printf(&p->w, "<details%s><summary>", told++ == 0 ? " open" : "");
        html_text(&p->w, p->rows[i].label);
        writer_text(&p->w, "</summary>\n");
        operation_table(p, v, top);
        writer_text(&p->w, "</details>\n");
    }
    return HABITAT_OK;
}

void page_operations(page *p) {
    habitat_report_by by =
        p->options->by == HABITAT_REPORT_BY_NOTHING || p->options->by == HABITAT_REPORT_BY_CLASS
            ? HABITAT_REPORT_BY_OP
            : p->options->by;
    if (p->what->row_count && !page_as_recorded(&p->what->rows[0])) {
        writer_text(&p->w, "<p>Operations are named for the recorded step alone: leave out --batch "
                           "and --precision.</p>\n");
        return;
    }
    for (size_t i = 0; i < p->answer_count && p->w.status == HABITAT_OK; i++) {
        view v = {0};
        habitat_status status =
            view_create(p->answers[i], split_for(by, HABITAT_REPORT_TEXT), &v, p->err);
        heading_of(p, p->answers[i]);
        if (status == HABITAT_OK)
            status = operations_of(p, p->answers[i], &v, p->answer_count > 1 ? 3 : MOST_OPERATIONS);
        view_free(&v);
        if (status != HABITAT_OK)
            writer_stop(&p->w, status);
    }
}
