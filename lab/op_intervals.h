/* How often intervals of single operations hold the truth on GPUs that were left out, and how wide
 * they are. */
#ifndef HABITAT_LAB_OP_INTERVALS_H
#define HABITAT_LAB_OP_INTERVALS_H

#include "lab/report.h"
#include "operator/operator.h"

typedef struct op_case {
    operator_class c;
    const char *gpu; /* borrowed; GPUs that are left out together have one name */
    bool inside;
    bool narrow;   /* beside its class: a product of attention heads 64 wide */
    bool at_least; /* as narrow as intervals get */
    float ratio;   /* high over low */
} op_case;

/* Zeroed to begin with; free in every case. */
typedef struct op_cases {
    op_case *list;
    size_t count, capacity;
    bool no_memory; /* some are missing */
} op_cases;

/* One judged row; what has no interval is left out. */
void op_cases_add(op_cases *cases, op_case which, double measured_ms, double low_ms,
                  double high_ms);
/* A section with one table: each class, all products, all convolutions. */
void op_cases_print(op_cases *cases, report_text *text);
void op_cases_free(op_cases *cases);

#endif
