/* Few-shot correction: what a few measured operations say of a whole class on their GPU. */
#ifndef HABITAT_MODELS_OFFSET_H
#define HABITAT_MODELS_OFFSET_H

#include "models/learned.h"

/* Of all that is measured on a GPU, operations whose predicted time is at least this many floors
 * of their way of timing tell of the kernel: shorter ones tell of the launch. */
enum { OFFSET_LEAST_FLOORS = 4 };

/* What measured operations say of a class: weight * median is added to the log of a prediction. */
typedef struct class_offset {
    double median; /* of log(measured / predicted) */
    double weight; /* 0 to 1; 0 without operations */
    size_t count;  /* operations behind it */
} class_offset;

/* What n operations say of the class on the GPU they were measured on: their median, and a weight
 * that is the smaller the fewer they are: n / (n + doubt). docs/modelling.md#few-shot
 * residuals: log(measured / predicted), shape (n), any order; those that are not finite are not
 * counted. estimated: the predictions rest on estimated rates. */
class_offset offset_fit(operator_class c, bool estimated, const double *residuals, size_t n);

#endif
