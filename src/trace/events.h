/* Chrome-trace JSON into a trace builder. */
#ifndef HABITAT_TRACE_EVENTS_H
#define HABITAT_TRACE_EVENTS_H

#include "trace/build.h"
#include "trace/source.h"

/* Read the whole source. On failure err->byte is filled where known; the line is not.
 * `slow_only`: everything through yajl, for tests that compare the two ways. */
habitat_status events_read(trace_builder *builder, trace_source *source, bool slow_only,
                           habitat_error *err);

#endif
