/* When, by which operation and in which iteration a kernel was asked for: by its launch, or, where
 * no GPU was there that it could be launched on, by the operation that it stands for. */
#ifndef HABITAT_REPLAY_LAUNCHED_H
#define HABITAT_REPLAY_LAUNCHED_H

#include "workload/workload.h"

/* Whether that is known of kernel i. */
static inline bool replay_is_launched(const habitat_workload *w, size_t i) {
    return workload_is_untimed(w) ? w->groups[i].operation != NULL
                                  : w->kernels[i].kernel->call != HABITAT_NONE;
}

/* The trace's time; of one that is launched. */
static inline uint64_t replay_launched_ns(const habitat_workload *w, size_t i) {
    return workload_is_untimed(w) ? w->groups[i].operation->start_ns
                                  : habitat_trace_launch(w->trace, w->kernels[i].kernel)->start_ns;
}

/* Index of the operation, or HABITAT_NONE. */
static inline uint32_t replay_operation_of(const habitat_workload *w, size_t i) {
    size_t count = 0;
    const habitat_operation *all = habitat_trace_operations(w->trace, &count);
    if (!workload_is_untimed(w))
        return w->kernels[i].kernel->operation;
    return w->groups[i].operation ? (uint32_t)(w->groups[i].operation - all) : HABITAT_NONE;
}

/* Of a recording without a GPU the workload is its first one. */
static inline bool replay_holds_iteration(const habitat_workload *w, uint32_t iteration) {
    return !workload_is_untimed(w) || iteration == 0;
}

static inline uint32_t replay_iteration_of(const habitat_workload *w, size_t i) {
    return workload_is_untimed(w) ? 0 : w->kernels[i].kernel->iteration;
}

#endif
