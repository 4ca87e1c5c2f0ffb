/* What of a collective's recorded time its message needs, and what is waiting for other GPUs. */
#ifndef HABITAT_PREDICT_COLLECTIVE_H
#define HABITAT_PREDICT_COLLECTIVE_H

#include "predict/scaling.h"

/* Sets waiting_ns of every collective of the workload, and counts those without a message size.
 * Returns HABITAT_OK or HABITAT_E_MEMORY. */
habitat_status habitat_collective_prepare(habitat_workload *w);

/* Predicted time [ns] of a collective on the destination: its waiting as recorded, its message by
 * the ratio of the links. */
double habitat_collective_ns(const scaling *s, const habitat_workload_kernel *kernel);

#endif
