/* What programs outside the library may ask of a GPU, against the fields behind it. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "gpu/gpu.h"

static habitat_gpu made(void) {
    static const habitat_gpu_operation operations[] = {{.op = "linear", .ms = 1.5}};
    habitat_gpu gpu = {.name = "X1",
                       .vendor = "NVIDIA",
                       .architecture = "Test",
                       .memory_type = "HBM",
                       .file = "mine.json",
                       .compute_capability = 90,
                       .sm_count = 132,
                       .boost_clock_hz = 1.5e9,
                       .memory_bandwidth_bytes_per_s = 1e12,
                       .sustained_bandwidth_bytes_per_s = 8e11,
                       .launch_floor_ns = NAN,
                       .host = {.launch_ns = 4100, .backward_ns = 30500},
                       .pcie_bytes_per_s = 32e9,
                       .pcie_lanes = 16,
                       .operations = operations,
                       .operation_count = 1};
    for (int d = 0; d < HABITAT_DTYPE_COUNT; d++)
        gpu.peak.matrix_flop_per_s[d] = gpu.peak.plain_flop_per_s[d] =
            gpu.sustained.matrix_flop_per_s[d] = gpu.sustained.plain_flop_per_s[d] = NAN;
    gpu.peak.matrix_flop_per_s[HABITAT_DTYPE_BF16] = 100e12;
    gpu.sustained.matrix_flop_per_s[HABITAT_DTYPE_BF16] = 70e12;
    gpu.sustained.plain_flop_per_s[HABITAT_DTYPE_FP32] = 8e12;
    gpu.sustained_plain_estimated[HABITAT_DTYPE_FP32] = true;
    return gpu;
}

static void check_words(const habitat_gpu *gpu) {
    CHECK(strcmp(habitat_gpu_name(gpu), "X1") == 0);
    CHECK(strcmp(habitat_gpu_text(gpu, HABITAT_GPU_VENDOR), "NVIDIA") == 0);
    CHECK(strcmp(habitat_gpu_text(gpu, HABITAT_GPU_MEMORY_TYPE), "HBM") == 0);
    CHECK(strcmp(habitat_gpu_text(gpu, HABITAT_GPU_FILE), "mine.json") == 0);
    CHECK(!habitat_gpu_text(gpu, HABITAT_GPU_LLVM_TARGET)); /* not known */
    CHECK(!habitat_gpu_text(gpu, (habitat_gpu_word)(HABITAT_GPU_FILE + 1)));
    check_case("words: those that are known, NULL for the others");
}

static void check_numbers(const habitat_gpu *gpu) {
    CHECK(habitat_gpu_number(gpu, HABITAT_GPU_COMPUTE_CAPABILITY) == 90);
    CHECK(habitat_gpu_number(gpu, HABITAT_GPU_SM_COUNT) == 132);
    CHECK(habitat_gpu_number(gpu, HABITAT_GPU_BOOST_CLOCK_HZ) == 1.5e9);
    CHECK(habitat_gpu_number(gpu, HABITAT_GPU_MEMORY_BANDWIDTH_BYTES_PER_S) == 1e12);
    CHECK(habitat_gpu_number(gpu, HABITAT_GPU_SUSTAINED_BANDWIDTH_BYTES_PER_S) == 8e11);
    CHECK(habitat_gpu_number(gpu, HABITAT_GPU_PCIE_BYTES_PER_S) == 32e9);
    CHECK(habitat_gpu_number(gpu, HABITAT_GPU_PCIE_LANES) == 16);
    CHECK(isnan(habitat_gpu_number(gpu, HABITAT_GPU_PCIE_GENERATION))); /* 0: not known */
    CHECK(isnan(habitat_gpu_number(gpu, HABITAT_GPU_LAUNCH_FLOOR_NS)));
    CHECK(habitat_gpu_number(gpu, HABITAT_GPU_HOST_LAUNCH_NS) == 4100);
    CHECK(isnan(habitat_gpu_number(gpu, HABITAT_GPU_HOST_FORWARD_NS)));
    CHECK(habitat_gpu_number(gpu, HABITAT_GPU_HOST_BACKWARD_NS) == 30500);
    CHECK(isnan(habitat_gpu_number(gpu, (habitat_gpu_quantity)(HABITAT_GPU_HOST_BACKWARD_NS + 1))));
    check_case("numbers: those that are known, NaN for the others");
}

static void check_rates(const habitat_gpu *gpu) {
    bool estimated = true;
    CHECK(habitat_gpu_rate(gpu, HABITAT_RATE_PEAK, HABITAT_DTYPE_BF16, true, &estimated) == 100e12);
    CHECK(!estimated);
    CHECK(habitat_gpu_rate(gpu, HABITAT_RATE_SUSTAINED, HABITAT_DTYPE_BF16, true, &estimated) ==
          70e12);
    CHECK(!estimated);
    CHECK(habitat_gpu_rate(gpu, HABITAT_RATE_SUSTAINED, HABITAT_DTYPE_FP32, false, &estimated) ==
          8e12);
    CHECK(estimated);
    CHECK(isnan(habitat_gpu_rate(gpu, HABITAT_RATE_PEAK, HABITAT_DTYPE_FP8, true, NULL)));
    CHECK(isnan(habitat_gpu_rate(gpu, HABITAT_RATE_PEAK, HABITAT_DTYPE_COUNT, true, NULL)));
    check_case("rates: peak and sustained, estimated ones marked, none substituted");
}

static void check_operations(const habitat_gpu *gpu) {
    size_t count = 0;
    const habitat_gpu_operation *operations = habitat_gpu_operations(gpu, &count);
    CHECK_INT(count, 1);
    CHECK(strcmp(operations[0].op, "linear") == 0 && operations[0].ms == 1.5);
    check_case("operations of a calibration");
}

/* Every word and number is found for a GPU whose file says nearly all of them. */
static void check_whole_table(void) {
    habitat_gpu_table *table = NULL;
    const habitat_gpu *gpu = NULL;
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "H200-SXM5-141GB", &gpu, NULL, NULL), HABITAT_OK);
    for (int q = 0; q <= HABITAT_GPU_PCIE_LANES; q++) {
        bool absent = q == HABITAT_GPU_C2C_BYTES_PER_S || q == HABITAT_GPU_LAUNCH_FLOOR_NS;
        CHECK_INT(isnan(habitat_gpu_number(gpu, (habitat_gpu_quantity)q)) != 0, absent);
    }
    for (int w = 0; w <= HABITAT_GPU_FILE; w++) {
        bool absent = w == HABITAT_GPU_LLVM_TARGET || w == HABITAT_GPU_MEMORY_ECC;
        CHECK_INT(habitat_gpu_text(gpu, (habitat_gpu_word)w) == NULL, absent);
    }
    CHECK(habitat_gpu_number(gpu, HABITAT_GPU_MEMORY_BYTES) == gpu->memory_bytes);
    habitat_gpu_table_free(table);
    check_case("a GPU of the built-in table");
}

int main(void) {
    const habitat_gpu gpu = made();
    check_words(&gpu);
    check_numbers(&gpu);
    check_rates(&gpu);
    check_operations(&gpu);
    check_whole_table();
    return check_done();
}
