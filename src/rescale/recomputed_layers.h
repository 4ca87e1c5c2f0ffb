/* Layers that autograd runs once more: checkpoints keep what goes into them alone. */
#ifndef HABITAT_RESCALE_RECOMPUTED_LAYERS_H
#define HABITAT_RESCALE_RECOMPUTED_LAYERS_H

#include <habitat/trace.h>

/* Which operations of a trace are run inside a backward operation but are of the forward pass: the
 * second runs. Those of the first that they repeat, memory_recomputed_note() tells.
 * out: shape (count), false. Returns false without memory. */
bool recomputed_layers_mark(const habitat_operation *ops, size_t count, bool *out);

#endif
