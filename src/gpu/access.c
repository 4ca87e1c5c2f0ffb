/* What a program outside the library may ask of a GPU: include/habitat/gpu.h. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "gpu/gpu.h"

const char *habitat_gpu_name(const habitat_gpu *gpu) {
    return gpu->name;
}

/* Where each word is. */
static const size_t words[] = {
    [HABITAT_GPU_VENDOR] = offsetof(habitat_gpu, vendor),
    [HABITAT_GPU_ARCHITECTURE] = offsetof(habitat_gpu, architecture),
    [HABITAT_GPU_CHIP] = offsetof(habitat_gpu, chip),
    [HABITAT_GPU_LLVM_TARGET] = offsetof(habitat_gpu, llvm_target),
    [HABITAT_GPU_MEMORY_TYPE] = offsetof(habitat_gpu, memory_type),
    [HABITAT_GPU_MEMORY_ECC] = offsetof(habitat_gpu, memory_ecc),
    [HABITAT_GPU_RELEASE_DATE] = offsetof(habitat_gpu, release_date),
    [HABITAT_GPU_FILE] = offsetof(habitat_gpu, file),
};

const char *habitat_gpu_text(const habitat_gpu *gpu, habitat_gpu_word what) {
    const char *word = NULL;
    if ((size_t)what < sizeof words / sizeof *words)
        memcpy(&word, (const char *)gpu + words[what], sizeof word);
    return word;
}

/* Where each number is, and whether it is a uint32_t or a double. */
static const struct {
    bool whole;
    size_t offset;
} numbers[] = {
    [HABITAT_GPU_COMPUTE_CAPABILITY] = {true, offsetof(habitat_gpu, compute_capability)},
    [HABITAT_GPU_SM_COUNT] = {true, offsetof(habitat_gpu, sm_count)},
    [HABITAT_GPU_FP32_LANES_PER_SM] = {true, offsetof(habitat_gpu, fp32_lanes_per_sm)},
    [HABITAT_GPU_BASE_CLOCK_HZ] = {false, offsetof(habitat_gpu, base_clock_hz)},
    [HABITAT_GPU_BOOST_CLOCK_HZ] = {false, offsetof(habitat_gpu, boost_clock_hz)},
    [HABITAT_GPU_MEMORY_BYTES] = {false, offsetof(habitat_gpu, memory_bytes)},
    [HABITAT_GPU_MEMORY_SOLD_BYTES] = {false, offsetof(habitat_gpu, memory_sold_bytes)},
    [HABITAT_GPU_MEMORY_BANDWIDTH_BYTES_PER_S] = {false, offsetof(habitat_gpu,
                                                                  memory_bandwidth_bytes_per_s)},
    [HABITAT_GPU_SUSTAINED_BANDWIDTH_BYTES_PER_S] = {false,
                                                     offsetof(habitat_gpu,
                                                              sustained_bandwidth_bytes_per_s)},
    [HABITAT_GPU_MEMORY_BUS_BITS] = {true, offsetof(habitat_gpu, memory_bus_bits)},
    [HABITAT_GPU_DIES_PER_BOARD] = {true, offsetof(habitat_gpu, dies_per_board)},
    [HABITAT_GPU_L2_BYTES] = {false, offsetof(habitat_gpu, l2_bytes)},
    [HABITAT_GPU_LAUNCH_FLOOR_NS] = {false, offsetof(habitat_gpu, launch_floor_ns)},
    [HABITAT_GPU_TDP_W] = {false, offsetof(habitat_gpu, tdp_w)},
    [HABITAT_GPU_PROCESS_NM] = {false, offsetof(habitat_gpu, process_nm)},
    [HABITAT_GPU_NVLINK_BYTES_PER_S] = {false, offsetof(habitat_gpu, nvlink_bytes_per_s)},
    [HABITAT_GPU_C2C_BYTES_PER_S] = {false, offsetof(habitat_gpu, c2c_bytes_per_s)},
    [HABITAT_GPU_PCIE_BYTES_PER_S] = {false, offsetof(habitat_gpu, pcie_bytes_per_s)},
    [HABITAT_GPU_PCIE_GENERATION] = {true, offsetof(habitat_gpu, pcie_generation)},
    [HABITAT_GPU_PCIE_LANES] = {true, offsetof(habitat_gpu, pcie_lanes)},
    [HABITAT_GPU_HOST_LAUNCH_NS] = {false, offsetof(habitat_gpu, host.launch_ns)},
    [HABITAT_GPU_HOST_FORWARD_NS] = {false, offsetof(habitat_gpu, host.forward_ns)},
    [HABITAT_GPU_HOST_BACKWARD_NS] = {false, offsetof(habitat_gpu, host.backward_ns)},
};

double habitat_gpu_number(const habitat_gpu *gpu, habitat_gpu_quantity what) {
    double value = NAN;
    uint32_t whole = 0;
    if ((size_t)what >= sizeof numbers / sizeof *numbers)
        return NAN;
    const char *at = (const char *)gpu + numbers[what].offset;
    if (numbers[what].whole) {
        memcpy(&whole, at, sizeof whole);
        value = whole;
    } else {
        memcpy(&value, at, sizeof value);
    }
    return value > 0.0 ? value : NAN; /* whole numbers that are not known are 0 */
}

double habitat_gpu_rate(const habitat_gpu *gpu, habitat_rate_kind kind, habitat_dtype dtype,
                        bool matrix_unit, bool *estimated) {
    bool sustained = kind == HABITAT_RATE_SUSTAINED;
    if (estimated)
        *estimated = false;
    if ((unsigned)dtype >= HABITAT_DTYPE_COUNT)
        return NAN;
    const habitat_rates *rates = sustained ? &gpu->sustained : &gpu->peak;
    if (estimated && sustained)
        *estimated = matrix_unit ? gpu->sustained_matrix_estimated[dtype]
                                 : gpu->sustained_plain_estimated[dtype];
    return matrix_unit ? rates->matrix_flop_per_s[dtype] : rates->plain_flop_per_s[dtype];
}

const habitat_gpu_operation *habitat_gpu_operations(const habitat_gpu *gpu, size_t *count) {
    *count = gpu->operation_count;
    return gpu->operations;
}
