/* What rule.h asks of the recorded CPU: times between its points, and how many there are. */
#ifndef HABITAT_REPLAY_MOMENTS_H
#define HABITAT_REPLAY_MOMENTS_H

#include <stddef.h>

#include <habitat/trace.h>

/* Of the threads that ask the GPU for something, where there are any: what the others do takes the
 * iteration no time. */
typedef struct replay_moments {
    size_t point_count;     /* starts and ends of operations and calls inside iterations */
    size_t call_count;      /* of the calls among them: those that do not wait for a GPU */
    double usual_ns;        /* median between two neighbouring points of a thread, each time as long
                               as on a core of its own (quick.h); 0 of one point */
    size_t outermost_count; /* of the operations among them: those inside no other */
    bool any_operation;
} replay_moments;

/* In memory for all points, less than that of their operations and calls; in n log n time.
 * HABITAT_E_MEMORY. */
habitat_status replay_moments_of(const habitat_trace *trace, replay_moments *out,
                                 habitat_error *err);

#endif
