/* A recorded iteration: operations, calls into the runtime, kernels and the GPU they ran on.
 *
 * The reader takes the Chrome-trace JSON of PyTorch's profiler (plain or gzip), the same schema
 * from our CUDA recorder, and Nsight Systems' SQLite export.
 *
 * Half: stable, but for single operations, kernels and calls, which are marked as experimental.
 * Units: recorded times are whole nanoseconds since the first event (operation, call or kernel) of
 * the trace; sums and medians are ms. A number that was not recorded is NaN or, where it is a whole
 * number that cannot be 0, 0; a text is NULL; an index is HABITAT_NONE.
 * Ownership: the caller frees a trace. Arrays and texts belong to it and live as long as it does.
 * Errors: a habitat_status; on failure outputs are untouched, and `err`, which may be NULL, says in
 * which file, at which byte and line, and why.
 * Threads: several threads may read files at once, and read one trace. */
#ifndef HABITAT_TRACE_H
#define HABITAT_TRACE_H

#include <stdbool.h>

#include <habitat/status.h>
#include <habitat/units.h>
#include <habitat/gpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A trace as it was read. */
typedef struct habitat_trace habitat_trace;

#ifdef HABITAT_EXPERIMENTAL /* ---- experimental half ---- */

/* One input of an operation. A tensor has dims; a scalar or list has none and its text in `value`.
 */
typedef struct habitat_input {
    habitat_dtype dtype; /* of a tensor; UNKNOWN else */
    uint8_t rank;        /* number of dims; 0 for scalars, lists and absent inputs */
    bool is_tensor;      /* a tensor (rank 0 tensors too) */
    bool is_list;        /* TensorList: dims are those of the list, flattened, see list_count */
    uint32_t list_count; /* TensorList: number of tensors whose dims are known; else 0 */
    const int64_t *dims; /* shape (rank); for a TensorList: list_count groups of [rank, dims...] */
    const int64_t *strides; /* shape (rank), elements; NULL if not recorded */
    const char *value;      /* concrete value as recorded ("[1, 1]", "True", "1"), or NULL */
    const char *type;       /* as recorded: "float", "TensorList", "ScalarList", "" */
} habitat_input;

/* What an operation is. */
typedef enum habitat_operation_kind {
    HABITAT_OPERATION_FRAMEWORK = 0, /* aten::mm, autograd nodes, torch.compile regions */
    HABITAT_OPERATION_RANGE,         /* user annotation, optimiser range, NVTX range */
    HABITAT_OPERATION_MODULE,        /* nn.Module call */
} habitat_operation_kind;

/* Memory of the host that an operation copies from, or to. Recordings without a GPU say it; on a
 * GPU the copy is an activity of its own. */
typedef enum habitat_host_memory {
    HABITAT_HOST_MEMORY_NONE = 0, /* no such copy, or not said */
    HABITAT_HOST_MEMORY_PINNED,   /* the GPU reads and writes it by itself */
    HABITAT_HOST_MEMORY_PAGEABLE, /* the driver copies it to a place of its own on the way */
} habitat_host_memory;

/* What a training step repeats of an operation: what it is. Stored once for all that are alike. */
typedef struct habitat_op_form {
    const char *name;            /* as recorded: "aten::mm" */
    const habitat_input *inputs; /* shape (input_count); NULL with 0 */
    uint32_t input_count;        /* 0 where shapes were not recorded, too */
    habitat_operation_kind kind;
    habitat_host_memory host_memory; /* of a copy between host and GPU */
    uint32_t thread;                 /* index from 0, not the system's number */
} habitat_op_form;

/* A framework call or range on a CPU thread. Operations are sorted by (thread, start). Ranges are
 * drawn by the user: they come between no call and the calls inside it. */
typedef struct habitat_operation {
    const habitat_op_form *form;
    uint64_t start_ns; /* on the CPU, since the first event of the trace */
    uint64_t duration_ns;
    uint32_t parent;       /* innermost operation around it on its thread, else range (of a range:
                              the innermost of either), or HABITAT_NONE */
    uint32_t forward;      /* backward operation: the forward operation it belongs to, or NONE */
    uint32_t iteration;    /* 0-based, or HABITAT_NONE outside every iteration */
    uint32_t kernel_count; /* launched by it and by whatever has it as a parent, and so on */
} habitat_operation;

