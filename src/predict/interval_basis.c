/* What an interval was made from, in words; and the least width of an iteration's. */
#include <math.h>

#include "base/constants_intervals.h"
#include "predict/widen.h"

const char *habitat_interval_name(habitat_interval_basis basis) {
    return basis == HABITAT_INTERVAL_UNKNOWN   ? "none"
           : habitat_interval_unchecked(basis) ? "default"
                                               : "calibrated";
}

/* No commas: rows of CSV stay easy to take apart. */
const char *habitat_interval_words(habitat_interval_basis basis) {
    static const char *const words[HABITAT_INTERVAL_COUNT] = {
        [HABITAT_INTERVAL_DEFAULT] = "a width that no measurement checks",
        [HABITAT_INTERVAL_RECORDED] = "the spread of the recorded iterations and at least 3 %",
        [HABITAT_INTERVAL_OPERATIONS] = "operations measured on GPUs that were left out",
        [HABITAT_INTERVAL_ITERATIONS] =
            "whole iterations measured on GPUs and of models that were left out",
        [HABITAT_INTERVAL_PAIRS] = "the same steps recorded on two GPUs of one chip",
        [HABITAT_INTERVAL_FLOOR] =
            "the least width of an iteration (3 %): equal GPUs in other hosts differ by up to 4 %",
        [HABITAT_INTERVAL_CPU_SIDE] =
            "the kernels and what is known of the CPU's side (of another host on another GPU)",
        [HABITAT_INTERVAL_SCALED] =
            "the same steps recorded at several batch sizes and in several precisions",
        [HABITAT_INTERVAL_HELD] =
            "what the GPU waited for in the recording: nothing tells whether it waits elsewhere",
        [HABITAT_INTERVAL_FIRST_USE] =
            "a recording of first uses: from the GPU's own time to the CPU's by rule",
        [HABITAT_INTERVAL_PASSING_WAIT] =
            "a recording that waited for something unknown: from what it takes without that",
        [HABITAT_INTERVAL_SHAPES] =
            "steps predicted from shapes alone that were also recorded on a GPU",
    };
    return (unsigned)basis < HABITAT_INTERVAL_COUNT ? words[basis] : NULL;
}

void habitat_interval_by_cpu(double kernels_low, double kernels_high, habitat_prediction *p) {
    double low = p->iteration_ms * kernels_low, high = p->iteration_ms * kernels_high;
    bool wider = p->low_ms * (1.0 + 1e-9) < low || p->high_ms > high * (1.0 + 1e-9);
    if (wider && !habitat_interval_unchecked(p->interval_basis))
        p->interval_basis = HABITAT_INTERVAL_CPU_SIDE;
}

void habitat_interval_widen(habitat_prediction *p) {
    double least = 1.0 + fitted_iteration_least_width;
    double low = fmin(p->low_ms, p->iteration_ms / least);
    double high = fmax(p->high_ms, p->iteration_ms * least);
    bool both = low < p->low_ms && high > p->high_ms;
    if (both && p->interval_basis != HABITAT_INTERVAL_RECORDED &&
        p->interval_basis != HABITAT_INTERVAL_HELD &&
        p->interval_basis != HABITAT_INTERVAL_FIRST_USE &&
        p->interval_basis != HABITAT_INTERVAL_PASSING_WAIT)
        p->interval_basis = HABITAT_INTERVAL_FLOOR;
    p->low_ms = low;
    p->high_ms = high;
}
