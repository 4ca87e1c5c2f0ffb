/* The vocabularies that several modules read: columns of tables, options, GPU files. Classes of
 * operations are in work/class.c. */
#ifndef HABITAT_BASE_VOCABULARY_H
#define HABITAT_BASE_VOCABULARY_H

#include "base/words.h"

extern const vocabulary habitat_passes;     /* values: habitat_pass */
extern const vocabulary habitat_precisions; /* values: habitat_precision */
extern const vocabulary habitat_timings;    /* values: habitat_timing */
extern const vocabulary habitat_variants;   /* values: habitat_variant */
extern const vocabulary habitat_dtypes;     /* values: habitat_dtype; units.c has synonyms */

#endif