/* What an activity on the GPU is. */
typedef enum habitat_kernel_kind {
    HABITAT_KERNEL_COMPUTE = 0,
    HABITAT_KERNEL_MEMCPY,
    HABITAT_KERNEL_MEMSET,
    HABITAT_KERNEL_COLLECTIVE, /* NCCL */
} habitat_kernel_kind;

/* What a collective does with its message. */
typedef enum habitat_collective {
    HABITAT_COLLECTIVE_UNKNOWN = 0, /* not recorded, or no collective */
    HABITAT_COLLECTIVE_ALL_REDUCE,
    HABITAT_COLLECTIVE_ALL_GATHER,
    HABITAT_COLLECTIVE_REDUCE_SCATTER,
    HABITAT_COLLECTIVE_ALL_TO_ALL,
    HABITAT_COLLECTIVE_ONE_WAY, /* broadcast, reduce, gather, scatter, send, receive */
} habitat_collective;

/* What keeps more blocks from an SM, in CUDA's own numbers (cuda_occupancy.h). */
typedef enum habitat_limited {
    HABITAT_LIMITED_BY_THREADS = 1,
    HABITAT_LIMITED_BY_REGISTERS = 2,
    HABITAT_LIMITED_BY_SHARED_MEMORY = 4,
    HABITAT_LIMITED_BY_BLOCKS = 8,
    HABITAT_LIMITED_BY_BARRIERS = 16,
} habitat_limited;

/* What a training step repeats of a kernel, copy, set or collective: what it is. Stored once for
 * all that are alike. What was not recorded is 0, NaN or NULL, as each line says. */
typedef struct habitat_kernel_form {
    const char *name;      /* as recorded, mangled or not; "" without one */
    const char *copy_kind; /* "HtoD", "DtoD", ... or NULL */
    uint64_t bytes;        /* memcpy, memset: bytes moved; collective: its message, the
                              larger of what goes in and comes out; 0 unknown */
    double dram_bytes;     /* hardware counter, read + written; NaN if not recorded */
    double flop;           /* hardware counter, all formats; NaN if not recorded */
    habitat_kernel_kind kind;
    uint32_t device;               /* as recorded (CUDA ordinal) */
    uint32_t stream;               /* as recorded */
    uint32_t grid[3];              /* blocks along x, y, z; 0 if unknown (memcpy, memset) */
    uint32_t block[3];             /* threads of a block along x, y, z; 0 if unknown */
    uint32_t registers_per_thread; /* 0 if unknown */
    uint32_t shared_memory_bytes;  /* of a block, static + dynamic; 0: none, or unknown */
    habitat_collective collective; /* kind COLLECTIVE: which; else UNKNOWN */
    uint32_t group_size;           /* collective: GPUs that take part; 0 unknown */
    uint32_t resident_blocks;      /* per SM, as the profiler works it out; 0 not recorded */
    uint32_t occupancy_percent;    /* threads on an SM / most that it takes, as the profiler
                                      estimates it for this grid; 0 not recorded, or none */
    uint32_t limited_by;           /* habitat_limited bits, as the profiler says; 0 not recorded */
} habitat_kernel_form;

/* One activity on the GPU: a kernel, copy, set or collective. Kernels are sorted by (device, start,
 * stream). What was not recorded is 0 or HABITAT_NONE, as each line says. */
typedef struct habitat_kernel {
    const habitat_kernel_form *form;
    uint64_t start_ns; /* on the GPU, since the first event of the trace */
    uint64_t duration_ns;
    uint32_t operation; /* innermost operation that launched it, else range, or HABITAT_NONE */
    uint32_t iteration; /* 0-based, or HABITAT_NONE */
    uint32_t call;      /* index of the call that launched it, or HABITAT_NONE */
    bool in_graph;      /* launched by a CUDA graph */
    bool earlier;       /* launched before the recording began: of no iteration */
} habitat_kernel;

