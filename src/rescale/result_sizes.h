/* How many elements an operation makes, which a trace does not say. */
#ifndef HABITAT_RESCALE_RESULT_SIZES_H
#define HABITAT_RESCALE_RESULT_SIZES_H

#include "workload/workload.h"

/* Of tensors that are expanded to each other's sizes; 0: they cannot be. */
double result_expanded(const habitat_op_form *form);

/* Of a group's operation: as its work says, else as many as its largest input has, or as its inputs
 * make that are expanded. */
double result_elements(const habitat_workload_group *group);

#endif
