/* What operation each kernel belongs to, and that operation's work. */
#ifndef HABITAT_WORKLOAD_GROUP_H
#define HABITAT_WORKLOAD_GROUP_H

#include "workload/workload.h"

/* Sets groups, group_index, and of every kernel its group. Needs the kernels alone.
 * HABITAT_E_MEMORY. */
habitat_status workload_set_groups(habitat_workload *w);

#endif
