/* habitat op: one operation on several GPUs, without a trace. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "report/parts.h"

static double flop_per_s(const habitat_report_operations *what, size_t i) {
    return what->work->flop / what->estimates[i].ms * 1e3;
}

static const char *method_of(const habitat_report_operations *what, size_t i) {
    return isfinite(what->estimates[i].ms) ? habitat_method_name(what->estimates[i].method) : NULL;
}

static const char *bound_of(const habitat_report_operations *what, size_t i) {
    return isfinite(what->estimates[i].ms) ? habitat_bound_name(what->estimates[i].bound) : NULL;
}

static void write_json(writer *w, const habitat_report_operations *what) {
    const habitat_work *work = what->work;
    json_start(w);
    json_map(w, NULL);
    json_integer(w, "schema", 1);
    json_text(w, "habitat", habitat_version());
    json_map(w, "operation");
    json_text(w, "name", what->name);
    json_text(w, "shape", what->shape);
    json_text(w, "class", habitat_class_name(work->op_class));
    json_text(w, "pass", habitat_pass_name(work->pass));
    json_text(w, "dtype", habitat_dtype_name(work->dtype));
    json_number(w, "flop", work->flop);
    json_number(w, "read_bytes", work->read_bytes);
    json_number(w, "write_bytes", work->write_bytes);
    json_end_map(w);
    json_array(w, "predictions");
    for (size_t i = 0; i < what->count; i++) {
        const habitat_estimate *e = &what->estimates[i];
        json_map(w, NULL);
        json_text(w, "gpu", what->gpus[i]->name);
        json_number(w, "ms", e->ms);
        json_number(w, "low_ms", e->low_ms);
        json_number(w, "high_ms", e->high_ms);
        json_number(w, "flop_per_s", flop_per_s(what, i));
        json_text(w, "method", method_of(what, i));
        json_text(w, "bound", bound_of(what, i));
        json_text(w, "reason", what->reasons[i]);
        json_end_map(w);
    }
    json_end_array(w);
    json_array(w, "warnings");
    for (size_t i = 0; i < what->warning_count; i++)
        json_text(w, NULL, what->warnings[i]);
    json_end_array(w);
    json_end_map(w);
}

static void write_csv(writer *w, const habitat_report_operations *what) {
    static const char *const header[] = {"gpu",        "operation", "shape",  "dtype",
                                         "pass",       "ms",        "low_ms", "high_ms",
                                         "flop_per_s", "method",    "bound",  "reason"};
    csv_header(w, header, sizeof header / sizeof header[0]);
    for (size_t i = 0; i < what->count; i++) {
        const habitat_estimate *e = &what->estimates[i];
        csv_text(w, what->gpus[i]->name);
        csv_text(w, what->name);
        csv_text(w, what->shape);
        csv_text(w, habitat_dtype_name(what->work->dtype));
        csv_text(w, habitat_pass_name(what->work->pass));
        csv_number(w, e->ms);
        csv_number(w, e->low_ms);
        csv_number(w, e->high_ms);
        csv_number(w, flop_per_s(what, i));
        csv_text(w, method_of(what, i));
        csv_text(w, bound_of(what, i));
        csv_text(w, what->reasons[i]);
        csv_end_row(w);
    }
}

/* Fastest first; what has no estimate last, in the order given. */
typedef struct ranked {
    double ms;
    size_t at;
} ranked;

static int by_time(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->ms != y->ms)
        return x->ms < y->ms ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

static void text_head(writer *w, const habitat_report_operations *what) {
    const habitat_work *work = what->work;
    char line[512];
    habitat_format(line, sizeof line, "%s %s %s, %s: %.4g GFLOP, %.4g MB read, %.4g MB written",
                   what->name, what->shape, habitat_dtype_name(work->dtype),
                   habitat_pass_name(work->pass), work->flop / 1e9, work->read_bytes / 1e6,
                   work->write_bytes / 1e6);
    wrapped_text(w, "", 0, line);
    writer_text(w, "\n");
}

static void text_row(text_table *t, const habitat_report_operations *what, size_t i,
                     table_style style) {
    const habitat_estimate *e = &what->estimates[i];
    char low[32], high[32];
    table_row(t, style);
    table_cell(t, 0, "%s", what->gpus[i]->name);
    if (!isfinite(e->ms)) {
        table_cell(t, 1, "-");
        if (what->reasons[i])
            table_note(t, what->reasons[i]);
        return;
    }
    ms_text(e->low_ms, low, sizeof low);
    ms_text(e->high_ms, high, sizeof high);
    table_ms(t, 1, e->ms);
    table_cell(t, 2, "%s - %s", low, high);
    table_number(t, 3, flop_per_s(what, i) / 1e12, 2);
    table_cell(t, 4, "%s", habitat_method_name(e->method));
    table_cell(t, 5, "%s", habitat_bound_name(e->bound));
}

static habitat_status write_text(writer *w, const habitat_report_operations *what,
                                 habitat_error *err) {
    static const table_column columns[] = {
        {"GPU", false, true},        {"time\nms", true, false}, {"80 % interval\nms", true, false},
        {"rate\nTF/s", true, false}, {"method", false, false},  {"bound", false, false}};
    ranked *order = calloc(what->count ? what->count : 1, sizeof *order);
    if (!order)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < what->count; i++)
        order[i] =
            (ranked){isfinite(what->estimates[i].ms) ? what->estimates[i].ms : (double)INFINITY, i};
    qsort(order, what->count, sizeof *order, by_time);
    text_head(w, what);
    text_table t;
    table_start(&t, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < what->count; i++)
        text_row(&t, what, order[i].at,
                 what->count < 3        ? STYLE_PLAIN
                 : i == 0               ? STYLE_GOOD
                 : i + 1 == what->count ? STYLE_BAD
                                        : STYLE_PLAIN);
    table_write(&t, w);
    free(order);
    return HABITAT_OK;
}

habitat_status habitat_report_operation(const habitat_report_operations *what,
                                        const habitat_report_options *options, habitat_error *err) {
    writer w;
    habitat_status status = writer_start(&w, options, err);
    if (status != HABITAT_OK)
        return status;
    if (!what || !what->work || !what->name || !what->shape ||
        (what->count > 0 && (!what->gpus || !what->estimates || !what->reasons)))
        return habitat_fail(err, HABITAT_E_ARG, "no operation given");
    if (options->format == HABITAT_REPORT_JSON)
        write_json(&w, what);
    else if (options->format == HABITAT_REPORT_CSV)
        write_csv(&w, what);
    else
        status = write_text(&w, what, err);
    habitat_status written = writer_finish(&w, err);
    return status != HABITAT_OK ? status : written;
}
