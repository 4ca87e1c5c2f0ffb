/* habitat op: one operation on several GPUs, without a trace. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "report/rows.h"
#include "report/shared_pieces.h"

/* One GPU's row. */
typedef struct line {
    const char *gpu, *operation, *shape, *dtype, *pass;
    double ms, low_ms, high_ms, flop_per_s;
    const char *method, *bound, *reason; /* NULL: no estimate; an estimate */
    const char *interval, *interval_basis;
    bool marked; /* text: its interval is a default width */
    table_style style;
} line;

static void show_ms(text_table *t, size_t column, const void *of) {
    table_ms(t, column, ((const line *)of)->ms);
}

static void show_interval(text_table *t, size_t column, const void *of) {
    const line *l = of;
    char low[32], high[32];
    ms_text(l->low_ms, low, sizeof low);
    ms_text(l->high_ms, high, sizeof high);
    if (isfinite(l->ms))
        table_cell(t, column, "%s - %s%s", low, high, l->marked ? "~" : "");
}

static void show_rate(text_table *t, size_t column, const void *of) {
    const line *l = of;
    if (isfinite(l->ms))
        table_number(t, column, l->flop_per_s / 1e12, 2);
}

static const row_column columns[] = {
    {ROW_COLUMN(line, gpu, STRING, IN_FILES | IN_TEXT), .header = "GPU", .shrink = true},
    {ROW_COLUMN(line, operation, STRING, IN_CSV)},
    {ROW_COLUMN(line, shape, STRING, IN_CSV)},
    {ROW_COLUMN(line, dtype, STRING, IN_CSV)},
    {ROW_COLUMN(line, pass, STRING, IN_CSV)},
    {ROW_COLUMN(line, ms, NUMBER, IN_FILES | IN_TEXT), .header = "time\nms", .right = true,
     .show = show_ms},
    {.in = IN_TEXT, .header = "80 % interval\nms", .right = true, .show = show_interval},
    {ROW_COLUMN(line, low_ms, NUMBER, IN_FILES)},
    {ROW_COLUMN(line, high_ms, NUMBER, IN_FILES)},
    {ROW_COLUMN(line, flop_per_s, NUMBER, IN_FILES | IN_TEXT), .header = "rate\nTF/s",
     .right = true, .show = show_rate},
    {ROW_COLUMN(line, method, STRING, IN_FILES | IN_TEXT), .header = "method"},
    {ROW_COLUMN(line, bound, STRING, IN_FILES | IN_TEXT), .header = "bound"},
    {ROW_COLUMN(line, reason, STRING, IN_FILES)},
    {ROW_COLUMN(line, interval, STRING, IN_FILES)},
    {ROW_COLUMN(line, interval_basis, STRING, IN_FILES)},
};

/* Rows of the answer in the order in which they are written. */
typedef struct ranked {
    double ms;
    size_t at;
} ranked;

typedef struct listing {
    const habitat_answer *what;
    const ranked *order; /* shape (row_count); NULL: as they are */
} listing;

static table_style style_of(const habitat_answer *what, size_t rank) {
    if (what->row_count < 3)
        return STYLE_PLAIN;
    return rank == 0 ? STYLE_GOOD : rank + 1 == what->row_count ? STYLE_BAD : STYLE_PLAIN;
}

/* What was asked for: "tf32" is what fp32 tensors compute in. */
static const char *dtype_of(const habitat_answer *what) {
    return habitat_dtype_name(what->operations[0].arithmetic == HABITAT_DTYPE_TF32
                                  ? HABITAT_DTYPE_TF32
                                  : what->work.dtype);
}

static void fill(const void *of, size_t row, void *out) {
    const listing *list = of;
    const habitat_answer *what = list->what;
    const habitat_answer_row *from = &what->rows[list->order ? list->order[row].at : row];
    const habitat_estimate *e = &from->whole.estimate;
    bool known = isfinite(e->ms);
    habitat_interval_basis basis = known ? e->interval_basis : HABITAT_INTERVAL_UNKNOWN;
    *(line *)out = (line){.gpu = from->key.gpu->name,
                          .operation = what->name,
                          .shape = what->shape,
                          .dtype = dtype_of(what),
                          .pass = habitat_pass_name(what->work.pass),
                          .ms = e->ms,
                          .low_ms = e->low_ms,
                          .high_ms = e->high_ms,
                          .flop_per_s = what->work.flop / e->ms * 1e3,
                          .method = known ? habitat_method_name(e->method) : NULL,
                          .bound = known ? habitat_bound_name(e->bound) : NULL,
                          .reason = from->whole.reason,
                          .interval = habitat_interval_name(basis),
                          .interval_basis = habitat_interval_words(basis),
                          .marked = basis == HABITAT_INTERVAL_DEFAULT,
                          .style = style_of(what, row)};
}

