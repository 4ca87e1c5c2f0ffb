/* habitat predict: the iteration on every destination. JSON follows the contract of the man page
 * habitat-predict(1); text is sorted, fastest first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "report/parts.h"
#include "report/prediction_rows.h"
#include "work/class.h"

enum { DEFAULT_TOP = 15, CLASS_COLUMNS = 6, TEXT_BYTES = 256, WIDE_COLUMNS = 96 };

/* ---- JSON and CSV ---- */

static habitat_status write_json(writer *w, const habitat_answer *what, habitat_report_by by,
                                 view *v, habitat_error *err) {
    static const char *const lists[] = {"", "by_kernel", "by_op", "", "by_module"};
    prediction_line line;
    prediction_listing list = {.what = what};
    row_list rows = prediction_rows(&list, &line);
    habitat_status status = HABITAT_OK;
    json_report_head(w, what);
    json_array(w, "predictions");
    for (size_t i = 0; i < what->row_count && status == HABITAT_OK; i++) {
        rows.fill(rows.of, i, rows.line);
        json_map(w, NULL);
        rows_json_keys(w, &rows, IN_JSON);
        /* by_class is there always */
        if (by != HABITAT_REPORT_BY_NOTHING && by != HABITAT_REPORT_BY_CLASS) {
            status = view_fill(v, what->rows[i].prediction, err);
            if (status == HABITAT_OK)
                json_rows(w, lists[by], v);
            else
                writer_stop(w, status);
        }
        json_end_map(w);
    }
    json_end_array(w);
    json_report_foot(w, what);
    return status;
}

static void write_csv_summary(writer *w, const habitat_answer *what) {
    prediction_line line;
    prediction_listing list = {.what = what};
    row_list rows = prediction_rows(&list, &line);
    rows_csv_header(w, &rows);
    rows_csv(w, &rows);
}

static habitat_status write_csv_rows(writer *w, const habitat_answer *what, view *v,
                                     habitat_error *err) {
    habitat_status status = HABITAT_OK;
    csv_rows_header(w, v);
    for (size_t i = 0; i < what->row_count && status == HABITAT_OK; i++) {
        status = view_fill(v, what->rows[i].prediction, err);
        if (status == HABITAT_OK)
            csv_rows(w, what->rows[i].key.gpu->name, v);
    }
    return status;
}

/* ---- text ---- */

static void text_head(writer *w, const habitat_answer *what) {
    const habitat_trace_info *trace = habitat_trace_get_info(what->trace);
    const habitat_workload_info *info = habitat_workload_get_info(what->workload);
    char name[TEXT_BYTES], line[3 * TEXT_BYTES], busy[32], iteration[32], batch[48] = "";
    clean_text(name, sizeof name, base_name(trace->file ? trace->file : ""));
    ms_text(info->busy_ms, busy, sizeof busy);
    ms_text(info->iteration_ms, iteration, sizeof iteration);
    if (trace->batch_size)
        snprintf(batch, sizeof batch, ", batch size %llu", (unsigned long long)trace->batch_size);
    snprintf(line, sizeof line,
             "%s, recorded on %s%s: the GPU is busy %s ms of an iteration of %s ms (%s). "
             "Method %s%s.",
             name, info->origin->name, batch, busy, iteration,
             info->iteration_recorded ? "recorded" : "as profiled",
             habitat_method_name(what->method), what->replay ? "" : ", busy time (--assemble sum)");
    wrapped_text(w, "", 0, line);
    writer_text(w, "\n");
}

static int by_iteration(const void *a, const void *b) {
    const habitat_answer_row *x = *(const habitat_answer_row *const *)a;
    const habitat_answer_row *y = *(const habitat_answer_row *const *)b;
    if (x->prediction->iteration_ms != y->prediction->iteration_ms)
        return x->prediction->iteration_ms < y->prediction->iteration_ms ? -1 : 1;
    return strcmp(x->key.gpu->name, y->key.gpu->name);
}

static void text_summary(writer *w, const habitat_answer *what,
                         const habitat_answer_row *const *sorted, size_t shown) {
    prediction_line line;
    prediction_listing list = {.what = what, .sorted = sorted, .wide = w->width >= WIDE_COLUMNS};
    if (what->row_count)
        list.decimals = decimals_for(sorted[0]->prediction->iteration_ms, 3);
    row_list rows = prediction_rows(&list, &line);
    rows.count = shown;
    rows_text(w, &rows);
    bool small = false;
    for (size_t i = 0; i < shown; i++)
        small = small || sorted[i]->prediction->fits == 0;
    if (small)
        writer_printf(w, "\ntoo small: the %.1f GB that %s do not fit.\n",
                      sorted[0]->prediction->memory_bytes / HABITAT_GB,
                      isfinite(habitat_trace_get_info(what->trace)->peak_memory_bytes)
                          ? "were in use on the origin"
                          : "shapes tell it needs");
}

/* The classes with the most time over all destinations, largest first. */
static size_t top_classes(const habitat_answer *what, habitat_class *out) {
    double sums[HABITAT_CLASS_COUNT] = {0};
    size_t count = 0;
    for (size_t i = 0; i < what->row_count; i++)
        for (size_t c = 0; c < what->rows[i].prediction->class_count; c++) {
            const habitat_class_total *total = &what->rows[i].prediction->by_class[c];
            sums[total->op_class] += total->ms / what->rows[i].prediction->kernel_ms;
        }
    while (count < CLASS_COLUMNS) {
        int best = 0;
        for (int c = 1; c < HABITAT_CLASS_COUNT; c++)
            if (sums[c] > sums[best])
                best = c;
        if (!(sums[best] > 0))
            break;
        out[count++] = (habitat_class)best;
        sums[best] = -1;
    }
    return count;
}

