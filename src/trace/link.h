/* From a heap of events to a trace: sorting and linking. */
#ifndef HABITAT_TRACE_LINK_H
#define HABITAT_TRACE_LINK_H

#include "trace/build.h"

/* Sort operations, calls and kernels, find parents, launches, forward operations and modules,
 * iterations, the main device. HABITAT_E_NO_GPU without any kernel, unless the options allow it;
 * HABITAT_E_ARG where they do not fit; HABITAT_E_MEMORY. */
habitat_status trace_link(trace_builder *builder, habitat_error *err);

/* B events without an E: operations are left out. HABITAT_E_FORMAT where it is a kernel or a call,
 * of which nobody knows how long it took. In pairs.c. */
habitat_status trace_finish_pairs(trace_builder *builder, habitat_error *err);

/* The part about calls: operations and kernels are sorted, operations have their parents. Kernels
 * learn their call. False when out of memory. */
bool trace_link_calls(trace_builder *builder);

/* The part about iterations: which one everything belongs to, and their sums. Kernels and
 * operations are sorted and linked, times relative. HABITAT_E_ARG where the reading options do not
 * fit; HABITAT_E_MEMORY. */
habitat_status trace_split_iterations(trace_builder *builder, habitat_error *err);

/* When a kernel was asked for; in no range (UINT64_MAX) if that was before the recording began. */
uint64_t trace_launch_time(const habitat_trace *trace, const habitat_kernel *kernel);

/* The error that no iteration has the range's name; HABITAT_E_ARG. */
habitat_status trace_no_range(const trace_builder *builder, habitat_error *err);

/* Cut the launches of the main device into `parts` of equal number; *out: shape (parts), to be
 * freed, the last one open. HABITAT_E_ARG with fewer launches; HABITAT_E_MEMORY. */
habitat_status trace_divide(trace_builder *builder, size_t parts, trace_range **out,
                            habitat_error *err);

/* The part about backward operations. False when out of memory. */
bool trace_link_forward(trace_builder *builder);

/* The part about functions that steps of an optimiser call: their operations go to what is around
 * the step. Operations have their parents and forward operations. False when out of memory. */
bool trace_link_closures(trace_builder *builder);

#endif
