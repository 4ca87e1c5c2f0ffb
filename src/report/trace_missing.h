/* What a recording does not say, and how to record it: the end of `habitat info`. */
#ifndef HABITAT_REPORT_TRACE_MISSING_H
#define HABITAT_REPORT_TRACE_MISSING_H

#include <stdbool.h>
#include <stddef.h>

#include <habitat/memory.h>
#include <habitat/trace.h>

enum { MISSING_MAX = 15 };

typedef struct missing {
    const char *what, *remedy; /* static text */
} missing;

/* Up to MISSING_MAX of them. `memory`: as far as it can be told from shapes. `module_count`: of
 * recorded modules. `gradients_unsized`: there are some, of which nothing says how large they are.
 */
size_t trace_missing(const habitat_trace_info *trace, bool gpu_known,
                     const habitat_memory_parts *memory, size_t module_count,
                     bool gradients_unsized, missing *out);

#endif