/* One row a GPU, one column a class. */
static void text_classes(writer *w, const habitat_answer *what,
                         const habitat_answer_row *const *sorted, size_t shown) {
    habitat_class classes[CLASS_COLUMNS];
    size_t count = top_classes(what, classes);
    table_column columns[CLASS_COLUMNS + 3] = {{"GPU", false, true}, {"kernels\nms", true, false}};
    char headers[CLASS_COLUMNS][32];
    for (size_t c = 0; c < count; c++) {
        const char *heading = class_of(classes[c])->heading;
        snprintf(headers[c], sizeof headers[c], "%s\nms",
                 heading ? heading : habitat_class_name(classes[c]));
        columns[2 + c] = (table_column){headers[c], true, false};
    }
    columns[2 + count] = (table_column){"rest\nms", true, false};
    text_table t;
    table_start(&t, columns, count + 3);
    int decimals = what->row_count ? decimals_for(sorted[0]->prediction->kernel_ms, 3) : 0;
    for (size_t i = 0; i < shown; i++) {
        const habitat_prediction *p = sorted[i]->prediction;
        double rest = 0, values[CLASS_COLUMNS] = {0};
        char note[64];
        for (size_t c = 0; c < p->class_count; c++) {
            size_t at = 0;
            while (at < count && classes[at] != p->by_class[c].op_class)
                at++;
            if (at < count)
                values[at] = p->by_class[c].ms;
            else
                rest += p->by_class[c].ms;
        }
        table_row(&t, place_of(what, p, i, note, sizeof note));
        table_cell(&t, 0, "%s", p->gpu->name);
        table_number(&t, 1, p->kernel_ms, decimals);
        for (size_t c = 0; c < count; c++)
            table_number(&t, 2 + c, values[c], decimals);
        table_number(&t, 2 + count, rest, decimals);
    }
    table_write(&t, w);
}

static habitat_status text_sections(writer *w, const habitat_answer *what,
                                    const habitat_answer_row *const *sorted, view *v, size_t top,
                                    habitat_error *err) {
    for (size_t i = 0; i < what->row_count; i++) {
        const habitat_prediction *p = sorted[i]->prediction;
        char iteration[32], ratio[32];
        habitat_status status = view_fill(v, p, err);
        if (status != HABITAT_OK) {
            writer_stop(w, status);
            return status;
        }
        ms_text(p->iteration_ms, iteration, sizeof iteration);
        ratio_text(ratio_of(what, p), ratio, sizeof ratio);
        writer_text(w, i ? "\n" : "");
        styled_text(w, STYLE_BOLD, p->gpu->name);
        writer_printf(w, ": iteration %s ms, %s the origin\n", iteration, ratio);
        text_rows(w, v, top);
    }
    return HABITAT_OK;
}

static habitat_status write_text(writer *w, const habitat_answer *what,
                                 const habitat_report_options *options, view *v,
                                 habitat_error *err) {
    const habitat_answer_row **sorted =
        calloc(what->row_count ? what->row_count : 1, sizeof *sorted);
    habitat_status status = HABITAT_OK;
    if (!sorted)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < what->row_count; i++)
        sorted[i] = &what->rows[i];
    qsort(sorted, what->row_count, sizeof *sorted, by_iteration);
    bool one_row_a_gpu =
        options->by == HABITAT_REPORT_BY_NOTHING || options->by == HABITAT_REPORT_BY_CLASS;
    size_t shown = options->top && options->top < what->row_count ? options->top : what->row_count;
    text_head(w, what);
    if (options->by == HABITAT_REPORT_BY_NOTHING)
        text_summary(w, what, sorted, shown);
    else if (options->by == HABITAT_REPORT_BY_CLASS)
        text_classes(w, what, sorted, shown);
    else
        status = text_sections(w, what, sorted, v, options->top ? options->top : DEFAULT_TOP, err);
    if (one_row_a_gpu && shown < what->row_count)
        writer_printf(w, "\n%zu slower GPUs are left out: --top %zu.\n", what->row_count - shown,
                      shown);
    text_warnings(w, what);
    free(sorted);
    return status;
}

habitat_status habitat_report_prediction(const habitat_answer *what,
                                         const habitat_report_options *options,
                                         habitat_error *err) {
    writer w;
    habitat_status status = writer_start(&w, options, err);
    if (status != HABITAT_OK)
        return status;
    if (!what || !what->trace || !what->workload ||
        (what->row_count > 0 && !what->rows[0].prediction))
        return habitat_fail(err, HABITAT_E_ARG, "no predictions given");
    view v = {0};
    if (options->by != HABITAT_REPORT_BY_NOTHING)
        status = view_create(what, split_for(options->by, options->format), &v, err);
    if (status == HABITAT_OK && options->format == HABITAT_REPORT_JSON)
        status = write_json(&w, what, options->by, &v, err);
    else if (status == HABITAT_OK && options->format == HABITAT_REPORT_TEXT)
        status = write_text(&w, what, options, &v, err);
    else if (status == HABITAT_OK && options->by != HABITAT_REPORT_BY_NOTHING)
        status = write_csv_rows(&w, what, &v, err);
    else if (status == HABITAT_OK)
        write_csv_summary(&w, what);
    view_free(&v);
    habitat_status written = writer_finish(&w, err);
    return status != HABITAT_OK ? status : written;
}
