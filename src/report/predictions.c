/* habitat predict: the iteration on every destination. JSON follows the contract of the man page
 * habitat-predict(1); text is sorted, fastest first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "report/parts.h"
#include "work/class.h"

enum { DEFAULT_TOP = 15, CLASS_COLUMNS = 6, TEXT_BYTES = 256 };

/* ---- JSON ---- */

static habitat_status write_json(writer *w, const habitat_report_predictions *what,
                                 habitat_report_by by, view *v, habitat_error *err) {
    static const char *const lists[] = {"", "by_kernel", "by_op", "", "by_module"};
    habitat_status status = HABITAT_OK;
    json_report_head(w, what);
    json_array(w, "predictions");
    for (size_t i = 0; i < what->count && status == HABITAT_OK; i++) {
        const habitat_prediction *p = what->predictions[i];
        json_map(w, NULL);
        json_prediction(w, p);
        json_number(w, "ratio", ratio_of(what, p));
        json_number(w, "samples_per_s", p->samples_per_s);
        json_own_warnings(w, what, p);
        /* by_class is there always */
        if (by != HABITAT_REPORT_BY_NOTHING && by != HABITAT_REPORT_BY_CLASS) {
            status = view_fill(v, p, err);
            if (status == HABITAT_OK)
                json_rows(w, lists[by], &v->rows, v->totals, v->order);
            else
                writer_stop(w, status);
        }
        json_end_map(w);
    }
    json_end_array(w);
    json_report_foot(w, what);
    return status;
}

/* ---- CSV ---- */

static void write_csv_summary(writer *w, const habitat_report_predictions *what) {
    static const char *const header[] = {
        "gpu",      "method", "iteration_ms",   "low_ms",   "high_ms",      "kernel_ms",
        "copy_ms",  "ratio",  "samples_per_s",  "bound_by", "memory_bytes", "fits",
        "coverage", "origin", "origin_busy_ms", "file",     "busy_ms"};
    const habitat_workload_info *info = habitat_workload_get_info(what->workload);
    csv_header(w, header, sizeof header / sizeof header[0]);
    for (size_t i = 0; i < what->count; i++) {
        const habitat_prediction *p = what->predictions[i];
        char coverage[TEXT_BYTES];
        coverage_text(p, coverage, sizeof coverage);
        csv_text(w, p->gpu->name);
        csv_text(w, habitat_method_name(p->method));
        csv_number(w, p->iteration_ms);
        csv_number(w, p->low_ms);
        csv_number(w, p->high_ms);
        csv_number(w, p->kernel_ms);
        csv_number(w, p->copy_ms);
        csv_number(w, ratio_of(what, p));
        csv_number(w, p->samples_per_s);
        csv_text(w, p->bound_by == HABITAT_BY_GPU   ? "gpu"
                    : p->bound_by == HABITAT_BY_CPU ? "cpu"
                                                    : NULL);
        csv_number(w, p->memory_bytes);
        csv_text(w, p->fits < 0 ? NULL : p->fits ? "true" : "false");
        csv_text(w, coverage);
        csv_text(w, info->origin->name);
        csv_number(w, info->busy_ms);
        csv_text(w, habitat_trace_get_info(what->trace)->file);
        csv_number(w, p->busy_ms);
        csv_end_row(w);
    }
}

static habitat_status write_csv_rows(writer *w, const habitat_report_predictions *what,
                                     habitat_report_by by, view *v, habitat_error *err) {
    habitat_status status = HABITAT_OK;
    csv_rows_header(w, by);
    for (size_t i = 0; i < what->count && status == HABITAT_OK; i++) {
        status = view_fill(v, what->predictions[i], err);
        if (status == HABITAT_OK)
            csv_rows(w, what->predictions[i]->gpu->name, &v->rows, v->totals, v->order);
    }
    return status;
}

/* ---- text ---- */

static void text_head(writer *w, const habitat_report_predictions *what) {
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
             "Method %s.",
             name, info->origin->name, batch, busy, iteration,
             info->iteration_recorded ? "recorded" : "as profiled",
             habitat_method_name(what->method));
    wrapped_text(w, "", 0, line);
    writer_text(w, "\n");
}

static int by_iteration(const void *a, const void *b) {
    const habitat_prediction *x = *(const habitat_prediction *const *)a;
    const habitat_prediction *y = *(const habitat_prediction *const *)b;
    if (x->iteration_ms != y->iteration_ms)
        return x->iteration_ms < y->iteration_ms ? -1 : 1;
    return strcmp(x->gpu->name, y->gpu->name);
}

static table_style note_of(const habitat_report_predictions *what, const habitat_prediction *p,
                           size_t rank, char *note, size_t size) {
    bool origin = p->gpu == habitat_workload_get_info(what->workload)->origin;
    bool first = what->count > 2 && rank == 0, last = what->count > 2 && rank + 1 == what->count;
    const char *place = first ? "fastest" : last ? "slowest" : "";
    const char *fit = p->fits == 0 ? "too small" : "";
    snprintf(note, size, "%s%s%s%s%s", origin ? "origin" : "", origin && *place ? ", " : "", place,
             (origin || *place) && *fit ? ", " : "", fit);
    return p->fits == 0 ? STYLE_DIM
           : first      ? STYLE_GOOD
           : last       ? STYLE_BAD
           : origin     ? STYLE_BOLD
                        : STYLE_PLAIN;
}

