/* Answers of a way that no GPU of the training rows ran. */
#ifndef HABITAT_LAB_TRAIN_WAYS_H
#define HABITAT_LAB_TRAIN_WAYS_H

#include "lab/train_fit.h"

/* What such answers are worth (docs/modelling.md#ways): each kind of GPU is left out and each way
 * besides. alone: shape (alone_count), one kind's own rows against the analytic time where it has
 * no other beside it. miss: as of train_interval(). Classes that know of one way only, or are not
 * judged by kind, get none: known 0. model: has the interval of known ways, and receives `ways`: no
 * other way is surer. HABITAT_E_MEMORY. */
habitat_status train_ways(const samples *s, operator_class c, const train_held_out *alone,
                          size_t alone_count, double miss, uint64_t seed, operator_model *model,
                          habitat_error *err);

#endif
