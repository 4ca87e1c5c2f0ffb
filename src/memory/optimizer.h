/* What an optimiser keeps from step to step and makes on the way, as the names of its calls tell.
 */
#ifndef HABITAT_MEMORY_OPTIMIZER_H
#define HABITAT_MEMORY_OPTIMIZER_H

#include <habitat/trace.h>

typedef struct memory_optimizer {
    double state; /* kept, over the weights: momentum 1, Adam 2 */
    double lists; /* made in a step, each as large as the gradients */
} memory_optimizer;

/* True if the operation is part of an optimiser's step, as its range shows. */
bool memory_in_optimizer(const habitat_operation *operations, size_t at);

/* Of the first iteration. Only calls inside of a step count where the trace shows one: clipping and
 * averages of weights make the same calls. */
memory_optimizer memory_optimizer_of(const habitat_operation *operations, size_t count);

#endif
