/* The least width of an iteration's interval. */
#ifndef HABITAT_PREDICT_WIDEN_H
#define HABITAT_PREDICT_WIDEN_H

#include <habitat/predict.h>

/* No iteration's interval is narrower than what equal GPUs in other hosts differ by. The origin's
 * own has its rule already (workload/bound.c). */
void habitat_interval_widen(habitat_prediction *p);

#endif
