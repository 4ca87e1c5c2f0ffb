/* Several devices in one recording: whether one program drives them, and what each does. */
#ifndef HABITAT_WORKLOAD_DEVICES_H
#define HABITAT_WORKLOAD_DEVICES_H

#include "workload/workload.h"

/* The devices that one program drives, in their order; `count` 0 where it is not so. One thread
 * launches on several of them: DataParallel, a model in parts. Processes that were recorded
 * together, each with a GPU of its own, share no thread. Devices that hardly compute (a stray fill)
 * do not count. HABITAT_E_MEMORY. */
habitat_status devices_driven_together(const habitat_trace *trace,
                                       uint32_t out[WORKLOAD_DEVICES_MAX], size_t *count,
                                       habitat_error *err);

/* Devices with kernels on them, in their order; the first WORKLOAD_DEVICES_MAX. */
size_t devices_list(const habitat_trace *trace, uint32_t out[WORKLOAD_DEVICES_MAX]);

/* Whether the kernels of the devices that one program drives can be put in one order:
 * HABITAT_E_UNSUPPORTED says what is missing. driven: how many they are. */
habitat_status devices_check(const habitat_trace *trace, size_t driven, habitat_error *err);

#endif
