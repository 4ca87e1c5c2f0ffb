/* How PyTorch names what its profiler records: ranges of its optimisers, nodes of autograd's
 * engine, operations. */
#ifndef HABITAT_TRACE_NAMES_H
#define HABITAT_TRACE_NAMES_H

#include <stdbool.h>
#include <string.h>

static inline bool name_begins(const char *name, const char *with) {
    return strncmp(name, with, strlen(with)) == 0;
}

/* "Optimizer.step#AdamW.step" */
static inline bool name_is_optimizer_step(const char *name) {
    return name_begins(name, "Optimizer.step");
}

/* Its steps, and "Optimizer.zero_grad#AdamW.zero_grad". */
static inline bool name_is_of_optimizer(const char *name) {
    return name_begins(name, "Optimizer.");
}

/* What is around the node of a backward operation: "autograd::engine::evaluate_function:
 * MmBackward0". */
static inline bool name_is_engine(const char *name) {
    return name_begins(name, "autograd::engine::evaluate_function");
}

/* "mm" of "aten::mm"; operations of other libraries as they are. */
static inline const char *name_bare(const char *name) {
    return name_begins(name, "aten::") ? name + strlen("aten::") : name;
}

#endif
