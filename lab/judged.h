/* Rows of measurements beside what models say of them, the GPU seen and left out. */
#ifndef HABITAT_LAB_JUDGED_H
#define HABITAT_LAB_JUDGED_H

#include "lab/report.h"
#include "operator/operator.h"
#include "question/measurement.h"

/* Most rows of a class and GPU that are judged: evenly drawn where there are more. */
enum { CELL_ROWS_MAX = 4000 };

typedef enum judged_method {
    JUDGED_SEEN,      /* trained on this GPU's training rows */
    JUDGED_RATES,     /* left out; its two sustained rates known */
    JUDGED_ESTIMATED, /* left out; rates estimated by the rule fitted on the others */
    JUDGED_FEW,       /* left out, estimated rates, k measured operations */
    JUDGED_MLP_SEEN,  /* the paper's networks */
    JUDGED_MLP,
    JUDGED_ROOFLINE_RATES,
    JUDGED_ROOFLINE,
    JUDGED_METHODS
} judged_method;

extern const char *const method_titles[JUDGED_METHODS];

typedef struct judged_row {
    const habitat_measurement *row;
    double predicted[JUDGED_METHODS]; /* ms; NaN: no answer */
    double low, high;                 /* interval of JUDGED_RATES, ms */
    double low_estimated, high_estimated;
    double floor_ms; /* the least its way of timing shows */
} judged_row;

/* Rows of one class on GPUs that are left out together; free(rows). */
typedef struct cell {
    operator_class c;
    size_t group; /* of leave_outs */
    size_t n;
    judged_row *rows;
} cell;

/* Those of the rows that are products of attention heads 64 wide: batched, k or n of 64. */
habitat_status judged_narrow(const cell *of, cell *out, habitat_error *err);

/* Every row with what each method says, as CSV with a header. JUDGED_FEW has no column: it is the
 * mean over many draws. */
void judged_print_csv(const cell *cells, size_t count, report_text *text);

#endif
