/* Vocabularies of the columns that all tables share. docs/dataset.md lists them. */
#include "question/schemas.h"

static const word timings[] = {
    {"kernel", HABITAT_TIMING_KERNEL, NULL},
    {"event", HABITAT_TIMING_KERNEL, NULL}, /* calls in a row between two events, long ones */
    {"eager", HABITAT_TIMING_EAGER, NULL},
    {"graph", HABITAT_TIMING_GRAPH, NULL},
    {"serving", HABITAT_TIMING_SERVING, NULL},
    {"session", HABITAT_TIMING_SESSION, NULL},
    {"wall", HABITAT_TIMING_KERNEL, "wall-clock times of a CPU are of no GPU"},
};
const vocabulary schema_timings = VOCABULARY("timing", timings);

static const word dtypes[] = {
    {"fp64", HABITAT_DTYPE_FP64, NULL},
    {"fp32", HABITAT_DTYPE_FP32, NULL},
    {"tf32", HABITAT_DTYPE_TF32, NULL},
    {"fp16", HABITAT_DTYPE_FP16, NULL},
    {"bf16", HABITAT_DTYPE_BF16, NULL},
    {"fp8", HABITAT_DTYPE_FP8, NULL},
    {"int8", HABITAT_DTYPE_INT8, NULL},
    {"fp16_mixed", HABITAT_DTYPE_FP16, NULL},
    {"fp16_in_fp32_math", HABITAT_DTYPE_FP16, NULL},
    {"fp8_block", HABITAT_DTYPE_FP8, NULL},
    {"nvfp4", HABITAT_DTYPE_UNKNOWN, "no model knows 4-bit formats"},
    {"fp4", HABITAT_DTYPE_UNKNOWN, "no model knows 4-bit formats"},
    {"mxfp4", HABITAT_DTYPE_UNKNOWN, "no model knows 4-bit formats"},
    {"int4", HABITAT_DTYPE_UNKNOWN, "no model knows 4-bit formats"},
};
const vocabulary schema_dtypes = VOCABULARY("number format", dtypes);

static const word variants[] = {
    {"default", HABITAT_VARIANT_DEFAULT, NULL}, {"vllm", HABITAT_VARIANT_DEFAULT, NULL},
    {"sglang", HABITAT_VARIANT_SGLANG, NULL},   {"trtllm", HABITAT_VARIANT_TRTLLM, NULL},
    {"triton", HABITAT_VARIANT_TRITON, NULL},   {"block", HABITAT_VARIANT_BLOCK_SCALED, NULL},
};
const vocabulary schema_variants = VOCABULARY("library", variants);

static const word splits[] = {{"train", 0, NULL}, {"test", 1, NULL}};
const vocabulary schema_splits = VOCABULARY("split", splits);
