/* Several devices in one recording: whether one program drives them, and what each does. */
#ifndef HABITAT_WORKLOAD_DEVICES_H
#define HABITAT_WORKLOAD_DEVICES_H

#include "workload/workload.h"

/* More than the GPUs of any host. */
enum { WORKLOAD_DEVICES_MAX = 64 };

/* Whether one thread launches kernels on several devices: DataParallel, a model in parts. Processes
 * that were recorded together, each with a GPU of its own, share no thread. HABITAT_E_MEMORY. */
habitat_status devices_driven_together(const habitat_trace *trace, bool *out, habitat_error *err);

/* Devices with kernels on them, in their order; the first WORKLOAD_DEVICES_MAX. */
size_t devices_list(const habitat_trace *trace, uint32_t out[WORKLOAD_DEVICES_MAX]);

/* Whether the kernels of all can be put in one order: HABITAT_E_UNSUPPORTED says what is missing.
 */
habitat_status devices_check(const habitat_trace *trace, habitat_error *err);

#endif
