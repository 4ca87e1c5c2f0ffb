/* Groups of unprofiled times: see groups.c. */
#ifndef HABITAT_TRACE_GROUPS_H
#define HABITAT_TRACE_GROUPS_H

#include <stddef.h>

#include "habitat/status.h"
#include "habitat/trace.h"

/* Keep of a trace's times those before the profiler. sizes: shape (count), iterations of each group
 * in the order measured; if they are not those of the times, nothing changes. */
habitat_status trace_take_groups(habitat_trace *trace, const double *sizes, size_t count,
                                 habitat_error *err);

#endif
