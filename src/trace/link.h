/* From a heap of events to a trace: sorting and linking. */
#ifndef HABITAT_TRACE_LINK_H
#define HABITAT_TRACE_LINK_H

#include "trace/build.h"

/* Sort operations and kernels, find parents, launches, forward operations and modules, iterations,
 * the main device. HABITAT_E_NO_GPU without any kernel; HABITAT_E_MEMORY. */
habitat_status trace_link(trace_builder *builder, habitat_error *err);

/* The part about iterations: which one everything belongs to, and their sums. Kernels and
 * operations are sorted and linked, times relative. False when out of memory. */
bool trace_split_iterations(trace_builder *builder);

/* The part about backward operations. False when out of memory. */
bool trace_link_forward(trace_builder *builder);

#endif
