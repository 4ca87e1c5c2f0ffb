/* GPUs made for tests: round numbers that can be worked with by hand. */
#ifndef HABITAT_TESTS_MADE_GPU_H
#define HABITAT_TESTS_MADE_GPU_H

#include <math.h>

#include "gpu/gpu.h"

/* A GPU of `sms` SMs at `clock_ghz`, `gb_per_s` of DRAM and `tflop_per_s` of plain fp32; sustained
 * rates are four fifths of the peaks. Limits are those of compute capability 9.0. */
static inline habitat_gpu made_gpu(const char *name, uint32_t sms, double clock_ghz,
                                   double gb_per_s, double tflop_per_s) {
    habitat_gpu gpu = {
        .name = name,
        .vendor = "NVIDIA",
        .architecture = name,
        .compute_capability = 90,
        .sm_count = sms,
        .fp32_lanes_per_sm = 128,
        .base_clock_hz = clock_ghz * 1e9,
        .boost_clock_hz = clock_ghz * 1e9,
        .memory_bytes = 16e9,
        .memory_sold_bytes = 16e9,
        .memory_bandwidth_bytes_per_s = gb_per_s * 1e9,
        .memory_type = "HBM",
        .l2_bytes = 4e6,
        .sustained_bandwidth_bytes_per_s = 0.8 * gb_per_s * 1e9,
        .launch_floor_ns = NAN,
        .tdp_w = 300,
        .process_nm = 7,
        .nvlink_bytes_per_s = NAN,
        .pcie_bytes_per_s = NAN,
        .release_date = "2020-01",
        .file = "test",
        .limits = {.warp_size = 32,
                   .threads_per_sm = 2048,
                   .threads_per_block = 1024,
                   .blocks_per_sm = 32,
                   .registers_per_sm = 65536,
                   .registers_per_block = 65536,
                   .registers_per_thread = 255,
                   .register_allocation_unit = 256,
                   .warp_allocation_granularity = 4,
                   .shared_memory_per_sm_bytes = 233472,
                   .shared_memory_per_block_bytes = 232448,
                   .shared_memory_reserved_bytes = 1024,
                   .shared_memory_allocation_bytes = 128},
    };
    for (int d = 0; d < HABITAT_DTYPE_COUNT; d++) {
        gpu.peak.matrix_flop_per_s[d] = gpu.peak.plain_flop_per_s[d] = NAN;
        gpu.sustained.matrix_flop_per_s[d] = gpu.sustained.plain_flop_per_s[d] = NAN;
    }
    gpu.peak.plain_flop_per_s[HABITAT_DTYPE_FP32] = tflop_per_s * 1e12;
    gpu.sustained.plain_flop_per_s[HABITAT_DTYPE_FP32] = 0.8 * tflop_per_s * 1e12;
    return gpu;
}

#endif
