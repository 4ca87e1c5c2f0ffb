/* Fitting the rule for the CPU's side. */
#ifndef HABITAT_LAB_REPLAY_FIT_H
#define HABITAT_LAB_REPLAY_FIT_H

#include "lab/replay_case.h"

/* Weights of the rule from the CPU-bound cases of all models but one (NULL: of all): the sum of
 * absolute logarithms of rule over measurement is least, none is negative, and the median ratio is
 * 1: the middle of the interval. */
habitat_status replay_fit(const replay_set *set, const char *without, double out[REPLAY_FEATURES],
                          habitat_error *err);

#endif
