/* The GPU table: what is known of each GPU, with units and sources; occupancy.
 *
 * Half: stable, but for what the end of this file marks as experimental.
 * Units: each name ends in its unit. A number that is not known is NaN and a text NULL. Nothing is
 * substituted for them.
 * Ownership: the caller frees a table. GPUs, texts and arrays belong to their table and live as
 * long as it does. Arguments are borrowed for the call.
 * Errors: a habitat_status; on failure outputs are untouched, and `err`, which may be NULL, says
 * why.
 * Threads: several threads may read one table. Adding to a table needs it alone. */
#ifndef HABITAT_GPU_H
#define HABITAT_GPU_H

#include <stdbool.h>

#include <habitat/status.h>
#include <habitat/units.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One operation that a calibration timed on the very GPU, in the words of docs/dataset.md. What
 * they mean is for the operator models to say: a name they do not know is no error. */
typedef struct habitat_gpu_operation {
    const char *op;      /* "linear", "conv2d", ... */
    const char *pass;    /* "forward", "backward", "backward_input" or "backward_weight" */
    const char *shape;   /* "m=512 n=1024 k=1024" */
    const char *timing;  /* "graph", "event", "eager" or "kernel" */
    habitat_dtype dtype; /* what it computes in */
    double ms;
    uint32_t line; /* of the GPU's file */
} habitat_gpu_operation;

/* One GPU of a table. What is known of it is asked with the calls below: a later version of the
 * library may know more, and programs need not be compiled anew for it. An entry cannot be copied
 * and lives as long as its table. */
typedef struct habitat_gpu habitat_gpu;

/** Canonical name, such as "H200-SXM5-141GB".
 * @param gpu borrowed, not NULL.
 * @return borrowed, lives as long as the table.
 * @note   Pure; safe from several threads.
 * @tested tests/unit/test_gpu_access.c @since 0.2 */
HABITAT_API const char *habitat_gpu_name(const habitat_gpu *gpu);

/* What can be told of a GPU in words. Later versions may add values at the end. */
typedef enum habitat_gpu_word {
    HABITAT_GPU_VENDOR = 0,   /* "NVIDIA", "AMD" */
    HABITAT_GPU_ARCHITECTURE, /* "Hopper", "CDNA 3" */
    HABITAT_GPU_CHIP,         /* "GH100" */
    HABITAT_GPU_LLVM_TARGET,  /* AMD: "gfx942" */
    HABITAT_GPU_MEMORY_TYPE,  /* "HBM2e", "GDDR6" */
    HABITAT_GPU_MEMORY_ECC,   /* "none"; "off" as sold; "inline": check bits go through the same bus
                               */
    HABITAT_GPU_RELEASE_DATE, /* "2022-03-22" or "2022-03" */
    HABITAT_GPU_FILE,         /* where the entry came from: "built-in" or a path */
} habitat_gpu_word;

/** One word about a GPU.
 * @param gpu  borrowed, not NULL.
 * @param what which word.
 * @return borrowed, lives as long as the table; NULL if it is not known, or `what` is no value of
 *         the enumeration.
 * @note   Pure; safe from several threads.
 * @tested tests/unit/test_gpu_access.c @since 0.2 */
HABITAT_API const char *habitat_gpu_text(const habitat_gpu *gpu, habitat_gpu_word what);

/* What can be told of a GPU in one number; each name ends in the unit. Later versions may add
 * values at the end. */
