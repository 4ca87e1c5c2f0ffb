/* Formats of what goes into an operation, and the casts that autocast makes of it. */
#ifndef HABITAT_RESCALE_CAST_INPUTS_H
#define HABITAT_RESCALE_CAST_INPUTS_H

#include "rescale/caster.h"
#include "work/autocast.h"

bool cast_is_fp32_tensor(const habitat_input *input);

/* Adds a cast from one format to another, and the gradient's back. */
void cast_add(caster *c, double elements, habitat_dtype before, habitat_dtype after, bool weight,
              bool gradient);

/* The outermost listed operation around one, else itself; its policy. */
uint32_t cast_listed_around(const caster *c, uint32_t op, autocast_policy *policy);

/* What input i comes in. */
habitat_dtype cast_format_of(caster *c, const habitat_input *input, uint32_t i);

/* The 16-bit format of an operation: that of the one around it that has its own. */
habitat_dtype cast_narrow_in(const caster *c, uint32_t op);

/* Casts of the inputs of a listed operation, once. narrow: the format that it takes. */
void cast_inputs_of(caster *c, uint32_t op, autocast_policy policy, habitat_dtype narrow);

/* Recurrent layers have their weights in a list. Autocast fills a buffer for all of them with zeros
 * and copies each into it, anew in every call. */
void cast_listed_weights(caster *c, const habitat_work *work, uint32_t op);

#endif
