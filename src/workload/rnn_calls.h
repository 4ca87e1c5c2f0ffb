/* What the CPU does for recurrent layers: one operation, and as many calls as its library makes. */
#ifndef HABITAT_WORKLOAD_RNN_CALLS_H
#define HABITAT_WORKLOAD_RNN_CALLS_H

#include "work/rnn_way.h"
#include "workload/workload.h"

/* Whether a group is a whole recurrent layer that a library runs; its way on a GPU, without one
 * (NULL) step by step. */
bool workload_rnn_way(const habitat_workload_group *group, const habitat_gpu *gpu, rnn_way *out);

/* Calls of CUDA for one group on this GPU; 0 of what is no such layer. */
double workload_group_rnn_calls(const habitat_workload_group *group, const habitat_gpu *gpu);

/* Calls of CUDA for all recurrent layers of a workload, on this GPU, of all iterations. */
double workload_rnn_calls(const habitat_workload *w, const habitat_gpu *gpu);

#endif
