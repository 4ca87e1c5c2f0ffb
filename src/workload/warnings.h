/* What a person should know before trusting a workload. */
#ifndef HABITAT_WORKLOAD_WARNINGS_H
#define HABITAT_WORKLOAD_WARNINGS_H

#include "workload/workload.h"

/* Writes those alone that say what the recording notes and its events contradict, and counts them.
 * w: may be without kernels, where the recording's GPU is not known. */
habitat_status habitat_workload_doubt(habitat_workload *w, habitat_error *err);

/* Writes the warnings of a finished workload: those, and all others. */
habitat_status habitat_workload_warn(habitat_workload *w, habitat_error *err);

#endif
