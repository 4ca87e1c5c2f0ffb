/* Operations of the forward pass that the backward pass computes again: checkpoints. */
#ifndef HABITAT_MEMORY_RECOMPUTED_H
#define HABITAT_MEMORY_RECOMPUTED_H

#include "memory/model.h"

/* When each operation of the first iteration's forward pass is computed again (`again_ns`, shape
 * (count); 0: never). What has no backward operation of its own, since the checkpoint's pass has
 * none, gets that of its second run (`backward_ns`, shape (count)). False when out of memory. */
bool memory_recomputed_note(const habitat_operation *operations, size_t count, uint64_t *again_ns,
                            uint64_t *backward_ns);

#endif
