/* Blocks of a kernel that are resident on one SM at a time: the rules of CUDA's occupancy
 * calculator.
 *
 * Registers are given out per warp in units of 256, from partitions of the SM that hold equal
 * shares of the register file; warps spread over the partitions. Shared memory is given out per
 * block in units, with the system's share (1 KiB from 8.0 on) on top, out of the largest carve-out
 * that the capability allows. A block that could not run on 6.1 is refused on 6.0 too, although it
 * would fit its wider partitions: CUDA wants a program to run on all of Pascal. Left out: smaller
 * carve-outs that a program may ask for, named barriers, and clusters, none of which a trace
 * records. */
#include "gpu/entry.h"

static uint32_t round_up(uint32_t value, uint32_t unit) {
    return (value + unit - 1) / unit * unit;
}

/* The check of a block counts its warps in fours, whatever the partitions: see above on 6.0. */
enum { CHECKED_WARPS = 4 };

/* Blocks that the register file holds; 0 if not even one. */
static uint32_t blocks_by_registers(const habitat_sm_limits *limits, uint32_t warps,
                                    uint32_t registers) {
    uint32_t partitions = limits->warp_allocation_granularity;
    uint32_t per_warp = round_up(registers * limits->warp_size, limits->register_allocation_unit);
    if (registers > limits->registers_per_thread ||
        (uint64_t)per_warp * round_up(warps, CHECKED_WARPS) > limits->registers_per_block)
        return 0;
    uint32_t warps_per_partition = limits->registers_per_sm / partitions / per_warp;
    return warps_per_partition * partitions / warps;
}

/* Blocks that the shared memory holds; 0 if not even one. */
static uint32_t blocks_by_shared_memory(const habitat_sm_limits *limits, uint32_t bytes) {
    if (bytes > limits->shared_memory_per_block_bytes)
        return 0;
    uint32_t allocated = round_up(bytes + limits->shared_memory_reserved_bytes,
                                  limits->shared_memory_allocation_bytes);
    return allocated ? limits->shared_memory_per_sm_bytes / allocated : UINT32_MAX;
}

static bool limits_known(const habitat_sm_limits *limits) {
    return limits->warp_size && limits->threads_per_sm && limits->threads_per_block &&
           limits->blocks_per_sm && limits->registers_per_sm && limits->registers_per_block &&
           limits->registers_per_thread && limits->register_allocation_unit &&
           limits->warp_allocation_granularity && limits->shared_memory_per_sm_bytes &&
           limits->shared_memory_per_block_bytes && limits->shared_memory_allocation_bytes;
}

habitat_status habitat_occupancy_blocks(const habitat_gpu *gpu, const habitat_launch *launch,
                                        uint32_t *out, habitat_limiter *limiter) {
    if (!gpu || !launch || !out || launch->threads_per_block == 0)
        return HABITAT_E_ARG;
    const habitat_sm_limits *limits = &gpu->limits;
    if (!limits_known(limits))
        return HABITAT_E_NO_SPEC;
    habitat_limiter found = HABITAT_LIMIT_THREADS;
    uint32_t blocks = 0;
    if (launch->threads_per_block <= limits->threads_per_block) {
        uint32_t warps = (launch->threads_per_block + limits->warp_size - 1) / limits->warp_size;
        uint32_t by_registers =
            launch->registers_per_thread
                ? blocks_by_registers(limits, warps, launch->registers_per_thread)
                : UINT32_MAX;
        uint32_t by_shared_memory = blocks_by_shared_memory(limits, launch->shared_memory_bytes);
        blocks = limits->threads_per_sm / limits->warp_size / warps;
        if (by_registers < blocks) {
            blocks = by_registers;
            found = HABITAT_LIMIT_REGISTERS;
        }
        if (by_shared_memory < blocks) {
            blocks = by_shared_memory;
            found = HABITAT_LIMIT_SHARED_MEMORY;
        }
        if (limits->blocks_per_sm < blocks) {
            blocks = limits->blocks_per_sm;
            found = HABITAT_LIMIT_BLOCKS;
        }
    }
    if (limiter)
        *limiter = found;
    if (blocks == 0)
        return HABITAT_E_NOT_RESIDENT;
    *out = blocks;
    return HABITAT_OK;
}
