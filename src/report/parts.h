/* Pieces that several reports share: the trace, a prediction, rows of a split, warnings. */
#ifndef HABITAT_REPORT_PARTS_H
#define HABITAT_REPORT_PARTS_H

#include "report/split.h"
#include "report/table.h"
#include "report/writer.h"

/* A split with room for the totals and the order of one destination. */
typedef struct view {
    split rows;
    split_total *totals;
    size_t *order;
} view;

habitat_status view_create(const habitat_report_predictions *what, split_by by, view *out,
                           habitat_error *err);
habitat_status view_fill(view *v, const habitat_prediction *p, habitat_error *err);
void view_free(view *v);

/* Like with like: GPU busy time on the destination over that on the origin. */
double ratio_of(const habitat_report_predictions *what, const habitat_prediction *p);

/* {"schema": 1, "habitat": "..", "trace": {..}: left open. */
void json_report_head(writer *w, const habitat_report_predictions *what);
/* "warnings": [..]} */
void json_report_foot(writer *w, const habitat_report_predictions *what);

/* The keys of one prediction, in an object the caller opened. */
void json_prediction(writer *w, const habitat_prediction *prediction);

/* "warnings": what this destination alone gives reason to say. */
void json_own_warnings(writer *w, const habitat_report_predictions *what,
                       const habitat_prediction *prediction);

/* "by_op": [..] (or by_kernel, by_module); `list` names the key. */
void json_rows(writer *w, const char *list, const split *s, const split_total *totals,
               const size_t *order);

/* One CSV line for each row, after the GPU's name. */
void csv_rows_header(writer *w, habitat_report_by by);
void csv_rows(writer *w, const char *gpu, const split *s, const split_total *totals,
              const size_t *order);

/* A table of the first `top` rows and one for the rest. */
void text_rows(writer *w, const split *s, const split_total *totals, const size_t *order,
               size_t top);

/* One wrapped line each, after an empty line; nothing when there are none. */
void text_warnings(writer *w, const habitat_report_predictions *what);

/* "roofline 81 %, fallback 1 %" */
void coverage_text(const habitat_prediction *prediction, char *text, size_t size);

/* Framework calls: ranges and modules are none. */
size_t count_operations(const habitat_trace *trace);

split_by split_for(habitat_report_by by, habitat_report_format format);

/* Last part of a path. */
const char *base_name(const char *path);

#endif
