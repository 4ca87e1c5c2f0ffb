/* The device memory of an iteration: what it is made of, its peak at another batch size or in other
 * number formats, and the GPUs that it fits on. docs/memory.md tells how.
 *
 * Half: experimental.
 * Units: bytes, as double; NaN is not known. A GB is 1e9 bytes.
 * Ownership: the caller frees a habitat_memory. It keeps nothing of the trace.
 * Errors: a habitat_status; on failure outputs are untouched, and `err`, which may be NULL, says
 * why. Threads: several threads may read one habitat_memory. */
#ifndef HABITAT_MEMORY_H
#define HABITAT_MEMORY_H

#ifndef HABITAT_EXPERIMENTAL
#error "<habitat/memory.h> is experimental; define HABITAT_EXPERIMENTAL to use it (habitat.h)"
#endif

#include <habitat/status.h>
#include <habitat/gpu.h>
#include <habitat/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The memory of one recorded iteration. */
typedef struct habitat_memory habitat_memory;

/* Number formats that an iteration keeps its tensors in. TF32 is arithmetic, its tensors are fp32;
 * but convolutions work in other algorithms then, which need other workspaces. */
typedef enum habitat_memory_format {
    HABITAT_MEMORY_RECORDED = 0, /* as in the recording */
    HABITAT_MEMORY_SINGLE,       /* strict fp32 */
    HABITAT_MEMORY_AUTOCAST, /* fp32 weights; products in fp16 or bf16, as autocast makes them */
    HABITAT_MEMORY_TF32,     /* fp32, products and convolutions in TF32 */
} habitat_memory_format;

/* Where a peak comes from. */
typedef enum habitat_memory_basis {
    HABITAT_MEMORY_UNKNOWN = 0, /* neither a peak nor shapes were recorded: peak_bytes is NaN */
    HABITAT_MEMORY_MEASURED,    /* the recorded peak itself */
    HABITAT_MEMORY_SCALED,      /* the recorded peak, with the parts that change scaled */
    HABITAT_MEMORY_SHAPES,      /* no peak was recorded: all of it from shapes */
    HABITAT_MEMORY_TENSORS,     /* recorded without a GPU: most that its tensors take at once */
} habitat_memory_basis;

/* Memory that PyTorch's allocator gives out in one iteration. The parts do not add up to the peak:
 * gradients come while activations go. */
typedef struct habitat_memory_parts {
    habitat_memory_basis basis;
    double parameters_bytes; /* weights, with buffers */
    double gradients_bytes;  /* all of them, after the backward pass */
    double
        optimizer_bytes; /* state of optimisers; what a step of theirs needs besides is not in it */
    double activations_bytes; /* most that is kept for the backward pass or passes by, with casts */
    double workspace_bytes;   /* of libraries, and what else does not change with the batch */
    double peak_bytes;
    double largest_bytes;    /* of the largest tensor, which must be found in one piece */
    double algorithms_bytes; /* by so much more the peak is if cuDNN takes other algorithms, or a
                                library's operation has no buffer for pieces of a batch; NaN */
    double twice_bytes; /* of parameters_bytes: tables (embeddings) that a product has a weight as
                           large as, both counted. From shapes of a forward pass alone nothing tells
                           whether they are one; elsewhere 0 */
} habitat_memory_parts;

/* Whether a peak fits on a GPU. */
typedef struct habitat_memory_fit {
    double context_bytes; /* CUDA's own, and code of kernels: outside of the allocator */
    double margin_bytes;  /* kept free: the allocator's gaps, and what the prediction may miss */
    double
        headroom_bytes; /* usable memory less peak, context and margin; below 0: it may not fit */
    int fits;           /* 1 yes; 0 no: not even without the margin; -1 unknown */
} habitat_memory_fit;

/** What a trace says of the memory of its first iteration.
 * @param trace  borrowed for the call.
 * @param origin GPU of the recording, borrowed for the call; NULL: not known.
 * @param out    receives the memory; free with habitat_memory_free().
 * @param err    where and why on failure; may be NULL.
 * @return HABITAT_OK, also where nothing is known; HABITAT_E_ARG; HABITAT_E_MEMORY.
 * @note   Linear in the number of operations. Safe from several threads.
 * @tested tests/unit/test_memory.c, tests/unit/test_memory_recorded.c @since 0.2 */
HABITAT_API habitat_status habitat_memory_create(const habitat_trace *trace,
                                                 const habitat_gpu *origin, habitat_memory **out,
                                                 habitat_error *err);

/** Free a memory.
 * @param memory freed with all that belongs to it; may be NULL.
 * @note   After the last thread has done with it.
 * @since 0.2 */
HABITAT_API void habitat_memory_free(habitat_memory *memory);

/** The iteration's memory at another batch size and in other formats.
 *
 * Activations grow with the batch, and gradients that are rows of a table (sparse ones); weights,
 * other gradients, optimiser state, half-precision copies of weights and workspace stay. An
 * iteration whose peak is the optimiser's step stays as it is, but for such rows, until its
 * activations are larger.
 * @param memory       borrowed for the call.
 * @param batch_factor batch size over the recorded one; finite, > 0.
 * @param format       what the iteration keeps its tensors in.
 * @param out          receives the parts; what is not known is NaN. Untouched on error.
 * @return HABITAT_OK; HABITAT_E_ARG; HABITAT_E_UNSUPPORTED (batch or format differ from the
 *         recorded and no shapes were recorded).
 * @note   Safe from several threads.
 * @source docs/memory.md @tested tests/unit/test_memory.c @since 0.2 */
HABITAT_API habitat_status habitat_memory_predict(const habitat_memory *memory, double batch_factor,
                                                  habitat_memory_format format,
                                                  habitat_memory_parts *out);

/** Whether an iteration fits on a GPU.
 * @param parts from habitat_memory_predict().
 * @param gpu   borrowed.
 * @return headroom NaN and fits -1 where the peak or the GPU's memory is not known.
 * @note   Safe from several threads.
 * @since 0.2 */
HABITAT_API habitat_memory_fit habitat_memory_fit_on(const habitat_memory_parts *parts,
                                                     const habitat_gpu *gpu);

/** The largest batch that fits on a GPU.
 * @param memory       borrowed for the call.
 * @param format       what the iteration keeps its tensors in.
 * @param gpu          borrowed for the call.
 * @param recorded_batch samples of the recording.
 * @return whole samples; 0 where not even one fits; NaN where that cannot be told.
 * @note   Safe from several threads.
 * @since 0.2 */
HABITAT_API double habitat_memory_largest_batch(const habitat_memory *memory,
                                                habitat_memory_format format,
                                                const habitat_gpu *gpu, uint64_t recorded_batch);

#ifdef __cplusplus
}
#endif
#endif
