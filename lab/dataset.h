/* Measurements as the trainer sees them. */
#ifndef HABITAT_LAB_DATASET_H
#define HABITAT_LAB_DATASET_H

#include "lab/lab.h"
#include "question/measurement.h"

/* log(measured / analytic time) of a row well above its floor; false for other rows. */
bool dataset_residual(const habitat_measurement *row, const habitat_gpu *gpu, double *out);

#endif
