/* Convolutions whose groups a library runs one after the other, as many kernels each. */
#ifndef HABITAT_RESCALE_GROUPS_APART_H
#define HABITAT_RESCALE_GROUPS_APART_H

#include "workload/workload.h"

/* Whether a group of kernels is such a convolution. */
bool workload_groups_apart(const habitat_workload_group *group);

/* Whether a convolution in groups of several channels has a kernel for each of them at least,
 * layouts counted. */
bool workload_groups_in_turn(const habitat_workload_group *group);

/* Calls of CUDA that w has beyond what it was scaled from, as its convolutions have more such
 * groups (fewer: below 0); of all iterations. */
double workload_groups_calls_more(const habitat_workload *w, const habitat_workload *recorded);

#endif
