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

#endif
