/* Reading with a smaller limit than the public one, so that tests can reach it. */
#ifndef HABITAT_TRACE_READ_H
#define HABITAT_TRACE_READ_H

#include <habitat/trace.h>

habitat_status trace_read_limited(const char *path, uint64_t limit_bytes, habitat_trace **out,
                                  habitat_error *err);

#endif
