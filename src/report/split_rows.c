/* The columns of a split: kernels, operations, classes or modules on one destination, in JSON, CSV
 * and text. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/constants_reports.h"
#include "report/rows.h"
#include "report/shared_pieces.h"

/* One row. */
typedef struct line {
    const char *gpu, *name, *detail, *op_class;
    uint64_t iteration;
    double calls, kernels; /* of one iteration, as the times: a mean, that may be no whole number */
    double origin_ms, ms, low_ms, high_ms, ratio;
    const char *method, *bound;                      /* NULL: rows that sum up others */
    double flop, bytes, compute_share, memory_share; /* of split_row */
    double times, share;       /* text: how often in an iteration; of the whole, 0 to 1 */
    const char *called, *note; /* text: the name, or what a column has room for; a second line */
    int decimals;
    table_style style;
    char room[128];
} line;

enum { COLUMNS = 19 };

typedef struct listing {
    const view *v;
    const char *gpu;
    size_t shown; /* rows before those of `sums`; all in JSON and CSV */
    double whole_ms;
    int decimals;
    line sums[2]; /* text: the rest, where there is one, and the total */
    row_column columns[COLUMNS];
} listing;

/* ---- text ---- */

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

static void show_called(text_table *t, size_t column, const void *of) {
    table_cell(t, column, "%s", ((const line *)of)->called);
}

static void show_times(text_table *t, size_t column, const void *of) {
    double times = ((const line *)of)->times;
    table_cell(t, column, "%.*f", times == floor(times) ? 0 : 1, times);
}

static void show_origin(text_table *t, size_t column, const void *of) {
    const line *l = of;
    table_number(t, column, l->origin_ms, l->decimals);
}

static void show_ms(text_table *t, size_t column, const void *of) {
    const line *l = of;
    table_number(t, column, l->ms, l->decimals);
}

static void show_ratio(text_table *t, size_t column, const void *of) {
    const line *l = of;
    char text[32];
    ratio_text(l->ms / l->origin_ms, text, sizeof text);
    table_cell(t, column, "%s", text);
}

static void show_share(text_table *t, size_t column, const void *of) {
    table_cell(t, column, "%.1f %%", 100 * ((const line *)of)->share);
}

static void show_bound(text_table *t, size_t column, const void *of) {
    const char *bound = ((const line *)of)->bound;
    if (bound)
        table_cell(t, column, "%s", strcmp(bound, "unknown") == 0 ? "-" : bound);
}

static void show_known(text_table *t, size_t column, double value, int decimals) {
    if (isfinite(value))
        table_number(t, column, value, decimals);
    else
        table_cell(t, column, "-");
}

static void show_flop(text_table *t, size_t column, const void *of) {
    show_known(t, column, ((const line *)of)->flop / 1e9, 2);
}

static void show_bytes(text_table *t, size_t column, const void *of) {
    show_known(t, column, ((const line *)of)->bytes / 1e6, 1);
}

static void show_compute(text_table *t, size_t column, const void *of) {
    show_known(t, column, 100 * ((const line *)of)->compute_share, 0);
}

static void show_memory(text_table *t, size_t column, const void *of) {
    show_known(t, column, 100 * ((const line *)of)->memory_share, 0);
}

/* ---- the list ---- */

#define COLUMN(field, kind, where) ROW_COLUMN(line, field, kind, where)

enum { NAME = 1, DETAIL, CLASS, CALLS, KERNELS, ITERATION = 14 };

static const row_column all_columns[COLUMNS] = {
    {COLUMN(gpu, STRING, IN_CSV)},
    [NAME] = {COLUMN(name, STRING, IN_FILES | IN_TEXT), .shrink = true, .show = show_called},
    [DETAIL] = {COLUMN(detail, STRING, IN_FILES)},
    [CLASS] = {.key = "class", .in = IN_FILES, .at = offsetof(line, op_class)},
    [CALLS] = {COLUMN(calls, NUMBER, IN_FILES)},
    [KERNELS] = {COLUMN(kernels, NUMBER, IN_FILES | IN_TEXT), .header = "n", .right = true,
                 .show = show_times},
    {COLUMN(origin_ms, NUMBER, IN_FILES | IN_TEXT), .header = "origin\nms", .right = true,
     .show = show_origin},
    {COLUMN(ms, NUMBER, IN_FILES | IN_TEXT), .header = "predicted\nms", .right = true,
     .show = show_ms},
    {COLUMN(low_ms, NUMBER, IN_FILES)},
    {COLUMN(high_ms, NUMBER, IN_FILES)},
    {COLUMN(ratio, NUMBER, IN_CSV | IN_TEXT), .header = "ratio", .right = true, .show = show_ratio},
    {.in = IN_TEXT, .header = "share", .right = true, .show = show_share},
    {COLUMN(method, STRING, IN_FILES | IN_TEXT), .header = "method"},
    {COLUMN(bound, STRING, IN_FILES | IN_TEXT), .header = "bound", .show = show_bound},
    [ITERATION] = {COLUMN(iteration, INTEGER, 0)},
    {COLUMN(flop, NUMBER, IN_FILES)},
    {COLUMN(bytes, NUMBER, IN_FILES)},
    {COLUMN(compute_share, NUMBER, IN_FILES)},
    {COLUMN(memory_share, NUMBER, IN_FILES)},
};

