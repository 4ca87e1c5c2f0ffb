/* Hardware counters of kernels: a recording of its own kind. */
#ifndef HABITAT_RECORDER_COUNTERS_H
#define HABITAT_RECORDER_COUNTERS_H

#include "cupti_load.h"
#include "options.h"

void counters_start(const recorder_options *options, const cupti_library *cupti);
void counters_finish(const recorder_options *options);

#endif
