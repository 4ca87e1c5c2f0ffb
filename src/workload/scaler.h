/* The scaler of fp16: whether a step has one, and what the CPU does for it. */
#ifndef HABITAT_WORKLOAD_SCALER_H
#define HABITAT_WORKLOAD_SCALER_H

#include "workload/workload.h"

/* Whether this is an operation of PyTorch's scaler. */
bool workload_is_scaler(const habitat_operation *op);

/* Whether a scaler runs in the workload: recorded, or added with the format. */
bool workload_has_scaler(const habitat_workload *w);

/* Whether the step updates parameters: without an optimiser no scaler runs. */
bool workload_has_optimizer(const habitat_workload *w);

/* As many calls of CUDA as the scaler takes the time of, in all iterations; 0 where none runs. */
double workload_scaler_calls(const habitat_workload *w);

#endif
