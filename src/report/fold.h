/* Repeated blocks of a network as one row. */
#ifndef HABITAT_REPORT_FOLD_H
#define HABITAT_REPORT_FOLD_H

#include "report/split.h"

/* Rows of modules whose names differ in their first number alone ("net.blocks.0.up",
 * "net.blocks.1.up") and that are alike (calls; class, where the number comes last) become one,
 * "net.blocks.0-1.up". On failure the split is only good for split_free(). */
habitat_status split_fold(split *s, habitat_error *err);

#endif
