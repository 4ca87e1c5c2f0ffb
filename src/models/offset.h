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

class_offset offset_fit(const habitat_models *models, operator_class c, bool estimated,
                        const double *residuals, size_t n);

/* The offset in log(time) to be added to every prediction of the class by the transfer model on
 * the GPU the operations were measured on: their median, shrunk towards 0 by how few they are:
 * median * n / (n + doubt). docs/modelling.md#few-shot
 * residuals: log(measured / predicted), shape (n), any order; those that are not finite are not
 * counted. estimated: the predictions rest on estimated rates. 0 when nothing is known. */
double offset_of(const habitat_models *models, operator_class c, bool estimated,
                 const double *residuals, size_t n);

/* log(measured / predicted by the transfer model) of one operation; false: no model answers, or
 * the operation is too short to tell (OFFSET_LEAST_FLOORS). */
bool offset_residual(const habitat_models *models, const habitat_gpu *gpu,
                     const habitat_model_query *query, double measured_ms, double *out);

#endif
