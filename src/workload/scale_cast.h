/* What autocast makes of an fp32 iteration. */
#ifndef HABITAT_WORKLOAD_SCALE_CAST_H
#define HABITAT_WORKLOAD_SCALE_CAST_H

#include "workload/scale.h"

/* What the scaler of fp16 runs over all gradients before each step of the optimiser. */
#define SCALE_UNSCALE "aten::_amp_foreach_non_finite_check_and_unscale_"

/* The 16-bit format of a precision with autocast. */
habitat_dtype scale_narrow_dtype(habitat_precision precision);

/* As scale_precision(), from fp32 tensors to autocast's. out: every group as it is. */
habitat_status scale_cast(const habitat_workload *w, habitat_precision precision,
                          habitat_arena *arena, scale_group *out, scale_added **added,
                          size_t *added_count, habitat_error *err);

/* Adds the scaler to a step that has none: from autocast in bf16. Nothing where no optimiser was
 * recorded: then no scaler runs. added: receives an array, the caller's to free. HABITAT_E_MEMORY.
 */
habitat_status scale_add_scaler(const habitat_workload *w, scale_added **added, size_t *added_count,
                                habitat_error *err);

#endif
