/* How a recording's times compare with what its GPU can do at most. */
#ifndef HABITAT_WORKLOAD_ROOFS_H
#define HABITAT_WORKLOAD_ROOFS_H

#include "workload/workload.h"

typedef struct workload_roofs {
    size_t known; /* operations of known work, no copies, that take the GPU 1 us at least */
    double best;  /* the largest of their least times over the recorded ones; 0 without any */
    double whole; /* least time over recorded one, of all operations of known work; NaN unknown */
    size_t kernels;
    double quickest_ns; /* the shortest kernel; infinite without any */
} workload_roofs;

/* Least time: all bytes once at the memory's rate, or all flop at the GPU's highest. */
workload_roofs workload_roofs_of(const habitat_workload *w);

#endif
