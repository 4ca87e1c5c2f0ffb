/* Reading with what tests want to choose: a smaller limit, or yajl alone. */
#ifndef HABITAT_TRACE_READ_H
#define HABITAT_TRACE_READ_H

#include <habitat/trace.h>

/* habitat_trace_read() of files of at most limit_bytes when unpacked. slow_only: JSON by yajl
 * alone, not by the reader for what profilers write. */
habitat_status trace_read_limited(const char *path, uint64_t limit_bytes, bool slow_only,
                                  habitat_trace **out, habitat_error *err);

/* habitat_trace_read_memory(); slow_only as above. */
habitat_status trace_read_memory_as(const void *data, size_t size_bytes, const char *name,
                                    bool slow_only, habitat_trace **out, habitat_error *err);

#endif
