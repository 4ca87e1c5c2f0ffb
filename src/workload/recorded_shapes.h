/* Traces that were recorded without a GPU. */
#ifndef HABITAT_WORKLOAD_RECORDED_SHAPES_H
#define HABITAT_WORKLOAD_RECORDED_SHAPES_H

#include "workload/workload.h"

/* The first iteration of `trace` as operations that nobody timed: of nested ones the outermost
 * whose work is known, which is what a GPU would run. Operations that launch nothing are left out;
 * those of unknown work are too, with a warning that names them. HABITAT_E_NO_GPU if nothing is
 * left; HABITAT_E_MEMORY. */
habitat_status workload_from_shapes_of(const habitat_trace *trace, habitat_workload **out,
                                       habitat_error *err);

/* What the CPU needs for an iteration by the table of its operations [ms]. Libraries run recurrent
 * layers another way on some GPUs; NULL: step by step. */
double workload_table_cpu_ms(const habitat_workload *w, const habitat_gpu *gpu);

/* Of that, what operation `i` needs [ms]; */
double workload_table_operation_ms(const habitat_workload *w, size_t i, const habitat_gpu *gpu);

/* and what the random numbers that the CPU draws do. */
double workload_table_data_ms(const habitat_workload *w);

#endif
