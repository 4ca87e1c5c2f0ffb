/* Names of passes, of ways to take a time, of libraries' variants and of number formats. The first
 * word of a value is the one that is printed; docs/dataset.md lists them. */
#include "base/vocabulary.h"

#include <habitat/units.h>
#include <habitat/words.h>

static const word passes[] = {
    {"forward", HABITAT_PASS_FORWARD, NULL},
    {"backward", HABITAT_PASS_BACKWARD, NULL},
    {"backward-input", HABITAT_PASS_BACKWARD_INPUT, NULL},
    {"backward-weight", HABITAT_PASS_BACKWARD_WEIGHT, NULL},
    {"fwd", HABITAT_PASS_FORWARD, NULL},
    {"fwd+bwd+update", HABITAT_PASS_FORWARD,
     "a whole training step of a layer in one time cannot be taken apart"},
    {"optimizer", HABITAT_PASS_OPTIMIZER, "steps of an optimiser are counted in traces alone"},
};
const vocabulary habitat_passes = VOCABULARY("pass", passes);

const char *habitat_pass_name(habitat_pass pass) {
    const char *name = word_name(&habitat_passes, (int)pass);
    return name ? name : "unknown";
}

habitat_status habitat_pass_from_name(const char *name, habitat_pass *out, habitat_error *err) {
    int value = 0;
    habitat_status status = word_value(&habitat_passes, out ? name : NULL, &value, err);
    if (status == HABITAT_OK && out)
        *out = (habitat_pass)value;
    return status;
}

static const word precisions[] = {
    {"recorded", HABITAT_PRECISION_RECORDED, NULL}, {"fp32", HABITAT_PRECISION_FP32, NULL},
    {"tf32", HABITAT_PRECISION_TF32, NULL},         {"amp-fp16", HABITAT_PRECISION_AMP_FP16, NULL},
    {"amp-bf16", HABITAT_PRECISION_AMP_BF16, NULL},
};
const vocabulary habitat_precisions = VOCABULARY("precision", precisions);

const char *habitat_precision_name(habitat_precision precision) {
    const char *name = word_name(&habitat_precisions, (int)precision);
    return name ? name : "unknown";
}

habitat_status habitat_precision_from_name(const char *name, habitat_precision *out,
                                           habitat_error *err) {
    int value = 0;
    habitat_status status = word_value(&habitat_precisions, out ? name : NULL, &value, err);
    if (status == HABITAT_OK && out)
        *out = (habitat_precision)value;
    return status;
}

static const word timings[] = {
    {"kernel", HABITAT_TIMING_KERNEL, NULL},
    {"event", HABITAT_TIMING_KERNEL, NULL}, /* calls in a row between two events, long ones */
    {"eager", HABITAT_TIMING_EAGER, NULL},
    {"graph", HABITAT_TIMING_GRAPH, NULL},
    {"serving", HABITAT_TIMING_SERVING, NULL},
    {"session", HABITAT_TIMING_SESSION, NULL},
    {"wall", HABITAT_TIMING_KERNEL, "wall-clock times of a CPU are of no GPU"},
};
const vocabulary habitat_timings = VOCABULARY("timing", timings);

static const word variants[] = {
    {"default", HABITAT_VARIANT_DEFAULT, NULL}, {"vllm", HABITAT_VARIANT_DEFAULT, NULL},
    {"sglang", HABITAT_VARIANT_SGLANG, NULL},   {"trtllm", HABITAT_VARIANT_TRTLLM, NULL},
    {"triton", HABITAT_VARIANT_TRITON, NULL},   {"block", HABITAT_VARIANT_BLOCK_SCALED, NULL},
    {"fastest", HABITAT_VARIANT_FASTEST, NULL},
};
const vocabulary habitat_variants = VOCABULARY("library", variants);

static const char four_bits[] = "no model knows 4-bit formats";
/* One word for each format, in the order of habitat_dtype; then words that only tables have. */
static const word dtypes[] = {
    {"fp64", HABITAT_DTYPE_FP64, NULL},
    {"fp32", HABITAT_DTYPE_FP32, NULL},
    {"tf32", HABITAT_DTYPE_TF32, NULL},
    {"fp16", HABITAT_DTYPE_FP16, NULL},
    {"bf16", HABITAT_DTYPE_BF16, NULL},
    {"fp8", HABITAT_DTYPE_FP8, NULL},
    {"int8", HABITAT_DTYPE_INT8, NULL},
    {"int16", HABITAT_DTYPE_INT16, NULL},
    {"int32", HABITAT_DTYPE_INT32, NULL},
    {"int64", HABITAT_DTYPE_INT64, NULL},
    {"bool", HABITAT_DTYPE_BOOL, NULL},
    {"complex64", HABITAT_DTYPE_COMPLEX64, NULL},
    {"complex128", HABITAT_DTYPE_COMPLEX128, NULL},
    {"fp16_mixed", HABITAT_DTYPE_FP16, NULL},
    {"fp16_in_fp32_math", HABITAT_DTYPE_FP16, NULL},
    {"fp8_block", HABITAT_DTYPE_FP8, NULL},
    {"nvfp4", HABITAT_DTYPE_UNKNOWN, four_bits},
    {"fp4", HABITAT_DTYPE_UNKNOWN, four_bits},
    {"mxfp4", HABITAT_DTYPE_UNKNOWN, four_bits},
    {"int4", HABITAT_DTYPE_UNKNOWN, four_bits},
};
const vocabulary habitat_dtypes = VOCABULARY("number format", dtypes);