/* What a call asks the CUDA or HIP runtime or driver for. Told by its name alone. */
typedef enum habitat_call_kind {
    HABITAT_CALL_OTHER = 0,          /* questions, settings, and names that are not known */
    HABITAT_CALL_LAUNCH,             /* of one kernel: cudaLaunchKernel */
    HABITAT_CALL_LAUNCH_GRAPH,       /* of all that a CUDA graph holds: cudaGraphLaunch */
    HABITAT_CALL_COPY,               /* cudaMemcpyAsync */
    HABITAT_CALL_SET,                /* cudaMemsetAsync */
    HABITAT_CALL_SYNCHRONISE_DEVICE, /* the CPU waits for all of a GPU: cudaDeviceSynchronize */
    HABITAT_CALL_SYNCHRONISE_STREAM, /* the CPU waits for a stream: cudaStreamSynchronize */
    HABITAT_CALL_SYNCHRONISE_EVENT,  /* the CPU waits for an event: cudaEventSynchronize */
    HABITAT_CALL_RECORD_EVENT,       /* an event is put into a stream: cudaEventRecord */
    HABITAT_CALL_WAIT_EVENT,         /* a stream waits for an event: cudaStreamWaitEvent */
    HABITAT_CALL_ALLOCATE,           /* of memory, the GPU's or the CPU's: cudaMalloc */
    HABITAT_CALL_FREE,               /* cudaFree */
} habitat_call_kind;

enum { HABITAT_CALL_KINDS = HABITAT_CALL_FREE + 1 };

/* What a training step repeats of a call: what it is. Stored once for all that are alike. */
typedef struct habitat_call_form {
    const char *name; /* as recorded ("cudaLaunchKernel"), or "" */
    habitat_call_kind kind;
    uint32_t thread; /* index, not the system's number; the same as of operations */
    uint32_t device; /* as recorded (CUDA ordinal), or HABITAT_NONE */
    uint32_t stream; /* launch, copy, set: the one that all its kernels run on. Synchronise stream:
                        the one waited for. Record event: the one it is put into. Wait event: the
                        one that waits. Or HABITAT_NONE */
    bool driver;     /* a call into the driver's interface (cuLaunchKernel) */
} habitat_call_form;

/* One call of a CPU thread into the CUDA or HIP runtime or driver. Calls are sorted by (thread,
 * start). A call of the runtime's may have calls of the driver's inside it. */
typedef struct habitat_call {
    const habitat_call_form *form;
    uint64_t start_ns;
    uint64_t duration_ns;
    uint64_t correlation;  /* as recorded; 0 none */
    uint32_t operation;    /* innermost operation it begins in, else range, or HABITAT_NONE */
    uint32_t iteration;    /* 0-based, or HABITAT_NONE */
    uint32_t kernel_count; /* kernels, copies and sets that it launched */
    uint32_t first_kernel; /* where habitat_trace_call_kernels() finds them */
} habitat_call;

/* What a call waits for, or puts an event for. Known only where the profiler was asked for it
 * (Kineto: its synchronisation events; Nsight Systems: its tables of synchronisations and CUDA
 * events). It is never worked out from the order of calls. */
typedef struct habitat_call_wait {
    uint32_t call;         /* its index; HABITAT_NONE: nothing was noted, as of most calls */
    uint32_t event;        /* number of the CUDA event, or HABITAT_NONE */
    uint32_t waits_stream; /* wait event, synchronise event: the stream that the event was put
                              into, or HABITAT_NONE */
    uint32_t waits_call;   /* wait event, synchronise event: index of the call that put the event
                              there, or HABITAT_NONE */
} habitat_call_wait;

#endif /* ---- end of the experimental half ---- */

/* What says where an iteration begins. */
typedef enum habitat_iterations_by {
    HABITAT_ITERATIONS_WHOLE = 0, /* nothing: the whole trace is one */
    HABITAT_ITERATIONS_MARKED,    /* ranges habitat_iteration or ProfilerStep#n */
    HABITAT_ITERATIONS_RANGE,     /* ranges of the name asked for */
    HABITAT_ITERATIONS_COUNTED,   /* the number asked for: the trace is cut into equal parts */
} habitat_iterations_by;

/* Elements of one trained parameter. */
typedef struct habitat_parameter {
    habitat_dtype dtype; /* of its elements */
    uint64_t elements;   /* >= 1 */
} habitat_parameter;

/* A moment at which memory may be at its most [byte]. */
typedef struct habitat_memory_moment {
    double kept_bytes;  /* weights, states, gradients of parameters: as large with any batch */
    double grown_bytes; /* what grows with it */
} habitat_memory_moment;

