/* A GPU of round numbers: 100 SMs of 64 lanes at 1 GHz, 10 Tflop/s; memory costs nothing. */
#ifndef HABITAT_TESTS_PLAIN_GPU_H
#define HABITAT_TESTS_PLAIN_GPU_H

#include "operator/views.h"

static inline operator_gpu plain_gpu(uint32_t compute_capability) {
    return (operator_gpu){.flop_per_s = 1e13,
                          .bytes_per_s = 1e20,
                          .peak_flop_per_s = 1e13,
                          .units_flop_per_s = 1e13,
                          .sm_count = 100,
                          .lanes_per_sm = 64,
                          .threads_per_sm = 2048,
                          .clock_hz = 1e9,
                          .l2_bytes = 1e7,
                          .compute_capability = compute_capability};
}

#endif