typedef enum habitat_gpu_quantity {
    HABITAT_GPU_COMPUTE_CAPABILITY = 0, /* 10 * major + minor: 90 is 9.0. NVIDIA only */
    HABITAT_GPU_SM_COUNT,               /* streaming multiprocessors or compute units */
    HABITAT_GPU_FP32_LANES_PER_SM,      /* fp32 units of one of them */
    HABITAT_GPU_BASE_CLOCK_HZ,
    HABITAT_GPU_BOOST_CLOCK_HZ,
    HABITAT_GPU_MEMORY_BYTES, /* as CUDA or ROCm reports it, else by the rule of docs/gpus.md */
    HABITAT_GPU_MEMORY_SOLD_BYTES,               /* "80 GB" on the box is 80 * 2^30 */
    HABITAT_GPU_MEMORY_BANDWIDTH_BYTES_PER_S,    /* as the data sheet says */
    HABITAT_GPU_SUSTAINED_BANDWIDTH_BYTES_PER_S, /* as a copy of large arrays reaches it */
    HABITAT_GPU_MEMORY_BUS_BITS,
    HABITAT_GPU_DIES_PER_BOARD, /* boards that appear as several GPUs; else 1 */
    HABITAT_GPU_L2_BYTES,
    HABITAT_GPU_LAUNCH_FLOOR_NS, /* shortest kernel; of a calibration */
    HABITAT_GPU_TDP_W,
    HABITAT_GPU_PROCESS_NM,
    HABITAT_GPU_NVLINK_BYTES_PER_S, /* both directions together; AMD: Infinity Fabric */
    HABITAT_GPU_C2C_BYTES_PER_S,    /* link to the CPU of a superchip, both directions */
    HABITAT_GPU_PCIE_BYTES_PER_S,   /* one direction, unlike NVLink */
    HABITAT_GPU_PCIE_GENERATION,
    HABITAT_GPU_PCIE_LANES,
    /* Of the CPU that a calibration ran on, Python included: docs/gpus.md "What a host takes". */
    HABITAT_GPU_HOST_LAUNCH_NS,   /* an empty kernel's launch */
    HABITAT_GPU_HOST_FORWARD_NS,  /* a layer of a small network, forward */
    HABITAT_GPU_HOST_BACKWARD_NS, /* the same, backward */
} habitat_gpu_quantity;

/** One number about a GPU.
 * @param gpu  borrowed, not NULL.
 * @param what which number; its name says the unit.
 * @return the number, > 0; NaN if it is not known, if the GPU has no such thing, or if `what` is no
 *         value of the enumeration.
 * @note   Pure; safe from several threads.
 * @tested tests/unit/test_gpu_access.c @since 0.2 */
HABITAT_API double habitat_gpu_number(const habitat_gpu *gpu, habitat_gpu_quantity what);

/* Where a rate comes from. */
typedef enum habitat_rate_kind {
    HABITAT_RATE_PEAK = 0,  /* the data sheet's, dense, without sparsity */
    HABITAT_RATE_SUSTAINED, /* what large products reach: measured, or estimated by rule */
} habitat_rate_kind;

/** Arithmetic rate of one number format. No other format is substituted for a missing one: the
 * methods of prediction do that.
 * @param gpu         borrowed, not NULL.
 * @param kind        the data sheet's rate, or the one that is reached.
 * @param dtype       what the arithmetic computes in; matrix units accumulate in fp32.
 * @param matrix_unit true: matrix units (tensor cores); false: the ordinary units.
 * @param estimated   receives true where a sustained rate was estimated by the rule of docs/gpus.md
 *                    and never measured; may be NULL.
 * @return [flop/s], a fused multiply-add being 2 flop; NaN if it is not known or not supported.
 * @note   Pure; safe from several threads.
 * @tested tests/unit/test_gpu_access.c @since 0.2 */
HABITAT_API double habitat_gpu_rate(const habitat_gpu *gpu, habitat_rate_kind kind,
                                    habitat_dtype dtype, bool matrix_unit, bool *estimated);

/** Operations that a calibration timed on this GPU. Operator models answer relative to them:
 * docs/modelling.md.
 * @param gpu   borrowed, not NULL.
 * @param count receives the number; 0 without a calibration.
 * @return borrowed, shape (*count), lives as long as the table; may be NULL if *count is 0.
 * @note   Pure; safe from several threads.
 * @tested tests/unit/test_gpu_access.c @since 0.2 */
HABITAT_API const habitat_gpu_operation *habitat_gpu_operations(const habitat_gpu *gpu,
                                                                size_t *count);

/* How much slower one host is than another, by their calibrations. */
typedef struct habitat_host_ratio {
    double scale; /* of the CPU's times: 2 is half as fast. Geometric mean of the three below */
    double doubt; /* either way: of measured steps 80 % are within 1.2; more where the three are
                     further from their mean than that */
    double launch, forward, backward; /* of each figure */
    double spread;                    /* the largest of those of both */
} habitat_host_ratio;

