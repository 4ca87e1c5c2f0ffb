/* Layers that autograd runs once more: checkpoints keep what goes into them alone. */
#ifndef HABITAT_RESCALE_AGAIN_H
#define HABITAT_RESCALE_AGAIN_H

#include <habitat/trace.h>

/* Which operations of a trace are run inside a backward operation but are of the forward pass: the
 * second runs. Those of the first that they repeat, memory_again_note() tells.
 * out: shape (count), false. Returns false without memory. */
bool again_mark(const habitat_operation *ops, size_t count, bool *out);

#endif