static void text_summary(writer *w, const habitat_report_predictions *what,
                         const habitat_prediction *const *sorted, size_t shown) {
    bool batch = habitat_trace_get_info(what->trace)->batch_size > 0, small = false;
    const table_column columns[] = {{"GPU", false, true},
                                    {"iteration\nms", true, false},
                                    {"80 % interval\nms", true, false},
                                    {"ratio to\norigin", true, false},
                                    {batch ? "samples\nper s" : "kernels\nms", true, false},
                                    {"", false, false}};
    int decimals = what->count ? decimals_for(sorted[0]->iteration_ms, 3) : 0;
    text_table t;
    table_start(&t, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < shown; i++) {
        const habitat_prediction *p = sorted[i];
        char note[64], ratio[32];
        table_row(&t, note_of(what, p, i, note, sizeof note));
        ratio_text(ratio_of(what, p), ratio, sizeof ratio);
        table_cell(&t, 0, "%s", p->gpu->name);
        table_number(&t, 1, p->iteration_ms, decimals);
        table_cell(&t, 2, "%.*f - %.*f", decimals, p->low_ms, decimals, p->high_ms);
        table_cell(&t, 3, "%s", ratio);
        if (batch)
            table_number(&t, 4, p->samples_per_s, p->samples_per_s < 100 ? 1 : 0);
        else
            table_number(&t, 4, p->kernel_ms, decimals);
        table_cell(&t, 5, "%s", note);
        small = small || p->fits == 0;
    }
    table_write(&t, w);
    if (small)
        writer_printf(w, "\ntoo small: the %.1f GB that were in use on the origin do not fit.\n",
                      sorted[0]->memory_bytes / HABITAT_GB);
}

/* The classes with the most time over all destinations, largest first. */
static size_t top_classes(const habitat_report_predictions *what, habitat_class *out) {
    double sums[HABITAT_CLASS_COUNT] = {0};
    size_t count = 0;
    for (size_t i = 0; i < what->count; i++)
        for (size_t c = 0; c < what->predictions[i]->class_count; c++) {
            const habitat_class_total *total = &what->predictions[i]->by_class[c];
            sums[total->op_class] += total->ms / what->predictions[i]->kernel_ms;
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
static void text_classes(writer *w, const habitat_report_predictions *what,
                         const habitat_prediction *const *sorted, size_t shown) {
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
    int decimals = what->count ? decimals_for(sorted[0]->kernel_ms, 3) : 0;
    for (size_t i = 0; i < shown; i++) {
        const habitat_prediction *p = sorted[i];
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
        table_row(&t, note_of(what, p, i, note, sizeof note));
        table_cell(&t, 0, "%s", p->gpu->name);
        table_number(&t, 1, p->kernel_ms, decimals);
        for (size_t c = 0; c < count; c++)
            table_number(&t, 2 + c, values[c], decimals);
        table_number(&t, 2 + count, rest, decimals);
    }
    table_write(&t, w);
}

static habitat_status text_sections(writer *w, const habitat_report_predictions *what,
                                    const habitat_prediction *const *sorted, view *v, size_t top,
                                    habitat_error *err) {
    for (size_t i = 0; i < what->count; i++) {
        const habitat_prediction *p = sorted[i];
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
        text_rows(w, &v->rows, v->totals, v->order, top);
    }
    return HABITAT_OK;
}

static habitat_status write_text(writer *w, const habitat_report_predictions *what,
                                 const habitat_report_options *options, view *v,
                                 habitat_error *err) {
    const habitat_prediction **sorted = calloc(what->count ? what->count : 1, sizeof *sorted);
    habitat_status status = HABITAT_OK;
    if (!sorted)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < what->count; i++)
        sorted[i] = what->predictions[i];
    qsort(sorted, what->count, sizeof *sorted, by_iteration);
    bool one_row_a_gpu =
        options->by == HABITAT_REPORT_BY_NOTHING || options->by == HABITAT_REPORT_BY_CLASS;
    size_t shown = options->top && options->top < what->count ? options->top : what->count;
    text_head(w, what);
    if (options->by == HABITAT_REPORT_BY_NOTHING)
        text_summary(w, what, sorted, shown);
    else if (options->by == HABITAT_REPORT_BY_CLASS)
        text_classes(w, what, sorted, shown);
    else
        status = text_sections(w, what, sorted, v, options->top ? options->top : DEFAULT_TOP, err);
    if (one_row_a_gpu && shown < what->count)
        writer_printf(w, "\n%zu slower GPUs are left out: --top %zu.\n", what->count - shown,
                      shown);
    text_warnings(w, what);
    free(sorted);
    return status;
}

habitat_status habitat_report_prediction(const habitat_report_predictions *what,
                                         const habitat_report_options *options,
                                         habitat_error *err) {
    writer w;
    habitat_status status = writer_start(&w, options, err);
    if (status != HABITAT_OK)
        return status;
    if (!what || !what->trace || !what->workload || (what->count > 0 && !what->predictions))
        return habitat_fail(err, HABITAT_E_ARG, "no predictions given");
    view v = {0};
    if (options->by != HABITAT_REPORT_BY_NOTHING)
        status = view_create(what, split_for(options->by, options->format), &v, err);
    if (status == HABITAT_OK && options->format == HABITAT_REPORT_JSON)
        status = write_json(&w, what, options->by, &v, err);
    else if (status == HABITAT_OK && options->format == HABITAT_REPORT_TEXT)
        status = write_text(&w, what, options, &v, err);
    else if (status == HABITAT_OK && options->by != HABITAT_REPORT_BY_NOTHING)
        status = write_csv_rows(&w, what, options->by, &v, err);
    else if (status == HABITAT_OK)
        write_csv_summary(&w, what);
    view_free(&v);
    habitat_status written = writer_finish(&w, err);
    return status != HABITAT_OK ? status : written;
}