/* A split calls its rows what they are; single launches have an iteration and no counts. */
static void set_columns(split_by by, listing *out) {
    static const char *const names[] = {"kernel", "kernel", "op", "class", "module", "module"};
    static const char *const details[] = {"operation", NULL, "shape", NULL, NULL, NULL};
    static const char *const headers[] = {"kernel", "kernel", "operation",
                                          "class",  "module", "module"};
    row_column *columns = out->columns;
    memcpy(columns, all_columns, sizeof all_columns);
    columns[NAME].key = names[by];
    columns[NAME].header = headers[by];
    columns[DETAIL].key = details[by];
    if (!details[by])
        columns[DETAIL].in = 0;
    if (by == SPLIT_CLASS)
        columns[CLASS].in = 0; /* the name is the class */
    /* what tells modules apart is at the end of their names */
    columns[NAME].wrap = by == SPLIT_MODULE || by == SPLIT_BLOCKS;
    if (by == SPLIT_LAUNCH) {
        columns[CALLS].in = IN_CSV;
        columns[KERNELS].in = IN_CSV | IN_TEXT;
        columns[ITERATION].in = IN_FILES;
    }
}

/* How often in one iteration: kernels for kernels and classes, calls for operations and modules. */
static double times_of(const split *s, const split_row *row) {
    bool kernels = s->by == SPLIT_KERNEL || s->by == SPLIT_LAUNCH || s->by == SPLIT_CLASS;
    return (double)(kernels ? row->kernels : row->calls) / s->iterations;
}

/* What a text table has room for, and what it puts on a second line. */
static void set_text(const split *s, const split_row *row, line *l) {
    l->called = row->name;
    if (s->by == SPLIT_KERNEL) {
        short_kernel(row->name, l->room, sizeof l->room);
        l->called = l->room;
        l->note = strcmp(l->room, row->name) != 0 ? row->name : NULL;
    } else if (s->by == SPLIT_OP) {
        l->note = l->detail;
    }
}

/* A sum over part of a row's kernels is no count of the row, unless the others take next to none of
 * its time. */
static double whole_or_unknown(double sum, double unknown_ms, double row_ms) {
    bool whole = !(unknown_ms > 0) || unknown_ms <= chosen_said_negligible * row_ms;
    return whole ? sum : (double)NAN;
}

static void fill(const void *of, size_t at, void *out) {
    const listing *list = of;
    const split *s = &list->v->rows;
    line *l = out;
    if (at >= list->shown) {
        *l = list->sums[at - list->shown];
        return;
    }
    const split_row *row = &s->rows[list->v->order[at]];
    const split_total *total = &list->v->totals[list->v->order[at]];
    *l = (line){
        .gpu = list->gpu,
        .name = row->name,
        .detail = row->detail[0] ? row->detail : NULL,
        .op_class = habitat_class_name(row->op_class),
        .calls = (double)row->calls / s->iterations,
        .kernels = (double)row->kernels / s->iterations,
        .iteration = row->iteration,
        .origin_ms = row->origin_ms,
        .ms = total->ms,
        .low_ms = total->low_ms,
        .high_ms = total->high_ms,
        .ratio = row->origin_ms > 0 ? total->ms / row->origin_ms : (double)NAN,
        .method = habitat_method_name(total->method),
        .bound = habitat_bound_name(total->bound),
        .flop = whole_or_unknown(row->flop, row->no_flop_ms, row->origin_ms),
        .bytes = whole_or_unknown(row->bytes, row->no_bytes_ms, row->origin_ms),
        .compute_share = whole_or_unknown(row->compute_share, row->no_compute_ms, row->origin_ms),
        .memory_share = whole_or_unknown(row->memory_share, row->no_memory_ms, row->origin_ms),
        .times = times_of(s, row),
        .share = list->whole_ms > 0 ? total->ms / list->whole_ms : 0.0,
        .decimals = list->decimals};
    set_text(s, row, l);
}

