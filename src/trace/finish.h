/* The end of building a trace. */
#ifndef HABITAT_TRACE_FINISH_H
#define HABITAT_TRACE_FINISH_H

#include "trace/build.h"

/* Sort, link, count; then *out is the trace and the builder holds nothing.
 * On failure the builder still holds everything; call trace_discard(). */
habitat_status trace_finish(trace_builder *builder, habitat_trace **out, habitat_error *err);

#endif
