/* What rule.h asks of the recorded CPU: times between its points, and how many there are. */
#ifndef HABITAT_REPLAY_CPU_POINTS_H
#define HABITAT_REPLAY_CPU_POINTS_H

#include <stddef.h>

#include <habitat/trace.h>

/* Of the threads that ask the GPU for something, where there are any: what the others do takes the
 * iteration no time. */
typedef struct replay_cpu_points {
    size_t point_count;     /* starts and ends of operations and calls inside iterations */
    size_t call_count;      /* of the calls among them: those that do not wait for a GPU */
    double usual_ns;        /* median between two neighbouring points of a thread, each time as long
                               as on a core of its own (thread_speed.h); 0 of one point */
    size_t outermost_count; /* of the operations among them: those inside no other */
    bool any_operation;
} replay_cpu_points;

/* In memory for all points, less than that of their operations and calls; in n log n time.
 * HABITAT_E_MEMORY. */
habitat_status replay_cpu_points_of(const habitat_trace *trace, replay_cpu_points *out,
                                    habitat_error *err);

#endif
