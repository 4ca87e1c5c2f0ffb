/* Which kernel of an operation does which part of its work. */
#ifndef HABITAT_WORKLOAD_SHARE_H
#define HABITAT_WORKLOAD_SHARE_H

#include "workload/workload.h"

/* Sets `main`, flop and bytes of the kernels of every group, from the group's work. */
void habitat_workload_share(habitat_workload *w);

#endif
