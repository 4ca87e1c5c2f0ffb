/* Pieces that several reports share: the trace, a prediction, rows of a split, warnings. */
#ifndef HABITAT_REPORT_SHARED_PIECES_H
#define HABITAT_REPORT_SHARED_PIECES_H

#include <habitat/ask.h>

#include "report/split.h"
#include "report/table.h"
#include "report/writer.h"

/* A split with room for the totals and the order of one destination. */
typedef struct view {
    split rows;
    split_total *totals;
    size_t *order;
    size_t shown; /* rows of the order: without those that only another destination has */
} view;

/* Of the answer's recording; free with view_free(), after a failure too. HABITAT_E_MEMORY. */
habitat_status view_create(const habitat_answer *what, split_by by, view *out, habitat_error *err);

/* Totals and order of one destination, in place of those before. HABITAT_E_MEMORY. */
habitat_status view_fill(view *v, const habitat_prediction *p, habitat_error *err);
void view_free(view *v);

/* Like with like: GPU busy time on the destination over that on the origin. */
double ratio_of(const habitat_prediction *p);

/* What ratios are to, where that is not the time of the recording that is shown: the origin put
 * together as the other rows are, without the profiler or with another CPU; "": it is. */
void ratios_to_text(const habitat_answer *what, char *text, size_t size);

/* "19 operations", of several iterations "19 operations an iteration": those that are predicted
 * where no GPU ran them. */
void untimed_operations_text(const habitat_answer *what, char *text, size_t size);

/* The GPU of the recording; NULL where nobody timed the workload. */
const char *origin_name(const habitat_workload_info *info);

/* {"schema": 1, "habitat": "..", "trace": {..}: left open. */
void json_report_head(writer *w, const habitat_answer *what);

/* "warnings": [..]} */
void json_report_foot(writer *w, const habitat_answer *what);

/* "warnings": [..], those about first .. last. */
void json_warnings(writer *w, const habitat_answer *what, habitat_warning_about first,
                   habitat_warning_about last);

/* Rows of a split, filled for a destination: an array "by_op" (or by_kernel, by_module, rows); CSV
 * lines that begin with the GPU's name; a table of the first `top` rows and one for the rest. */
void json_rows(writer *w, const char *key, const view *v);
void csv_rows_header(writer *w, const view *v);
void csv_rows(writer *w, const char *gpu, const view *v);
void text_rows(writer *w, const view *v, size_t top);
void text_roofs(writer *w, const view *v, size_t top); /* the same rows on the origin */

/* One wrapped line each, after an empty line; nothing when there are none. `first`: what is about
 * less than this is on stderr by now. */
void text_warnings(writer *w, const habitat_answer *what, habitat_warning_about first);

/* The same of one kind. */
void text_kind(writer *w, const habitat_answer *what, habitat_warning_kind kind);

/* Whether one of the first `count` answers warns in the same words. */
bool warned_before(const habitat_answer *const *answers, size_t count, const char *text);

/* "gpu", "cpu"; NULL: unknown. */
const char *bound_by_name(habitat_bound_by by);

/* Where the batch size comes from: "recorded", "said"; NULL: it is not known. */
const char *batch_source_name(const habitat_trace_info *trace);

/* "roofline 81 %, fallback 1 %" */
void coverage_text(const habitat_prediction *prediction, char *text, size_t size);

/* Framework calls: ranges and modules are none. */
size_t count_operations(const habitat_trace *trace);

/* What rows hold: text has alike launches and modules in one row, JSON and CSV each apart. */
split_by split_for(habitat_report_by by, habitat_report_format format);

/* Whole months since the price was asked, where it is old enough to be told; else 0. */
double old_price_months(const habitat_cost *cost);

/* Whether the machine around the GPU is charged apart: 1, 0; below 0 without a price. */
int price_is_alone(const habitat_cost *cost);

/* Last part of a path. */
const char *base_name(const char *path);

/* A trace's file without its folder, for one line: of a long name letters in the middle give way to
 * "..". NULL: operations. */
enum { FILE_NAME_WIDTH = 56, FILE_NAME_BYTES = 4 * FILE_NAME_WIDTH };
void file_name(const habitat_trace *trace, char text[FILE_NAME_BYTES]);

#endif