enum { HABITAT_MOMENTS_MAX = 16 };

/* Those of which one is the most, whatever the batch. */
typedef struct habitat_memory_moments {
    size_t count; /* 0: not noted */
    habitat_memory_moment all[HABITAT_MOMENTS_MAX];
} habitat_memory_moments;

/* What the recording says of device memory, beside its peak [byte]; NaN where it does not. The
 * first five are of the moment between two iterations. */
typedef struct habitat_trace_memory {
    double parameters_bytes, buffers_bytes, gradients_bytes;
    double optimizer_bytes;              /* state of optimisers: momenta and the like */
    double between_bytes;                /* all that the allocator has given out then */
    double reserved_bytes;               /* most that the allocator held, given out or not */
    habitat_memory_moments passes;       /* without a GPU: outside of the steps of an optimiser, */
    habitat_memory_moments steps;        /* and inside */
    bool weights_in_parts;               /* the script keeps them so: copies of them in 16 bit, made
                                            while a part runs, are in no moment and no peak */
    bool peak_from_events;               /* the peak was seen in the profile (`[memory]` events) */
    size_t parameter_count;              /* 0 where sizes were not recorded */
    const habitat_parameter *parameters; /* shape (parameter_count), in the order in which the model
                                            registered them */
} habitat_trace_memory;

/* The trace as a whole. A field whose name begins with trace_ counts over all its iterations; a
 * time or a size of memory is of one. NaN / 0 / NULL where not recorded. */
typedef struct habitat_trace_info {
    const char *file;                  /* as it was named to the reader */
    const char *format;                /* "kineto", "cupti", "nsys-sqlite" */
    uint64_t file_bytes;               /* as stored */
    uint64_t json_bytes;               /* uncompressed; 0 for SQLite */
    size_t device_count;               /* with kernels on them; 0: nothing ran on a GPU */
    uint32_t device;                   /* the device that most kernel time is on (CUDA ordinal) */
    habitat_device_facts device_facts; /* of that device; name NULL if not recorded */
    size_t iteration_count;            /* >= 1 */
    habitat_iterations_by iterations_by;
    bool iterations_differ;         /* COUNTED: the parts do not launch the same kernels */
    double iteration_ms;            /* recorded, median before the profiler; NaN if absent */
    size_t iteration_ms_count;      /* unprofiled times */
    const double *iteration_ms_all; /* shape (iteration_ms_count) [ms], in the order measured */
    double iteration_spread; /* between later groups, as a share of iteration_ms; NaN unknown */
    uint32_t cpu_parts; /* that cpu_ms is the sum of, each begun on an idle GPU: parted where the
                           first backward pass and the first optimiser step begin; 0 unknown */
    uint32_t cpu_gradients; /* parted after so many gradients of parameters, too; 0: not */
    double cpu_ms; /* of the host's clock: iterations that began on an idle GPU, until the CPU was
                      at their end, without the profiler; NaN unknown */
    double cpu_data_ms; /* without a GPU: what an iteration's random numbers that the CPU draws take
                           it, by rule; NaN none, or not noted */
    uint64_t batch_size;   /* samples of one iteration; 0 = unknown */
    bool batch_size_said;  /* by the read options, not by the recording */
    const char *model;     /* its class: "ResNet"; NULL unknown */
    const char *framework; /* "torch 2.11.0+cu130"; NULL unknown, as are the versions below */
    const char *cuda_version, *hip_version, *driver_version; /* "13.0", NULL, "580.159.04" */
    uint64_t cudnn_version;                                  /* as it counts: 91900; 0 = unknown */
    const char *command;             /* that was recorded, without secrets; NULL unknown */
    double peak_memory_bytes;        /* most that PyTorch's allocator gave out; NaN unknown */
    uint64_t trace_dropped_records;  /* lost by the recorder */
    uint64_t trace_skipped_events;   /* event types nobody needs */
    uint64_t trace_unlinked_kernels; /* kernels without a launch record, but for earlier ones */
    bool has_shapes;                 /* any operation has input shapes */
    bool has_operations;             /* framework calls: ranges are none */
    bool has_counters;               /* any kernel has hardware counters */
    bool without_gpu;      /* recorded without a GPU on purpose: operations with shapes, no time */
    bool matmul_tf32;      /* without_gpu: the script lets matrix products of fp32 round to TF32 */
    bool convolution_tf32; /* the same of convolutions and recurrent layers */
    bool cudnn_benchmark;  /* cuDNN tried its algorithms and took the fastest */
    bool predicted;        /* a prediction that habitat wrote as a timeline, not a recording */
    habitat_trace_memory memory;
    uint32_t rank;       /* of the process, among world_size; HABITAT_NONE not recorded */
    uint32_t world_size; /* processes that trained together; 0 not recorded */
    bool devices_differ; /* some kernels ran on another kind of GPU than device_facts */
    uint64_t clock_ns;   /* when the first event was, by the clock of its host: since 1970 [ns];
                            0 not recorded */
    /* What is noted of the step and not believed, or not of these iterations. The facts above are
     * without it. */
    bool other_steps;            /* RANGE: other iterations than the trace marks itself; what is
                                    noted is of those */
    bool notes_left;             /* because of that, something noted was left aside */
    double several_share;        /* WHOLE: its length over the noted iteration, where that is so
                                    long that it may be several; NaN */
    double doubted_iteration_ms; /* noted; the events contradict it. NaN: none */
    double doubted_shown_ms;     /* what they show: more, of kernels alone; less, of an iteration */
    double doubted_cpu_ms;       /* noted; iteration_ms contradicts it. NaN: none */
    double doubted_peak_bytes;   /* noted; NaN: none. One of the next three contradicts it: */
    double doubted_kept_bytes;   /* weights and state alone, which are more; NaN */
    double doubted_gpu_bytes;    /* the GPU's memory, which is less; NaN */
    double doubted_reserved_bytes; /* noted: what the allocator held at most, which is less; NaN */
    const char *noted_gpu;         /* noted, where device_facts.name is another one; else NULL */
    size_t trace_overlap_count;    /* kernels that begin before one of the same stream ends: inside
                                      iterations, without collectives */
    double trace_overlap_ms;       /* for so long */
    double ungraphed_peak_bytes;   /* noted, of a step with CUDA graphs, whose memory it leaves out:
                                      peak_memory_bytes is what the allocator had reserved, NaN if
                                      that is not noted. NaN: of no such step */
} habitat_trace_info;

