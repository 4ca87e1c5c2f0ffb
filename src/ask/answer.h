/* What an answer holds beside its public part, and the steps that fill it. */
#ifndef HABITAT_ASK_ANSWER_H
#define HABITAT_ASK_ANSWER_H

#include <habitat/ask.h>

#include "base/arena.h"

typedef struct made_answer {
    habitat_answer open;            /* first: a public pointer is a pointer to its made_answer */
    habitat_workload *own_workload; /* NULL where the caller gave one */
    habitat_replay *own_replay;     /* NULL: the rows are sums */
    habitat_warning *warnings;      /* shape (capacity) */
    size_t capacity;
    habitat_arena arena; /* texts, arrays of rows */
} made_answer;

/* iteration.c: workload and predictions of a recording or workload. rows: room for one each
 * destination. */
habitat_status answer_iteration(const habitat_request *request, size_t count,
                                const habitat_gpu *const *destinations, made_answer *out,
                                habitat_error *err);

/* operations.c: estimates of operations. */
habitat_status answer_operations(const habitat_request *request, size_t count,
                                 const habitat_gpu *const *destinations, made_answer *out,
                                 habitat_error *err);

#endif
