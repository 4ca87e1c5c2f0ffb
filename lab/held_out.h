/* Intervals of whole iterations with their fitted constants chosen anew for each case, on cases of
 * other GPUs and other models: what the constants do where they saw nothing. */
#ifndef HABITAT_LAB_HELD_OUT_H
#define HABITAT_LAB_HELD_OUT_H

#include <habitat/predict.h>

#include "lab/report.h"

/* What an interval of an iteration is made of, beside its fitted constants
 * (docs/formulas.md#intervals). */
typedef struct interval_parts {
    double rest;        /* variance in log(time) of all but the three parts below */
    double conv_share;  /* of the time, in convolutions that a model answered */
    double mean_ns;     /* of its kernels */
    double least_width; /* log of the least ratio: that of the floor */
} interval_parts;

/* Of an iteration by `auto` that is a sum of kernels (HABITAT_ASSEMBLE_SUM). */
interval_parts interval_parts_of(const habitat_workload *w, const habitat_prediction *p);

/* One predicted iteration [ms] and what was measured. */
typedef struct held_case {
    const habitat_gpu *gpu;
    const char *model;
    double measured_ms, predicted_ms;
    interval_parts parts;
} held_case;

/* The constants of convolutions and short kernels; one line of text. */
void held_out_print_networks(const held_case *cases, size_t count, report_text *text);
/* The constant that is common to iterations. */
void held_out_print_common(const held_case *cases, size_t count, report_text *text);
/* The constant of two GPUs of one chip, without the case's model. */
void held_out_print_pairs(const held_case *cases, size_t count, report_text *text);

#endif