/** Read a trace file; the format is told from its first bytes.
 * @param path file; plain or gzip JSON, or SQLite. "-" is not special.
 * @param out  receives the trace; free with habitat_trace_free(). Untouched on error.
 * @param err  file, byte and line where reading stopped, and why; may be NULL.
 * @return HABITAT_OK; HABITAT_E_IO; HABITAT_E_PARSE (truncated, not JSON, bad gzip);
 *         HABITAT_E_FORMAT (JSON, but no trace; wrong types); HABITAT_E_RANGE (negative or absurd
 *         numbers, 2 GiB strings); HABITAT_E_NO_GPU (CPU-only trace: says how to record the GPU);
 *         HABITAT_E_VERSION; HABITAT_E_UNSUPPORTED (SQLite, in a build without); HABITAT_E_MEMORY.
 * @note   Pure; safe from several threads. The formats are in docs/trace-format.md.
 * @tested tests/unit/test_trace*.c, fuzz/fuzz_trace.c @since 0.1 */
HABITAT_API habitat_status habitat_trace_read(const char *path, habitat_trace **out,
                                              habitat_error *err);

/* How to read a trace. All zero: as the trace itself says. */
typedef struct habitat_read_options {
    const char
        *range; /* iterations are the user's ranges (annotations, NVTX) of this name, or where
                   there is none, of this name and a number: "step", "step 3", "step#3" */
    size_t iterations;   /* the trace holds so many alike, where nothing marks them; 0 = one */
    bool without_gpu;    /* a trace without GPU activity is no error */
    uint64_t batch_size; /* samples of one iteration, where nothing notes them; 0 = as noted */
} habitat_read_options;