/** What the CPU's side of an iteration is multiplied by on another host:
 * habitat_request::cpu_scale and cpu_scale_doubt.
 * @param recorded a GPU whose calibration was made on the host that recorded; borrowed. NULL: none
 *                 did, `other` is beside the middle of hosts, which recordings without a GPU are
 *                 answered for.
 * @param other    one whose calibration was made on the host to predict for; borrowed.
 * @param out      receives the ratio; untouched on failure.
 * @param err      receives which of the two lacks it, in err->index (0, 1); may be NULL.
 * @return HABITAT_E_FORMAT where a calibration says nothing of its host; HABITAT_E_ARG.
 * @note   Pure; safe from several threads.
 * @source docs/gpus.md "What a host takes" @tested tests/unit/test_calibrated.c @since 0.3 */
HABITAT_API habitat_status habitat_host_compare(const habitat_gpu *recorded,
                                                const habitat_gpu *other, habitat_host_ratio *out,
                                                habitat_error *err);

/* All GPUs that are known. */
typedef struct habitat_gpu_table habitat_gpu_table;

/** A GPU file to start from, its places to fill in being null: docs/gpus.md "Adding a GPU".
 * @return static JSON text.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const char *habitat_gpu_template(void);

/** Folder of the user's own GPU files: $XDG_CONFIG_HOME/habitat/gpus, or ~/.config/habitat/gpus.
 * @param out  receives the path.
 * @param size bytes of `out`.
 * @return HABITAT_OK; HABITAT_E_ARG (neither variable is set, or `out` is too small).
 * @note   Reads the environment and touches no file. Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_gpu_user_dir(char *out, size_t size);

/** Build the table: the built-in GPUs, then the user's files in `user_dir` in order of their names.
 * A file there that cannot be used is skipped, so that it does not stand in the way of all other
 * GPUs: habitat_gpu_skipped_files() names it, and looking up the GPU that it describes fails.
 * Sustained rates that a file does not give are estimated by the rule of docs/gpus.md and marked.
 * @param user_dir directory of *.json files that add or replace GPUs; NULL = built-in only; a
 *                 directory that does not exist is no error. See habitat_gpu_user_dir().
 * @param out      receives the table; free with habitat_gpu_table_free(). Untouched on error.
 * @param err      where and why on failure (file, line); may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG; HABITAT_E_MEMORY.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_gpu_table_create(const char *user_dir, habitat_gpu_table **out,
                                                    habitat_error *err);

/** Add one GPU file (one GPU, or a calibration of a known GPU); replaces an entry of that name.
 * Pointers to a replaced entry stay valid until the table is freed.
 * @param table gains the GPU; unchanged on error.
 * @param path  file to read.
 * @param out   receives the entry; may be NULL.
 * @param err   where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_PARSE, _FORMAT, _RANGE, _VERSION for a bad file; HABITAT_E_MEMORY;
 *         HABITAT_E_IO; HABITAT_E_UNKNOWN_GPU (a calibration of a GPU that is not in the table).
 *         The table is unchanged on error.
 * @note   One thread at a time; nobody else may use the table meanwhile.
 * @since 0.1 */
HABITAT_API habitat_status habitat_gpu_table_add_file(habitat_gpu_table *table, const char *path,
                                                      const habitat_gpu **out, habitat_error *err);

/** The same for a GPU file that is already in memory.
 * @param table gains the GPU; unchanged on error.
 * @param text  JSON; needs no NUL.
 * @param size  its length in bytes.
 * @param label what to call it in errors and in habitat_gpu.file; borrowed for the call.
 * @param out   receives the entry; may be NULL.
 * @param err   where and why on failure; may be NULL.
 * @return as habitat_gpu_table_add_file(), without HABITAT_E_IO.
 * @note   One thread at a time; nobody else may use the table meanwhile.
 * @tested fuzz/fuzz_gpu.c @since 0.1 */
HABITAT_API habitat_status habitat_gpu_table_add_text(habitat_gpu_table *table, const char *text,
                                                      size_t size, const char *label,
                                                      const habitat_gpu **out, habitat_error *err);

/* A file of the user's folder that could not be used. */
typedef struct habitat_gpu_skipped {
    const char *file;
    const char *gpu;     /* the name it gives, or its own where it gives none; "" once a later file
                            has described that GPU */
    const char *message; /* one line: why */
    habitat_status status;
} habitat_gpu_skipped;

