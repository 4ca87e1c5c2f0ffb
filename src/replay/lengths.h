/* How long an iteration of several GPUs takes. */
#ifndef HABITAT_REPLAY_LENGTHS_H
#define HABITAT_REPLAY_LENGTHS_H

#include "replay/graph.h"

typedef struct replay_lengths {
    double ms, low_ms, high_ms; /* high_ms: all kernels and the CPU at their slow end */
    double silent_ms;           /* with messages that take no time */
    double gpu_ms, cpu_ms;      /* without a CPU; of the CPU alone, NaN where it is not known */
} replay_lengths;

/* kernel_ns, silent_ns: shape (kernels of `replay`), with and without messages. low, high: ends of
 * the kernels' interval, as factors. HABITAT_E_MEMORY. */
habitat_status replay_measure(const habitat_replay *replay, const double *kernel_ns,
                              const double *silent_ns, double low, double high, replay_lengths *out,
                              habitat_error *err);

#endif
