/* Nsight Systems' SQLite export into a trace. */
#ifndef HABITAT_TRACE_NSYS_H
#define HABITAT_TRACE_NSYS_H

#include <habitat/trace.h>

/* Read the database at `path`; `options` and `err` not NULL. HABITAT_E_UNSUPPORTED in builds
 * without SQLite. */
habitat_status nsys_read(const char *path, uint64_t stored_bytes, int64_t modified_ns,
                         const habitat_read_options *options, habitat_trace **out,
                         habitat_error *err);

#endif
