/* The least width of an iteration's interval, and what a replay adds to it. */
#ifndef HABITAT_PREDICT_WIDEN_H
#define HABITAT_PREDICT_WIDEN_H

#include <habitat/predict.h>

/* No iteration's interval is narrower than what equal GPUs in other hosts differ by. The origin's
 * own has its rule already (workload/bound.c). */
void habitat_interval_widen(habitat_prediction *p);

/* After a replay. Kernels that all err alike move an iteration by no more than themselves: an
 * interval that is wider comes from the CPU's side, and says so.
 * kernels_low, kernels_high: the ends of the kernels' own interval, as shares of their time. */
void habitat_interval_by_cpu(double kernels_low, double kernels_high, habitat_prediction *p);

/* Whether no measurement checks the interval: `default`. */
static inline bool habitat_interval_unchecked(habitat_interval_basis basis) {
    return basis == HABITAT_INTERVAL_DEFAULT || basis == HABITAT_INTERVAL_HELD ||
           basis == HABITAT_INTERVAL_FIRST_USE || basis == HABITAT_INTERVAL_PASSING_WAIT;
}

#endif
