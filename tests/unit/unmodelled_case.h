/* Operations written on one line, timed from their shapes on a GPU of 100 SMs at 1 GHz, where any
 * kernel takes 1 us and a cycle is a nanosecond. Include check.h before. */
#ifndef HABITAT_TESTS_UNMODELLED_CASE_H
#define HABITAT_TESTS_UNMODELLED_CASE_H

#include "kernels/unmodelled_times.h"
#include "made_gpu.h"
#include "work_case.h"

/* Past the launch [us]. l2_bytes: 0 for the made GPU's own cache; work: what the line says. */
static inline double unmodelled_case_us(const char *line, double l2_bytes, double roof_us,
                                        habitat_work *work) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    work_case read;
    if (l2_bytes > 0)
        gpu.l2_bytes = l2_bytes;
    CHECK_INT(case_read(&read, line), 0);
    CHECK_INT(habitat_operation_work_typed(&read.op, HABITAT_DTYPE_FP32, work), HABITAT_OK);
    return unmodelled_s(work, &gpu, roof_us * 1e-6, 1e-6) * 1e6;
}

#endif
