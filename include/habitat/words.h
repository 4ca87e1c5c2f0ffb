/* The words in which an operation is asked for and a measurement is described: its pass, how its
 * time was taken, and whose kernel did it. Number formats are in units.h, classes of operations in
 * work.h. Each list of names stands once in the library (src/base/vocabulary.c): what reads a word
 * and what prints it use the same table, and an unknown word is refused.
 *
 * Half: stable.
 * Units: none.
 * Ownership: names are static texts; words are borrowed for the call.
 * Errors: a habitat_status; on failure the output is untouched.
 * Threads: pure functions; safe from several threads. */
#ifndef HABITAT_WORDS_H
#define HABITAT_WORDS_H

#include <habitat/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which part of a training step an operation belongs to. */
typedef enum habitat_pass {
    HABITAT_PASS_FORWARD = 0,
    HABITAT_PASS_BACKWARD,       /* all gradients the operation computes */
    HABITAT_PASS_BACKWARD_INPUT, /* one of them, where they can be told apart */
    HABITAT_PASS_BACKWARD_WEIGHT,
    HABITAT_PASS_OPTIMIZER,
} habitat_pass;

/** Name of a pass: "forward", "backward", "backward-input", "backward-weight", "optimizer".
 * @param pass any value.
 * @return static string; "unknown" for what is no pass.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const char *habitat_pass_name(habitat_pass pass);

/** A pass by its name: forward, backward, backward-input, backward-weight (hyphens or underscores).
 * @param name NUL-terminated, borrowed for the call.
 * @param out  receives the result; untouched on failure.
 * @param err  where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG for any other word.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_pass_from_name(const char *name, habitat_pass *out,
                                                  habitat_error *err);

/* Where a measurement comes from decides what it contains besides the kernels. */
typedef enum habitat_timing {
    HABITAT_TIMING_KERNEL = 0, /* kernels alone, as in a trace */
    HABITAT_TIMING_EAGER,      /* one eager call between two events: launch gaps inside */
    HABITAT_TIMING_GRAPH,      /* CUDA-graph replay, tensors reused: small ones are warm */
    HABITAT_TIMING_SERVING,    /* CUDA-graph replay in a serving framework: six copies of weights in
                                  turn, causal attention appends to a cache */
    HABITAT_TIMING_SESSION,    /* wall clock of a framework's session call: its overhead inside */
} habitat_timing;

/* Which library's kernel does an attention, matrix product or convolution; 0 = the usual one. */
typedef enum habitat_variant {
    HABITAT_VARIANT_DEFAULT = 0,
    HABITAT_VARIANT_SGLANG,
    HABITAT_VARIANT_TRTLLM,
    HABITAT_VARIANT_TRITON,
    HABITAT_VARIANT_BLOCK_SCALED, /* fp8 with 128 x 128 block scales */
    HABITAT_VARIANT_FASTEST,      /* convolutions: the quickest of all algorithms, as tried */
} habitat_variant;

/* In which number formats an iteration runs. */
typedef enum habitat_precision {
    HABITAT_PRECISION_RECORDED = 0, /* in those of its operations */
    HABITAT_PRECISION_FP32,         /* fp32, on plain units */
    HABITAT_PRECISION_TF32,         /* fp32 tensors, products on matrix units in TF32 */
    HABITAT_PRECISION_AMP_FP16,     /* PyTorch's autocast: products in fp16, a scaled loss */
    HABITAT_PRECISION_AMP_BF16,     /* PyTorch's autocast: products in bf16 */
} habitat_precision;

/** Name of a precision: "recorded", "fp32", "tf32", "amp-fp16", "amp-bf16".
 * @param precision any value.
 * @return static string; "unknown" for what is none.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const char *habitat_precision_name(habitat_precision precision);

/** A precision by its name (hyphens or underscores).
 * @param name NUL-terminated, borrowed for the call.
 * @param out  receives the result; untouched on failure.
 * @param err  where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG for any other word; err names the words.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_precision_from_name(const char *name, habitat_precision *out,
                                                       habitat_error *err);

#ifdef __cplusplus
}
#endif
#endif
