/* What a person should know before trusting a workload. */
#ifndef HABITAT_WORKLOAD_WARNINGS_H
#define HABITAT_WORKLOAD_WARNINGS_H

#include "workload/workload.h"

/* Writes the warnings of a finished workload. */
habitat_status habitat_workload_warn(habitat_workload *w, habitat_error *err);

#endif
