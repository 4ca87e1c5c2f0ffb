/* Attention in parts under autocast: one kernel, or parts still, with casts around them. */
#ifndef HABITAT_RESCALE_CAST_ATTENTION_H
#define HABITAT_RESCALE_CAST_ATTENTION_H

#include "rescale/caster.h"

/* Returns whether the operation is a part of an attention, or (gradient) of the gradient of the one
 * around forward_op. */
bool cast_attend(caster *c, uint32_t op, bool gradient, uint32_t forward_op, scale_group *out);

#endif