static table_style line_style(const void *of) {
    return ((const line *)of)->style;
}

static const char *line_note(const void *of) {
    return ((const line *)of)->note;
}

static row_list rows_of(const listing *list, line *room) {
    return (row_list){.columns = list->columns,
                      .column_count = COLUMNS,
                      .count = list->shown,
                      .of = list,
                      .fill = fill,
                      .line = room,
                      .style = line_style,
                      .note = line_note};
}

void json_rows(writer *w, const char *key, const view *v) {
    line room;
    listing list = {.v = v, .shown = v->shown};
    set_columns(v->rows.by, &list);
    row_list rows = rows_of(&list, &room);
    rows_json(w, key, &rows);
}

void csv_rows_header(writer *w, const view *v) {
    listing list = {.v = v};
    set_columns(v->rows.by, &list);
    row_list rows = rows_of(&list, NULL);
    rows_csv_header(w, &rows);
}

void csv_rows(writer *w, const char *gpu, const view *v) {
    line room;
    listing list = {.v = v, .gpu = gpu, .shown = v->shown};
    set_columns(v->rows.by, &list);
    row_list rows = rows_of(&list, &room);
    rows_csv(w, &rows);
}

/* Rows first .. end of the order in one line. */
static line sum_of(const view *v, size_t first, size_t end, table_style style) {
    line sum = {.style = style};
    for (size_t i = first; i < end; i++) {
        const split_row *row = &v->rows.rows[v->order[i]];
        sum.ms += v->totals[v->order[i]].ms;
        sum.origin_ms += row->origin_ms;
        sum.times += times_of(&v->rows, row);
    }
    return sum;
}

void text_rows(writer *w, const view *v, size_t top) {
    size_t count = v->shown, sums = 0;
    line room, total = sum_of(v, 0, count, STYLE_BOLD);
    listing list = {.v = v,
                    .shown = count <= top + 1 ? count : top,
                    .whole_ms = total.ms,
                    .decimals = decimals_for(total.ms, 5)};
    char more[64];
    snprintf(more, sizeof more, "(%zu more)", count - list.shown);
    if (list.shown < count) {
        list.sums[sums] = sum_of(v, list.shown, count, STYLE_DIM);
        list.sums[sums++].called = more;
    }
    list.sums[sums] = total;
    list.sums[sums++].called = "total";
    for (size_t i = 0; i < sums; i++) {
        list.sums[i].decimals = list.decimals;
        list.sums[i].share = total.ms > 0 ? list.sums[i].ms / total.ms : 0.0;
    }
    set_columns(v->rows.by, &list);
    row_list rows = rows_of(&list, &room);
    rows.count += sums;
    rows_text(w, &rows);
}

/* What each row did on the origin, and how near it came to each roof. */
void text_roofs(writer *w, const view *v, size_t top) {
    static const row_column roofs[] = {
        {COLUMN(name, STRING, IN_TEXT), .shrink = true, .show = show_called},
        {COLUMN(origin_ms, NUMBER, IN_TEXT), .header = "origin\nms", .right = true,
         .show = show_origin},
        {COLUMN(flop, NUMBER, IN_TEXT), .header = "GFLOP", .right = true, .show = show_flop},
        {COLUMN(bytes, NUMBER, IN_TEXT), .header = "MB", .right = true, .show = show_bytes},
        {COLUMN(compute_share, NUMBER, IN_TEXT), .header = "% of\ncompute", .right = true,
         .show = show_compute},
        {COLUMN(memory_share, NUMBER, IN_TEXT), .header = "% of\nDRAM", .right = true,
         .show = show_memory},
    };
    size_t count = v->shown;
    line room;
    listing list = {.v = v,
                    .shown = count <= top + 1 ? count : top,
                    .decimals = decimals_for(sum_of(v, 0, count, STYLE_PLAIN).origin_ms, 5)};
    set_columns(v->rows.by, &list);
    row_column columns[sizeof roofs / sizeof *roofs];
    memcpy(columns, roofs, sizeof roofs);
    columns[0].header = list.columns[NAME].header;
    columns[0].wrap = list.columns[NAME].wrap;
    row_list rows = rows_of(&list, &room);
    rows.columns = columns;
    rows.column_count = sizeof columns / sizeof *columns;
    if (v->rows.by != SPLIT_OP) /* shapes tell operations of one name apart */
        rows.note = NULL;
    rows_text(w, &rows);
}
