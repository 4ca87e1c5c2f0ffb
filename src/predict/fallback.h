/* What catches the kernels that a method does not cover. */
#ifndef HABITAT_PREDICT_FALLBACK_H
#define HABITAT_PREDICT_FALLBACK_H

#include "predict/scaling.h"

/* Whether a kernel's time is that of a connection: collectives, copies to and from the host. */
bool fallback_leaves_gpu(const habitat_kernel *kernel);

/* Its time by the connection, else by the roofline, else by the bandwidth. Never NaN. */
scaled fallback_kernel(const scaling *s, const habitat_workload_kernel *kernel);

#endif
