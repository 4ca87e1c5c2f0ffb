/* The GPU's busy time: kernels that run at the same time count once. */
#ifndef HABITAT_WORKLOAD_OVERLAP_H
#define HABITAT_WORKLOAD_OVERLAP_H

#include "workload/workload.h"

/* Prepares habitat_busy_charge() and sets busy_ns of the workload; needs waiting_ns. */
habitat_status habitat_busy_prepare(habitat_workload *w, habitat_error *err);

/* The pieces of one workload for another with the same kernels; parts and edges of `to` are NULL
 * when out of memory. */
void habitat_busy_copy(const habitat_workload *from, habitat_workload *to);

/* Of each kernel's time on a destination, what counts in the busy time.
 * time_ns, busy_ns: shape (kernel_count). What busy_ns holds on error is of no use. */
habitat_status habitat_busy_charge(const habitat_workload *w, const double *time_ns,
                                   double *busy_ns, habitat_error *err);

#endif
