/* What the library knows of a GPU: the fields behind the public handle (include/habitat/gpu.h).
 *
 * Unknown doubles are NaN and unknown integers 0, where 0 makes no sense; nothing is substituted.
 * This header is for the library, the laboratory and the tests. Other programs ask the accessors,
 * so that a field can be added here without compiling them anew. */
#ifndef HABITAT_GPU_GPU_H
#define HABITAT_GPU_GPU_H

#include <habitat/gpu.h>

/* Peak or sustained arithmetic rates [flop/s], indexed by habitat_dtype; NaN = not supported or
 * unknown. `matrix` are matrix units (tensor cores), `plain` the ordinary ALUs; dense, never with
 * sparsity. */
typedef struct habitat_rates {
    double matrix_flop_per_s[HABITAT_DTYPE_COUNT]; /* accumulating in fp32, as frameworks ask for */
    double plain_flop_per_s[HABITAT_DTYPE_COUNT];
} habitat_rates;

/* Per-SM limits that decide how many blocks are resident (CUDA's occupancy rules). */
typedef struct habitat_sm_limits {
    uint32_t warp_size;
    uint32_t threads_per_sm;
    uint32_t threads_per_block;
    uint32_t blocks_per_sm;
    uint32_t registers_per_sm;
    uint32_t registers_per_block;
    uint32_t registers_per_thread;
    uint32_t register_allocation_unit;    /* registers, per warp */
    uint32_t warp_allocation_granularity; /* = register partitions of an SM */
    uint32_t shared_memory_per_sm_bytes;
    uint32_t shared_memory_per_block_bytes;  /* with opt-in */
    uint32_t shared_memory_reserved_bytes;   /* per block, taken by the system */
    uint32_t shared_memory_allocation_bytes; /* granularity */
} habitat_sm_limits;

/* What the CPU that a calibration ran on takes, Python included; all 0 without one. Each spread is
 * that of its parts, taken in turns: (largest - smallest) / all. */
typedef struct habitat_host_costs {
    double launch_ns;   /* one empty kernel, launched without waiting */
    double forward_ns;  /* one layer of a small network, forward */
    double backward_ns; /* the same, backward */
    double launch_spread, forward_spread, backward_spread;
} habitat_host_costs;

struct habitat_gpu {
    const char *name; /* canonical, e.g. "H200-SXM5-141GB" */
    const char *vendor;
    const char *architecture;    /* "Hopper", "CDNA 3", ... */
    const char *chip;            /* "GH100"; NULL if not known */
    const char *llvm_target;     /* AMD: "gfx942"; NULL otherwise */
    uint32_t compute_capability; /* 10 * major + minor (90 = 9.0, 120 = 12.0); 0 for AMD */
    uint32_t sm_count;           /* streaming multiprocessors or compute units */
    uint32_t fp32_lanes_per_sm;
    double base_clock_hz;
    double boost_clock_hz;
    double memory_bytes;      /* as CUDA or ROCm reports it, else by the rule of docs/gpus.md */
    double memory_sold_bytes; /* "80 GB" is 80 * 2^30: vendors print GB and mean GiB */
    double memory_bandwidth_bytes_per_s; /* nominal */
    uint32_t memory_bus_bits;            /* 0 if not known */
    uint32_t dies_per_board;             /* boards that appear as several GPUs; else 1 */
    const char *memory_type;             /* "HBM2e", "GDDR6", ... */
    const char
        *memory_ecc; /* "none"; "off" as shipped; "inline": through the same bus; NULL: not said */
    double l2_bytes;
    habitat_rates peak;
    double matrix_fp16_accumulate_fp16_flop_per_s; /* peaks with fp16 accumulation, where they */
    double matrix_fp8_accumulate_fp16_flop_per_s;  /* differ (GeForce); else NaN */
    habitat_rates sustained; /* measured or estimated: see sustained_estimated_* */
    bool sustained_matrix_estimated[HABITAT_DTYPE_COUNT];
    bool sustained_plain_estimated[HABITAT_DTYPE_COUNT];
    double sustained_bandwidth_bytes_per_s;
    bool sustained_bandwidth_estimated;
    double launch_floor_ns; /* NaN unless calibrated */
    double tdp_w;
    double process_nm;
    habitat_sm_limits limits;
    double nvlink_bytes_per_s; /* per GPU, both directions together; AMD: Infinity Fabric; NaN =
                                  none */
    double c2c_bytes_per_s;    /* link to the CPU of a superchip, both directions; NaN = none */
    double pcie_bytes_per_s;   /* one direction, unlike NVLink */
    uint32_t pcie_generation, pcie_lanes; /* 0 if not known */
    const char *release_date; /* "2022-03-22" or "2022-03"; NULL if a private file gives none */
    const char
        *file;     /* where the entry came from: "built-in" or a path (the last, if calibrated) */
    bool built_in; /* it is the library's own entry, without a user's file over it */
    /* Of an entry from a user's file: the built-in GPU that operator models are asked about in its
     * place, its namesake, else the one most alike (table.c); NULL = none, or built in itself. */
    const habitat_gpu *reference;
    const habitat_gpu_operation *operations; /* shape (operation_count), of a calibration; models
                                                answer relative to them: docs/modelling.md */
    size_t operation_count;
    habitat_host_costs host; /* of a calibration */
};

/* Whether it has matrix units for this format: NaN is none. */
static inline bool gpu_has_matrix_unit(const habitat_gpu *gpu, habitat_dtype dtype) {
    return gpu->peak.matrix_flop_per_s[dtype] > 0.0 ||
           gpu->sustained.matrix_flop_per_s[dtype] > 0.0;
}

/** A GPU as it would be known if nobody had measured it: the same specification, sustained rates
 * estimated by rule, no operations. For judging predictions onto GPUs without measurements.
 * @param gpu borrowed; its strings are shared, so it must outlive the copy.
 * @param out receives the copy. It belongs to no table: no sources, notes or aliases.
 * @source docs/gpus.md "The rule for estimates" @tested tests/unit/test_gpu.c @since 0.1 */
void habitat_gpu_unmeasured(const habitat_gpu *gpu, habitat_gpu *out);

#endif
