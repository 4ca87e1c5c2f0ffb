/* How often intervals of whole iterations hold the truth, by what the iterations spend their time
 * on. */
#ifndef HABITAT_LAB_COVERAGE_H
#define HABITAT_LAB_COVERAGE_H

#include <habitat/predict.h>

#include "lab/report.h"

/* One predicted iteration [ms] and what was measured. */
typedef struct covered {
    const char *family; /* coverage_family(); NULL: not predicted, left out */
    const habitat_gpu *gpu;
    double measured_ms, low_ms, high_ms;
    habitat_interval_basis basis;
} covered;

/* The class with the most of a prediction's time; "conv, short kernels" where the mean kernel is
 * so short that the host counts. @return static string. */
const char *coverage_family(const habitat_prediction *p);

/* A Markdown table: each family, all of them, and apart what only the floor of an iteration's
 * interval covers. */
void coverage_print(const covered *cases, size_t count, report_text *text);

#endif
