/* Workspaces of convolutions, as the kernels of a recording tell them. */
#ifndef HABITAT_MEMORY_WORKSPACE_H
#define HABITAT_MEMORY_WORKSPACE_H

#include "memory/algorithms.h"
#include "memory/fastest.h"
#include "memory/model.h"

/* Of all operations; all zero where nothing is seen. */
typedef struct memory_workspaces {
    memory_workspace *forward;  /* shape (operations): of aten::convolution */
    memory_workspace *backward; /* shape (operations): by forward operation; the larger of two
                                   gradients */
    const habitat_trace *trace; /* borrowed */
    memory_kind kind;
    bool fastest; /* cuDNN tried its algorithms, on a GPU of this speed */
    memory_speed speed;
    bool convolutions, tf32; /* there are some; they run in TF32 where their tensors are fp32 */
} memory_workspaces;

/* Fills `out`, which the caller frees in any case, before the trace; false when out of memory.
 * kind: of the recording; origin: its GPU, NULL for not known. */
bool memory_workspaces_of(const habitat_trace *trace, memory_kind kind, const habitat_gpu *origin,
                          memory_workspaces *out);

/* What a convolution at `i` works in, forward, backward and at most, in a format: to `step`. */
void memory_workspaces_take(const memory_workspaces *w, uint32_t i, habitat_memory_format format,
                            memory_step *step);

void memory_workspaces_free(memory_workspaces *w);

#endif
