/* Whole steps at another batch size or precision with their intervals, in which the CPU's side is,
 * too. */
#ifndef HABITAT_LAB_SCALE_STEPS_H
#define HABITAT_LAB_SCALE_STEPS_H

#include <stdbool.h>

#include <habitat/status.h>
#include <habitat/workload.h>

#include "lab/recordings.h"

/* Doubts about the CPU's side that are tried: factors either way. */
enum { SCALE_DOUBTS = 5 };
extern const double scale_doubts[SCALE_DOUBTS];

/* Times of one step, replayed [ms]. */
typedef struct scale_step {
    bool known;     /* the other recording says how long the step took without the profiler */
    bool cpu_binds; /* as predicted */
    bool spread;    /* timed groups of one of the recordings differ by much */
    double predicted_ms, measured_ms, low_ms, high_ms;
    double tried_low_ms[SCALE_DOUBTS], tried_high_ms[SCALE_DOUBTS];
} scale_step;

/* w: `from`, with the batch size or in the precision of `to`. */
habitat_status scale_judge_step(const recording *from, const habitat_workload *w,
                                const recording *to, scale_step *out, habitat_error *err);

#endif
