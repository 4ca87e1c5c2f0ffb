/* What tables have no word for, by the word in their column `source`: docs/dataset.md says what
 * each source did. */
#ifndef HABITAT_QUESTION_SOURCES_H
#define HABITAT_QUESTION_SOURCES_H

#include <habitat/words.h>

#include "base/words.h"

/* How it timed; every other source times kernels. */
static const word timed_sources[] = {
    {"neusight", HABITAT_TIMING_EAGER, NULL},        /* calls of PyTorch between two events */
    {"cdecatapult", HABITAT_TIMING_SESSION, NULL},   /* calls of a TensorFlow session */
    {"aiconfigurator", HABITAT_TIMING_SERVING, NULL} /* CUDA graphs of serving frameworks */
};

/* Which had the library try all algorithms of a convolution; others take what it guesses. */
static const char *const tried_sources[] = {"deepbench"};

#endif
