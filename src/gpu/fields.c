/* The keys of a GPU file: where each goes, its unit, and what range is believable.
 * data/schema/gpu.schema.json says the same to other programs (tests/unit/test_gpu_files.c
 * compares). */
#include "gpu/entry.h"

#define AT(member)    offsetof(habitat_gpu, member)
#define LIMIT(member) offsetof(habitat_sm_limits, member)
#define TEXT(key, member, needed)                                                                  \
    { key, GPU_FIELD_TEXT, AT(member), 1, 0, 0, needed }
#define OTHER(key, needed)                                                                         \
    { key, GPU_FIELD_OTHER, 0, 1, 0, 0, needed }
#define COUNT(key, member, lowest, highest, needed)                                                \
    { key, GPU_FIELD_COUNT, AT(member), 1, lowest, highest, needed }
#define NUMBER(key, member, scale, lowest, highest, needed)                                        \
    { key, GPU_FIELD_NUMBER, AT(member), scale, lowest, highest, needed }
#define BOUND(key, member, lowest, highest)                                                        \
    { key, GPU_FIELD_COUNT, LIMIT(member), 1, lowest, highest, false }

#define COST(member, lowest, highest)                                                              \
    { #member, GPU_FIELD_NUMBER, offsetof(habitat_host_costs, member), 1, lowest, highest, true }

#define MHZ 1e6
#define MIB 1048576.0
#define GIB 1073741824.0
#define GB  1e9

const char *const gpu_source_kinds[GPU_SOURCE_KINDS] = {"data sheet", "device properties",
                                                        "catalogue", "derived", "measured"};

const gpu_field gpu_fields[] = {
    OTHER("schema", true),
    TEXT("name", name, true),
    OTHER("calibration_of", false),
    OTHER("aliases", false),
    OTHER("family_aliases", false),
    TEXT("vendor", vendor, true),
    TEXT("architecture", architecture, true),
    TEXT("chip", chip, false),
    OTHER("compute_capability", false),
    TEXT("llvm_target", llvm_target, false),
    TEXT("release_date", release_date, false),
    NUMBER("process_nm", process_nm, 1, 1, 100, true),
    NUMBER("tdp_w", tdp_w, 1, 5, 5000, true),
    COUNT("sm_count", sm_count, 1, 4096, true),
    COUNT("fp32_lanes_per_sm", fp32_lanes_per_sm, 8, 1024, true),
    NUMBER("base_clock_mhz", base_clock_hz, MHZ, 100, 10000, false),
    NUMBER("boost_clock_mhz", boost_clock_hz, MHZ, 100, 10000, true),
    NUMBER("memory_gib", memory_sold_bytes, GIB, 0.5, 4096, true),
    NUMBER("memory_usable_bytes", memory_bytes, 1, 1e8, 5e12, false),
    TEXT("memory_type", memory_type, true),
    TEXT("memory_ecc", memory_ecc, false),
    COUNT("memory_bus_bits", memory_bus_bits, 32, 65536, false),
    NUMBER("memory_bandwidth_gb_per_s", memory_bandwidth_bytes_per_s, GB, 1, 1e5, true),
    NUMBER("l2_mib", l2_bytes, MIB, 0.1, 4096, true),
    COUNT("dies_per_board", dies_per_board, 1, 16, false),
    NUMBER("nvlink_bidirectional_gb_per_s", nvlink_bytes_per_s, GB, 1, 1e5, false),
    NUMBER("infinity_fabric_bidirectional_gb_per_s", nvlink_bytes_per_s, GB, 1, 1e5, false),
    NUMBER("nvlink_c2c_bidirectional_gb_per_s", c2c_bytes_per_s, GB, 1, 1e5, false),
    COUNT("pcie_generation", pcie_generation, 1, 9, false),
    COUNT("pcie_lanes", pcie_lanes, 1, 32, false),
    NUMBER("pcie_bidirectional_gb_per_s", pcie_bytes_per_s, GB / 2, 0.1, 4096, false),
    OTHER("peak_dense_tflop_per_s", false),
    OTHER("peak_note", false),
    OTHER("sm_limits", false),
    OTHER("sustained", false),
    NUMBER("launch_floor_ns", launch_floor_ns, 1, 1, 1e7, false),
    OTHER("operations", false),
    OTHER("host", false),
    OTHER("notes", false),
    OTHER("sources", false),
};
const size_t gpu_field_count = sizeof gpu_fields / sizeof *gpu_fields;

const gpu_field gpu_limit_fields[] = {
    BOUND("warp_size", warp_size, 1, 1024),
    BOUND("max_threads_per_sm", threads_per_sm, 32, 65536),
    BOUND("max_threads_per_block", threads_per_block, 32, 65536),
    BOUND("max_blocks_per_sm", blocks_per_sm, 1, 65536),
    BOUND("registers_per_sm", registers_per_sm, 1024, 1 << 24),
    BOUND("max_registers_per_block", registers_per_block, 1024, 1 << 24),
    BOUND("max_registers_per_thread", registers_per_thread, 16, 65536),
    BOUND("register_allocation_unit", register_allocation_unit, 1, 65536),
    BOUND("warp_allocation_granularity", warp_allocation_granularity, 1, 64),
    BOUND("shared_memory_per_sm_bytes", shared_memory_per_sm_bytes, 1024, 1 << 26),
    BOUND("max_shared_memory_per_block_bytes", shared_memory_per_block_bytes, 1024, 1 << 26),
    BOUND("reserved_shared_memory_per_block_bytes", shared_memory_reserved_bytes, 0, 1 << 20),
    BOUND("shared_memory_allocation_unit_bytes", shared_memory_allocation_bytes, 1, 65536),
};
const size_t gpu_limit_field_count = sizeof gpu_limit_fields / sizeof *gpu_limit_fields;

const gpu_field gpu_host_fields[] = {
    COST(launch_ns, 1, 1e9),      COST(launch_spread, 0, 1e3), COST(forward_ns, 1, 1e9),
    COST(forward_spread, 0, 1e3), COST(backward_ns, 1, 1e9),   COST(backward_spread, 0, 1e3),
};
const size_t gpu_host_field_count = sizeof gpu_host_fields / sizeof *gpu_host_fields;
