/* The vocabulary of passes: --pass of `habitat op` and the column `pass` of tables. */
#ifndef HABITAT_WORK_PASS_H
#define HABITAT_WORK_PASS_H

#include "base/words.h"

extern const vocabulary habitat_passes; /* values: habitat_pass */

#endif
