/* How uncertain each answer is beside others of its class. */
#ifndef HABITAT_LAB_TRAIN_SPREAD_H
#define HABITAT_LAB_TRAIN_SPREAD_H

#include "lab/lab.h"
#include "lab/train_interval.h"
#include "models/learned.h"

/* Trees over the inputs that compare GPUs, fitted to how far rows lie from the bias of their GPU;
 * how much they count is chosen by leaving each kind of GPU out once more. Of one kind alone, or
 * where counting nothing is best, no trees: every answer has the interval of the class. shrink,
 * miss: as of train_interval(). Leaves `rows` with the spreads that were chosen.
 * HABITAT_E_MEMORY; the caller frees out->trees. */
habitat_status train_spread(train_held_out *rows, size_t n, const operator_features *features,
                            double shrink, double miss, uint64_t seed, learned_spread *out,
                            habitat_error *err);

#endif
