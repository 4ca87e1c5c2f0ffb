/* Errors of several predictions: how large they are, and which way. */
#ifndef HABITAT_LAB_ERRORS_H
#define HABITAT_LAB_ERRORS_H

#include <stdbool.h>
#include <stddef.h>

/* Predicted over measured less 1, one after another. Zeroed to begin with; free in every case. */
typedef struct error_list {
    double *sizes; /* without their signs; shape (count) */
    size_t count, capacity;
    double sum, bias; /* of sizes; of the errors with their signs */
    bool no_memory;   /* some are missing */
} error_list;

/* Shares, not per cent. All 0 of no error. */
typedef struct error_summary {
    size_t count;
    double mean, median, worst, bias;
} error_summary;

/* What is no number is left out. */
void errors_add(error_list *errors, double predicted, double measured);
error_summary errors_summarise(error_list *errors); /* sorts the sizes */
void errors_free(error_list *errors);

#endif
