/* Per-SM limits of each CUDA compute capability.
 *
 * Sources: CUDA C++ Programming Guide, technical specifications per compute capability (13.x for
 * 7.5 and later, 12.x for 5.0 to 7.2, 10.x for 3.x); CUDA occupancy calculator (cuda_occupancy.h)
 * for allocation units. Compute capability 6.0 has two register partitions an SM, all others four,
 * so warps are allocated in pairs there. The system keeps 1 KiB of shared memory for each block
 * from 8.0 on. */
#include "gpu/entry.h"

#define KIB 1024u

static const struct {
    uint32_t capability;
    habitat_sm_limits limits;
} table[] = {
    /* columns: warp; threads/SM, threads/block, blocks/SM; registers/SM, /block, /thread,
     * allocation unit; warp granularity; shared memory/SM, /block with opt-in, reserved, allocation
     * unit */
    {35, {32, 2048, 1024, 16, 65536, 65536, 255, 256, 4, 48 * KIB, 48 * KIB, 0, 256}},
    {37, {32, 2048, 1024, 16, 131072, 65536, 255, 256, 4, 112 * KIB, 48 * KIB, 0, 256}},
    {50, {32, 2048, 1024, 32, 65536, 65536, 255, 256, 4, 64 * KIB, 48 * KIB, 0, 256}},
    {52, {32, 2048, 1024, 32, 65536, 65536, 255, 256, 4, 96 * KIB, 48 * KIB, 0, 256}},
    {53, {32, 2048, 1024, 32, 65536, 32768, 255, 256, 4, 64 * KIB, 48 * KIB, 0, 256}},
    {60, {32, 2048, 1024, 32, 65536, 65536, 255, 256, 2, 64 * KIB, 48 * KIB, 0, 256}},
    {61, {32, 2048, 1024, 32, 65536, 65536, 255, 256, 4, 96 * KIB, 48 * KIB, 0, 256}},
    {62, {32, 2048, 1024, 32, 65536, 32768, 255, 256, 4, 64 * KIB, 48 * KIB, 0, 256}},
    {70, {32, 2048, 1024, 32, 65536, 65536, 255, 256, 4, 96 * KIB, 96 * KIB, 0, 256}},
    {72, {32, 2048, 1024, 32, 65536, 65536, 255, 256, 4, 96 * KIB, 96 * KIB, 0, 256}},
    {75, {32, 1024, 1024, 16, 65536, 65536, 255, 256, 4, 64 * KIB, 64 * KIB, 0, 256}},
    {80, {32, 2048, 1024, 32, 65536, 65536, 255, 256, 4, 164 * KIB, 163 * KIB, KIB, 128}},
    {86, {32, 1536, 1024, 16, 65536, 65536, 255, 256, 4, 100 * KIB, 99 * KIB, KIB, 128}},
    {87, {32, 1536, 1024, 16, 65536, 65536, 255, 256, 4, 164 * KIB, 163 * KIB, KIB, 128}},
    {89, {32, 1536, 1024, 24, 65536, 65536, 255, 256, 4, 100 * KIB, 99 * KIB, KIB, 128}},
    {90, {32, 2048, 1024, 32, 65536, 65536, 255, 256, 4, 228 * KIB, 227 * KIB, KIB, 128}},
    {100, {32, 2048, 1024, 32, 65536, 65536, 255, 256, 4, 228 * KIB, 227 * KIB, KIB, 128}},
    {103, {32, 2048, 1024, 32, 65536, 65536, 255, 256, 4, 228 * KIB, 227 * KIB, KIB, 128}},
    {110, {32, 1536, 1024, 24, 65536, 65536, 255, 256, 4, 228 * KIB, 227 * KIB, KIB, 128}},
    {120, {32, 1536, 1024, 24, 65536, 65536, 255, 256, 4, 100 * KIB, 99 * KIB, KIB, 128}},
    {121, {32, 1536, 1024, 24, 65536, 65536, 255, 256, 4, 100 * KIB, 99 * KIB, KIB, 128}},
};

const habitat_sm_limits *gpu_capability_limits(uint32_t compute_capability) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].capability == compute_capability)
            return &table[i].limits;
    return NULL;
}
