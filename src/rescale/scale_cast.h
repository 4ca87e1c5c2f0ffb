/* What autocast makes of an fp32 iteration. */
#ifndef HABITAT_RESCALE_SCALE_CAST_H
#define HABITAT_RESCALE_SCALE_CAST_H

#include "rescale/scale.h"

/* The 16-bit format of a precision with autocast. */
habitat_dtype scale_narrow_dtype(habitat_precision precision);

/* As scale_precision(), from fp32 tensors to autocast's. out: every group as it is. */
habitat_status scale_cast(const habitat_workload *w, habitat_precision precision,
                          habitat_arena *arena, scale_group *out, scale_added **added,
                          size_t *added_count, habitat_error *err);

#endif