/** Files of the user's folder that were skipped.
 * @param table borrowed for the call.
 * @param count receives the number.
 * @return borrowed, shape (count), lives as long as the table.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const habitat_gpu_skipped *habitat_gpu_skipped_files(const habitat_gpu_table *table,
                                                                 size_t *count);

/** Free a table and all its entries.
 * @param table freed with all that belongs to it; may be NULL.
 * @note   After the last thread has done with it.
 * @since 0.1 */
HABITAT_API void habitat_gpu_table_free(habitat_gpu_table *table);

/** How many GPUs a table has.
 * @param table borrowed for the call.
 * @return their number.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API size_t habitat_gpu_count(const habitat_gpu_table *table);

/** Entry `i` in table order: NVIDIA first, then by compute capability, release date, name.
 * @param table borrowed for the call.
 * @param i     0 to habitat_gpu_count() - 1.
 * @return borrowed, lives as long as the table; NULL if i is out of range.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const habitat_gpu *habitat_gpu_at(const habitat_gpu_table *table, size_t i);

/** Find a GPU by canonical name, alias or short name; case, spaces and punctuation do not matter. A
 * bare number is enough where only one GPU has it ("4090").
 * @param table borrowed for the call.
 * @param name  as a person types it or nvidia-smi prints it.
 * @param out   receives the entry, borrowed.
 * @param alias receives true if `name` was not the canonical name; may be NULL.
 * @param err   where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_UNKNOWN_GPU (err->message names the nearest GPUs); the status of a
 *         skipped file that describes this GPU: see habitat_gpu_skipped_files().
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_gpu_find(const habitat_gpu_table *table, const char *name,
                                            const habitat_gpu **out, bool *alias,
                                            habitat_error *err);

/** Whether `name` is one that several parts share ("A100"), so that a reader should be told which
 * was taken.
 * @param gpu  borrowed for the call.
 * @param name NUL-terminated, borrowed for the call.
 * @return false for names of exactly this part ("Tesla T4").
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API bool habitat_gpu_name_is_shared(const habitat_gpu *gpu, const char *name);

/** Whether `name` is the canonical name or one of exactly this part, as nvidia-smi prints it
 * ("NVIDIA H100 80GB HBM3").
 * @param gpu  borrowed for the call.
 * @param name NUL-terminated, borrowed for the call.
 * @return true: nothing was chosen for the one who wrote it.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API bool habitat_gpu_name_is_exact(const habitat_gpu *gpu, const char *name);

/* What a recording says of its device; 0 = not recorded. */
typedef struct habitat_device_facts {
    const char *name;
    uint64_t memory_bytes;
    uint32_t sm_count;
    uint32_t compute_capability; /* 10 * major + minor */
    uint32_t threads_per_sm;
    uint32_t registers_per_sm;
    uint32_t shared_memory_per_sm_bytes;
    uint32_t shared_memory_per_block_bytes; /* opt-in */
} habitat_device_facts;

/** Find the GPU a trace was recorded on: by name; where the name is shared ("Tesla V100"), told
 * apart by memory size and SM count. What the facts contradict is refused, never guessed.
 * @param table borrowed for the call.
 * @param facts what the trace says of its device.
 * @param out   receives the result; untouched on failure.
 * @param err   where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_UNKNOWN_GPU (nearest names; also when there is no name, or when the
 *         SM count, the memory or the compute capability contradict the entry of that name, as on a
 *         MIG slice); HABITAT_E_ARG.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_gpu_match(const habitat_gpu_table *table,
                                             const habitat_device_facts *facts,
                                             const habitat_gpu **out, habitat_error *err);

/** Compare what a person says a trace was recorded on with what the recording says of its device.
 * @param table borrowed for the call.
 * @param gpu   the GPU that the person named.
 * @param facts what the recording says of its device.
 * @param note  receives one line, cut off at `size` bytes, where the recording names another GPU of
 *              the table, else "".
 * @param size  bytes of `note`.
 * @param err   where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG when the SM count, the compute capability or the memory that
 *         were recorded contradict `gpu`.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_gpu_check_origin(const habitat_gpu_table *table,
                                                    const habitat_gpu *gpu,
                                                    const habitat_device_facts *facts, char *note,
                                                    size_t size, habitat_error *err);

/** Aliases of a GPU.
 * @param table borrowed for the call.
 * @param gpu   borrowed for the call.
 * @param count receives the number.
 * @return borrowed, shape (count) of texts, lives as long as the table.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const char *const *habitat_gpu_aliases(const habitat_gpu_table *table,
                                                   const habitat_gpu *gpu, size_t *count);

/* Where one value (or group of values) of a GPU comes from. */
typedef struct habitat_gpu_source {
    const char *field; /* "memory_bandwidth_gb_per_s", "peak.matrix", ... as in the file */
    const char *id;    /* the source's short name */
    const char *title; /* document */
    const char *publisher;
    const char *date; /* "2024", "2024-11" or "2024-11-18" */
    const char *note; /* how it was read or measured; NULL if nothing is to be said */
    const char *kind; /* "data sheet", "device properties" (as CUDA or ROCm reports them),
                         "catalogue" (somebody's list of parts), "derived" or "measured"; NULL where
                         a private file does not say */
} habitat_gpu_source;