static table_style line_style(const void *of) {
    return ((const line *)of)->style;
}

static const char *line_note(const void *of) {
    return ((const line *)of)->reason;
}

static row_list rows_of(const listing *list, line *room) {
    return (row_list){.columns = columns,
                      .column_count = sizeof columns / sizeof *columns,
                      .count = list->what->row_count,
                      .of = list,
                      .fill = fill,
                      .line = room,
                      .style = line_style,
                      .note = line_note};
}

static void write_json(writer *w, const habitat_answer *what, const row_list *rows) {
    const habitat_work *work = &what->work;
    json_start(w);
    json_map(w, NULL);
    json_integer(w, "schema", 1);
    json_text(w, "habitat", habitat_version());
    json_map(w, "operation");
    json_text(w, "name", what->name);
    json_text(w, "shape", what->shape);
    json_text(w, "class", habitat_class_name(work->op_class));
    json_text(w, "pass", habitat_pass_name(work->pass));
    json_text(w, "dtype", dtype_of(what));
    json_number(w, "flop", work->flop);
    json_number(w, "read_bytes", work->read_bytes);
    json_number(w, "write_bytes", work->write_bytes);
    json_end_map(w);
    rows_json(w, "predictions", rows);
    json_report_foot(w, what);
}

static void text_head(writer *w, const habitat_answer *what) {
    const habitat_work *work = &what->work;
    char text[512];
    habitat_format(text, sizeof text, "%s %s %s, %s: %.4g GFLOP, %.4g MB read, %.4g MB written",
                   what->name, what->shape, dtype_of(what), habitat_pass_name(work->pass),
                   work->flop / 1e9, work->read_bytes / 1e6, work->write_bytes / 1e6);
    wrapped_text(w, "", 0, text);
    writer_text(w, "\n");
}

/* Fastest first; what has no estimate last, in the order given. */
static int by_time(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->ms != y->ms)
        return x->ms < y->ms ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

static habitat_status write_text(writer *w, const habitat_answer *what, habitat_error *err) {
    line room;
    ranked *order = calloc(what->row_count ? what->row_count : 1, sizeof *order);
    if (!order)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < what->row_count; i++) {
        double ms = what->rows[i].whole.estimate.ms;
        order[i] = (ranked){isfinite(ms) ? ms : (double)INFINITY, i};
    }
    qsort(order, what->row_count, sizeof *order, by_time);
    listing list = {what, order};
    row_list rows = rows_of(&list, &room);
    text_head(w, what);
    rows_text(w, &rows);
    bool marked = false;
    for (size_t i = 0; i < what->row_count; i++) {
        const habitat_estimate *e = &what->rows[i].whole.estimate;
        marked = marked || (isfinite(e->ms) && e->interval_basis == HABITAT_INTERVAL_DEFAULT);
    }
    if (marked)
        writer_text(w, "\n~ the interval is a default width, not calibrated\n");
    free(order);
    return HABITAT_OK;
}

habitat_status habitat_report_operation(const habitat_answer *what,
                                        const habitat_report_options *options, habitat_error *err) {
    writer w;
    habitat_status status = writer_start(&w, options, err);
    if (status != HABITAT_OK)
        return status;
    if (!what || !what->operation_count || !what->name || !what->shape)
        return habitat_fail(err, HABITAT_E_ARG, "no operation given");
    line room;
    listing list = {what, NULL};
    row_list rows = rows_of(&list, &room);
    if (options->format == HABITAT_REPORT_JSON) {
        write_json(&w, what, &rows);
    } else if (options->format == HABITAT_REPORT_CSV) {
        rows_csv_header(&w, &rows);
        rows_csv(&w, &rows);
    } else
        status = write_text(&w, what, err);
    habitat_status written = writer_finish(&w, err);
    return status != HABITAT_OK ? status : written;
}
