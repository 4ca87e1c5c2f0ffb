/* A trace in memory. */
#ifndef HABITAT_TRACE_TRACE_H
#define HABITAT_TRACE_TRACE_H

#include <habitat/trace.h>

#include "base/arena.h"
#include "trace/formats.h"

/* Operations one behind the other that are of one module. */
typedef struct trace_module_run {
    uint32_t first;  /* operation */
    uint32_t module; /* or HABITAT_NONE */
} trace_module_run;

/* A kernel whose call was not recorded, and its correlation. */
typedef struct trace_loose {
    uint64_t correlation;
    uint32_t kernel;
} trace_loose;

struct habitat_trace {
    habitat_trace_info info;
    trace_formats formats;
    habitat_strings strings;
    habitat_arena arena;
    habitat_strings forms;         /* of operations, kernels and calls, each stored once */
    habitat_operation *operations; /* building: parent = open B event below it on its thread,
                                      kernel_count = external id, forward and iteration = autograd
                                      number, see build.h */
    size_t operation_count, operation_capacity;
    trace_module_run *modules; /* the first one begins at 0; NULL: no operation is a module */
    size_t module_run_count;
    uint8_t *numbered; /* bit i: operation i has the autograd number of its parent; NULL: none */
    habitat_kernel *kernels; /* building: operation = external id, iteration and call =
                                correlation, see build.h */
    size_t kernel_count, kernel_capacity;
    trace_loose *loose; /* ascending; those with a correlation */
    size_t loose_count, loose_capacity;
    habitat_call *calls;
    size_t call_count, call_capacity;
    uint32_t *call_kernels;        /* all calls' kernels, one call's behind the other's */
    habitat_call_wait *call_waits; /* of the calls of which something was noted, by index */
    size_t call_wait_count;
    habitat_iteration *iterations;
    double *iteration_ms_all;
    bool from_memory;
    char sha256[65]; /* of what could not be read a second time; empty for files */
    int64_t modified_ns;
};

/* The next operation outwards that is no range, or HABITAT_NONE. */
uint32_t trace_outwards(const habitat_trace *trace, uint32_t operation);

#endif
