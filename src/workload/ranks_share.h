/* What the ranks of a step share, told from one rank's messages. */
#ifndef HABITAT_WORKLOAD_RANKS_SHARE_H
#define HABITAT_WORKLOAD_RANKS_SHARE_H

#include "workload/workload.h"

/* Without operations, or launches, what is in the forward pass is not known, and nothing is. */
ranks_share ranks_find_share(const habitat_trace *trace);

#endif
