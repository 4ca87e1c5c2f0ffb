/* One fit of a class's trees to some of its rows, and the rows that it did not see. */
#ifndef HABITAT_LAB_TRAIN_FIT_H
#define HABITAT_LAB_TRAIN_FIT_H

#include "lab/samples.h"
#include "lab/train_interval.h"
#include "models/learned.h"

enum { TRAIN_LEAST_ROWS = 40 };

/* Which rows are fitted to. */
typedef enum train_keep {
    KEEP_ALL,
    KEEP_OTHERS,
    KEEP_OTHER_KINDS,
    KEEP_OTHER_WAYS, /* of other kinds, and of another way than the one that is left out */
    KEEP_TRAIN,
    KEEP_FOUR_FIFTHS,
    KEEP_SHORT,
    KEEP_NO_TESTS
} train_keep;

/* left_out: the GPU's index; for KEEP_OTHER_WAYS times OPERATOR_WAYS_MAX, plus the way. */
bool train_kept(const samples *s, size_t i, train_keep which, size_t left_out);

/* `seen`: trees that may tell GPUs apart. HABITAT_E_ARG: fewer than TRAIN_LEAST_ROWS rows. */
habitat_status train_fit(const samples *s, operator_class c, bool seen, train_keep which,
                         size_t left_out, uint64_t seed, trees *out, habitat_error *err);

/* Test rows of GPU g stand for it where it has any, else all of its rows or, `seen`, a fifth;
 * `by_shape`: always the fifth that KEEP_FOUR_FIFTHS left out. t NULL: what the analytic time alone
 * does. rows: room for all of the samples' rows. @return how many were added. */
size_t train_add_held_out(const samples *s, const trees *t, size_t g, bool seen, bool by_shape,
                          train_held_out *rows);

/* What the trees may count, and how much it is: the least mean error on held-out rows. */
enum { TRAIN_SHRINKS = 5 };
extern const double train_shrinks[TRAIN_SHRINKS];
double train_choose_shrink(const train_held_out *rows, size_t n, size_t gpu_count,
                           operator_class c);

#endif