/** Read a trace file as habitat_trace_read() does, with options.
 * @param path    file.
 * @param options NULL: none. Both `range` and `iterations` cannot be asked for.
 * @param out     with without_gpu, possibly a trace without kernels: iteration_count 1 or more, no
 *                device.
 * @param err     where and why on failure; may be NULL.
 * @return as habitat_trace_read(); HABITAT_E_ARG where the options do not fit the trace: no range
 *         of that name (err names those that there are), none with a launch in it, a number of
 *         iterations other than the trace marks itself, or more than launches, a batch size other
 *         than it notes, or above 2^40.
 * @note   Safe from several threads.
 * @tested tests/unit/test_trace_options.c, tests/unit/test_trace_nsys.c @since 0.1 */
HABITAT_API habitat_status habitat_trace_read_with(const char *path,
                                                   const habitat_read_options *options,
                                                   habitat_trace **out, habitat_error *err);

/** Read a Chrome-trace JSON (plain or gzip) from memory.
 * @param data       borrowed for the call.
 * @param size_bytes its length.
 * @param name       used in errors and info.file.
 * @param out        receives the trace; free with habitat_trace_free(). Untouched on error.
 * @param err        where and why on failure; may be NULL.
 * @return as habitat_trace_read().
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_trace_read_memory(const void *data, size_t size_bytes,
                                                     const char *name, habitat_trace **out,
                                                     habitat_error *err);

/** Read a Chrome-trace JSON (plain or gzip) from an open file or pipe, from where it stands to its
 * end.
 * @param descriptor stays the caller's.
 * @param name       used in errors and info.file.
 * @param options    as for habitat_trace_read_with(); NULL: none.
 * @param out        receives the trace; free with habitat_trace_free(). Untouched on error.
 * @param err        where and why on failure; may be NULL.
 * @return as habitat_trace_read_with(); HABITAT_E_FORMAT for an SQLite export, which is read by its
 *         file's name only.
 * @note   Safe from several threads.
 * @tested tests/cli/cases/predict_stdin.sh @since 0.1 */
HABITAT_API habitat_status habitat_trace_read_descriptor(int descriptor, const char *name,
                                                         const habitat_read_options *options,
                                                         habitat_trace **out, habitat_error *err);

/** Free a trace.
 * @param trace freed with all that belongs to it; may be NULL.
 * @note   After the last thread has done with it.
 * @since 0.1 */
HABITAT_API void habitat_trace_free(habitat_trace *trace);

/** Facts of the whole trace.
 * @param trace borrowed for the call.
 * @return borrowed, lives as long as the trace.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const habitat_trace_info *habitat_trace_get_info(const habitat_trace *trace);

/** SHA-256 of the file as stored. Computed by reading the file again, when asked for; of a pipe or
 * descriptor while it was read.
 * @param trace borrowed for the call.
 * @param out   receives 64 hexadecimal digits and a NUL; untouched on error.
 * @param err   where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_IO (the file is gone or has changed since it was read);
 *         HABITAT_E_UNSUPPORTED (read from memory).
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_trace_sha256(const habitat_trace *trace, char out[65],
                                                habitat_error *err);

#ifdef HABITAT_EXPERIMENTAL /* ---- experimental half ---- */

/** All operations.
 * @param trace borrowed for the call.
 * @param count receives the number.
 * @return borrowed, shape (count), lives as long as the trace.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const habitat_operation *habitat_trace_operations(const habitat_trace *trace,
                                                              size_t *count);

/** The module that an operation belongs to.
 * @param trace     borrowed, not NULL.
 * @param operation index of an operation.
 * @return index of the innermost HABITAT_OPERATION_MODULE around it, or around the forward
 *         operation that it belongs to; HABITAT_NONE without one.
 * @note   Pure; safe from several threads.
 * @tested tests/unit/test_trace.c, fuzz/fuzz_trace.c @since 0.2 */
HABITAT_API uint32_t habitat_trace_module(const habitat_trace *trace, uint32_t operation);

/** Whether an operation has the autograd sequence number of its parent: it is a step of the same
 * call then, of which PyTorch makes one node.
 * @param trace     borrowed, not NULL.
 * @param operation index of an operation.
 * @return true too where neither has a number; false without a parent.
 * @note   Pure; safe from several threads.
 * @tested tests/unit/test_trace.c, fuzz/fuzz_trace.c @since 0.2 */
HABITAT_API bool habitat_trace_numbered_as_parent(const habitat_trace *trace, uint32_t operation);