/** Sources of a GPU's values.
 * @param table borrowed for the call.
 * @param gpu   borrowed for the call.
 * @param count receives the number.
 * @return borrowed, shape (count), lives as long as the table.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const habitat_gpu_source *habitat_gpu_sources(const habitat_gpu_table *table,
                                                          const habitat_gpu *gpu, size_t *count);

/** The source of one value: the entry of habitat_gpu_sources() that matches most of its key.
 * @param gpu   borrowed for the call.
 * @param field key of the file, dotted inside an object: "sustained.plain_tflop_per_s.fp32".
 * @return borrowed, lives as long as the GPU's table; NULL if none covers it (estimates have none).
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const habitat_gpu_source *habitat_gpu_source_of(const habitat_gpu *gpu,
                                                            const char *field);

/** Remarks on a GPU's values, for people.
 * @param gpu   borrowed for the call.
 * @param count receives the number.
 * @return borrowed, shape (count) of texts, lives as long as the GPU's table.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const char *const *habitat_gpu_notes(const habitat_gpu *gpu, size_t *count);

#ifdef HABITAT_EXPERIMENTAL /* ---- experimental half ---- */

/* One finding of habitat_gpu_check(). */
typedef struct habitat_gpu_finding {
    const char *gpu;   /* canonical name */
    char message[256]; /* one line */
} habitat_gpu_finding;

/** Check the whole table: required fields, ranges, peak against clock, aliases unique, sources.
 * @param table borrowed for the call.
 * @param out   caller's array of *count findings; receives at most that many.
 * @param count in: capacity; out: number of findings there are (may exceed the capacity).
 * @return HABITAT_OK, also when there are findings; HABITAT_E_ARG.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_gpu_check(const habitat_gpu_table *table,
                                             habitat_gpu_finding *out, size_t *count);

/* How one kernel is launched. */
typedef struct habitat_launch {
    uint32_t threads_per_block;
    uint32_t registers_per_thread; /* 0 = unknown, taken as not limiting */
    uint32_t shared_memory_bytes;  /* static + dynamic, per block */
} habitat_launch;

/* What keeps more blocks from an SM. */
typedef enum habitat_limiter {
    HABITAT_LIMIT_NONE = 0,
    HABITAT_LIMIT_THREADS,
    HABITAT_LIMIT_BLOCKS,
    HABITAT_LIMIT_REGISTERS,
    HABITAT_LIMIT_SHARED_MEMORY,
} habitat_limiter;

/** Blocks of a kernel resident on one SM at a time (exact, CUDA's rules).
 * @param gpu     GPU, borrowed.
 * @param launch  block size, registers, shared memory.
 * @param out     receives blocks per SM, >= 1; untouched on error.
 * @param limiter receives what limits it (also on NOT_RESIDENT); may be NULL.
 * @return HABITAT_OK; HABITAT_E_NOT_RESIDENT (one block does not fit); HABITAT_E_ARG;
 *         HABITAT_E_NO_SPEC (no limits known for this GPU; always so for AMD, whose compute units
 *         do not follow these rules).
 * @note   On NOT_RESIDENT the limiter is the first of threads, registers, shared memory that a
 *         block exceeds. Pure.
 * @source CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". @tested
 * tests/golden/occupancy.tbl @since 0.1 */
HABITAT_API habitat_status habitat_occupancy_blocks(const habitat_gpu *gpu,
                                                    const habitat_launch *launch, uint32_t *out,
                                                    habitat_limiter *limiter);

#endif /* ---- end of the experimental half ---- */

#ifdef __cplusplus
}
#endif
#endif
