/* How long an iteration of several GPUs takes, and the ends of its interval. */
#ifndef HABITAT_REPLAY_ITERATION_TIMES_H
#define HABITAT_REPLAY_ITERATION_TIMES_H

#include "replay/graph.h"

typedef struct replay_iteration_times {
    double ms, low_ms, high_ms; /* high_ms: all kernels and the CPU at their slow end */
    double silent_ms;           /* with messages that take no time */
    double gpu_ms, cpu_ms;      /* without a CPU; of the CPU alone, NaN where it is not known */
    double slow_gpu_ms;         /* gpu_ms with all kernels at their slow end */
} replay_iteration_times;

/* The quick end of the interval: all kernels, times `low`, and the CPU at theirs. What the one
 * recorded iteration waited for outside may be of that one alone (a collection of garbage, another
 * program) and is left out. HABITAT_E_MEMORY. */
habitat_status replay_quick_ms(const habitat_replay *replay, const double *kernel_ns, double low,
                               double *out_ms, habitat_error *err);

/* What an interval of replays is made from. measured: the kernels are the recorded ones; kernels:
 * what theirs is made from. */
habitat_interval_basis replay_basis(const habitat_replay *replay, bool measured,
                                    habitat_interval_basis kernels);

/* kernel_ns, silent_ns: shape (kernels of `replay`), with and without messages. low, high: ends of
 * the kernels' interval, as factors. HABITAT_E_MEMORY. */
habitat_status replay_measure(const habitat_replay *replay, const double *kernel_ns,
                              const double *silent_ns, double low, double high,
                              replay_iteration_times *out, habitat_error *err);

#endif