/** All kernels, copies and sets of all devices.
 * @param trace borrowed for the call.
 * @param count receives the number.
 * @return borrowed, shape (count), lives as long as the trace.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const habitat_kernel *habitat_trace_kernels(const habitat_trace *trace, size_t *count);

/** All calls into the CUDA or HIP runtime and driver, of all threads, sorted by (thread, start).
 * @param trace borrowed, not NULL.
 * @param count receives the number of calls; 0 where the profiler noted none.
 * @return borrowed, shape (count); lives as long as the trace. Times [ns] as of operations. NULL is
 *         possible with count 0.
 * @note   Pure; safe from several threads.
 * @tested tests/unit/test_trace_calls.c, tests/unit/test_trace_nsys.c, fuzz/fuzz_trace.c @since 0.1
 */
HABITAT_API const habitat_call *habitat_trace_calls(const habitat_trace *trace, size_t *count);

/** The call that launched a kernel.
 * @param trace  borrowed, not NULL.
 * @param kernel of this trace, or a copy of one.
 * @return borrowed, lives as long as the trace; NULL where no call was recorded for it.
 * @note   Pure; safe from several threads.
 * @tested tests/unit/test_trace_calls.c @since 0.2 */
HABITAT_API const habitat_call *habitat_trace_launch(const habitat_trace *trace,
                                                     const habitat_kernel *kernel);

/** The correlation of a kernel: the number that its call has, too.
 * @param trace  borrowed, not NULL.
 * @param kernel of this trace.
 * @return as recorded; 0 none.
 * @note   Pure; safe from several threads.
 * @tested tests/unit/test_trace.c, tests/unit/test_trace_nsys.c @since 0.2 */
HABITAT_API uint64_t habitat_trace_correlation(const habitat_trace *trace,
                                               const habitat_kernel *kernel);

/** Kernels, copies and sets that a call launched.
 * @param trace borrowed, not NULL.
 * @param call  of this trace.
 * @return borrowed, shape (call->kernel_count): indices of kernels, ascending; lives as long as the
 *         trace.
 * @note   Pure; safe from several threads.
 * @tested tests/unit/test_trace_calls.c, fuzz/fuzz_trace.c @since 0.2 */
HABITAT_API const uint32_t *habitat_trace_call_kernels(const habitat_trace *trace,
                                                       const habitat_call *call);

/** What was noted of a call's waiting.
 * @param trace borrowed, not NULL.
 * @param call  index of any call.
 * @return borrowed, never NULL, lives as long as the trace; all fields are HABITAT_NONE where
 *         nothing was noted.
 * @note   Pure; safe from several threads.
 * @tested tests/unit/test_trace_calls.c, tests/unit/test_trace_nsys.c, fuzz/fuzz_trace.c @since 0.2
 */
HABITAT_API const habitat_call_wait *habitat_trace_call_wait(const habitat_trace *trace,
                                                             uint32_t call);

/** Word for a kind of call: "launch", "synchronise stream".
 * @param kind any number.
 * @return static text; "other" for what is no kind.
 * @note   Pure; safe from several threads.
 * @tested tests/unit/test_trace_calls.c @since 0.1 */
HABITAT_API const char *habitat_call_kind_name(habitat_call_kind kind);

#endif /* ---- end of the experimental half ---- */

/* One repetition of the training step inside the trace. */
typedef struct habitat_iteration {
    uint64_t start_ns; /* of its range on the CPU; the first event where there are no ranges */
    uint64_t duration_ns;
    /* On the main device. Kernels are compute and collective kernels, as the profiler counts them;
     * copies are memcpy and memset. */
    size_t kernel_count;
    size_t copy_count;
    double kernel_ms; /* sum of kernel times */
    double copy_ms;   /* sum of copy times */
    double busy_ms;   /* kernels and copies, overlapping ones counted once */
    double span_ms;   /* first start to last end of them */
} habitat_iteration;

/** Iterations of the trace.
 * @param trace borrowed for the call.
 * @param count receives the number.
 * @return borrowed, shape (count), lives as long as the trace, count >= 1.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const habitat_iteration *habitat_trace_iterations(const habitat_trace *trace,
                                                              size_t *count);

#ifdef __cplusplus
}
#endif
#endif
