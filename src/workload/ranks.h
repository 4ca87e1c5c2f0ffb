/* Recordings of several GPUs that trained together, one a rank: which message is which. */
#ifndef HABITAT_WORKLOAD_RANKS_H
#define HABITAT_WORKLOAD_RANKS_H

#include "workload/workload.h"

enum { WORKLOAD_RANKS_MAX = 32 };

/* Message i of every rank is the same one. A kernel of NCCL starts when its own GPU is ready and
 * ends when the message is there: the rank that comes last has the shortest, which is the message;
 * what the others' last longer is waiting for it. */
typedef struct rank_messages {
    uint64_t *message_ns; /* shape (count) */
    size_t count;
    uint64_t *taken_ns[WORKLOAD_RANKS_MAX]; /* of each rank, shape (kernels of its trace): what each
                                               takes while no message waits beside it */
} rank_messages;

/* traces: shape (rank_count), each with its main device. HABITAT_E_FORMAT: one that does not go
 * with the first, and why (err->file is its); HABITAT_E_MEMORY. Free in every case. */
habitat_status ranks_match(const habitat_trace *const *traces, size_t rank_count,
                           rank_messages *out, habitat_error *err);
void ranks_free(rank_messages *m);

/* The order of the ranks' numbers, in which traces that do not say theirs stay as they are:
 * order[i] is the trace of rank i. HABITAT_E_FORMAT: a rank is missing, there twice, or of another
 * number of ranks. */
habitat_status ranks_order(const habitat_trace *const *traces, size_t rank_count, size_t *order,
                           habitat_error *err);

#endif
