/* Beyond what a model was trained on a correction that it learned is worth less and less:
 *
 *     log T = log A + sign(c) max(min(|c|, k), |c| - 0.9 min(d, log(A / A0)))
 *
 * A: analytic time; A0: that of an operation with nothing to do; M: the model's answer;
 * c = log(M / A); d: distance; k = log 3: a correction of up to that is what a GPU reaches of its
 * rates, and stays. The time grows with the operation: c hardly changes out there, and what fades
 * grows no faster than log A. docs/modelling.md#beyond-the-measurements */
#include <math.h>

#include "base/constants_operators.h"
#include "models/range.h"

/* How far a correction may fade: a time that is mostly a launch does not grow with the size. */
static double fading(const habitat_outside *outside, const far_bounds *bounds) {
    double grown = log(bounds->analytic_ms / bounds->empty_ms);
    return chosen_far_fade * fmax(0, fmin(outside->distance, grown));
}

void far_fade(const habitat_outside *outside, const far_bounds *bounds,
              habitat_model_estimate *answer) {
    if (!outside->size)
        return;
    double low = log(answer->low_ms / answer->ms), high = log(answer->high_ms / answer->ms);
    double learned = log(answer->ms / bounds->analytic_ms);
    double left =
        fmax(fmin(fabs(learned), log(bounds->kept)), fabs(learned) - fading(outside, bounds));
    double wider = fmin(chosen_far_width * outside->distance, log(chosen_far_most_factor));
    answer->ms = fmax(bounds->analytic_ms * exp(copysign(left, learned)), bounds->least_ms);
    answer->low_ms = fmax(answer->ms * exp(low - wider), fmin(bounds->least_ms, answer->ms));
    answer->high_ms = answer->ms * exp(high + wider);
    answer->outside = *outside;
}
