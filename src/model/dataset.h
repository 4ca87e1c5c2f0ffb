/* Measurements as the trainer sees them. */
#ifndef HABITAT_MODEL_DATASET_H
#define HABITAT_MODEL_DATASET_H

#include <habitat/learn.h>

/* The question this row answers. */
habitat_model_query dataset_query(const habitat_measurement *row);

/* log(measured / analytic time) of a row well above its floor; false for other rows. */
bool dataset_residual(const habitat_measurement *row, const habitat_gpu *gpu, double *out);

#endif
