/* What a model was trained on: the number formats of its rows, and the least and the most of each
 * of their sizes. docs/modelling.md#beyond-the-measurements */
#ifndef HABITAT_MODELS_RANGE_H
#define HABITAT_MODELS_RANGE_H

#include <stdint.h>

#include <habitat/models.h>

#include "operator/extent.h"

/* Sizes as logarithms to base 2, in the order of operator_extents(). */
typedef struct learned_range {
    uint32_t formats; /* bit d: rows whose tensors are in number format d; 0: not known */
    uint32_t count;   /* sizes; 0: not known, nothing is outside */
    float least[OPERATOR_EXTENTS_MAX], most[OPERATOR_EXTENTS_MAX];
} learned_range;

/* A row that is trained on. */
void range_add(learned_range *range, const habitat_work *work);

/* Whether rows of this kind of number (floating point, integer, complex) were trained on. Of
 * another width of the same kind the inputs tell. */
bool range_knows_format(const learned_range *range, habitat_dtype dtype);

/* The size that is farthest outside, or a number format of another kind; a total only where no
 * other size is; `size` NULL where none is. What is nearer than chosen_far_margin counts as inside;
 * distances begin there. The distance is the farthest of all, totals too. */
habitat_outside range_outside(const learned_range *range, const habitat_work *work);

/* What bounds an answer outside [ms]. */
typedef struct far_bounds {
    double analytic_ms; /* where the correction fades to */
    double empty_ms;    /* that time of an operation with nothing to do */
    double least_ms;    /* no answer is below */
    double kept;        /* a correction by this factor or less stays (chosen_far_kept); 1: none */
} far_bounds;

/* An answer for an operation outside: the correction of the analytic time fades, the interval
 * widens. */
void far_fade(const habitat_outside *outside, const far_bounds *bounds,
              habitat_model_estimate *answer);

#endif
