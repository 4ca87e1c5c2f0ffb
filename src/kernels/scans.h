/* Running sums (cumsum, cumprod) of many rows: docs/decisions/0467 and 0645. */
#ifndef HABITAT_KERNELS_SCANS_H
#define HABITAT_KERNELS_SCANS_H

#include <habitat/gpu.h>
#include <habitat/work.h>
#include <habitat/workload.h>

/* Whether it is one, and enough of the GPU is known. */
bool scans_are_told(const habitat_work *work, const habitat_gpu *gpu);

/* Time [s] without a launch of one that is told. */
double scans_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s);

/* Time over the recorded one at other sizes or in another format; NaN: of any other operation. */
double scans_growth(const habitat_workload_group *group, const habitat_work *after,
                    const habitat_gpu *gpu);

#endif
