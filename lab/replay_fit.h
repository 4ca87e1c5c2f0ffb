/* Fitting the rule for the CPU's side. */
#ifndef HABITAT_LAB_REPLAY_FIT_H
#define HABITAT_LAB_REPLAY_FIT_H

#include "lab/replay_case.h"

/* Weights of the rule from the CPU-bound cases of all models but one (NULL: of all): they bring
 * the ratio of rule to measurement nearest to 1, none is negative, and the median ratio is 1. */
habitat_status replay_fit(const replay_set *set, const char *without, double out[REPLAY_FEATURES],
                          habitat_error *err);

#endif
