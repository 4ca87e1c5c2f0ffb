/* How tables that have no word for it were timed: by the word in their column `source`, and what
 * docs/dataset.md says of that source. Every other source times kernels. */
#ifndef HABITAT_QUESTION_SOURCES_H
#define HABITAT_QUESTION_SOURCES_H

#include <habitat/words.h>

#include "base/words.h"

static const word timed_sources[] = {
    {"neusight", HABITAT_TIMING_EAGER, NULL},        /* calls of PyTorch between two events */
    {"cdecatapult", HABITAT_TIMING_SESSION, NULL},   /* calls of a TensorFlow session */
    {"aiconfigurator", HABITAT_TIMING_SERVING, NULL} /* CUDA graphs of serving frameworks */
};

#endif
