/* Number formats: sizes, and the names that other programs give them. */
#include <habitat/units.h>
#include <habitat/version.h>

#include <stdbool.h>
#include <string.h>

#include "base/vocabulary.h"

static const size_t bytes[HABITAT_DTYPE_COUNT] = {
    [HABITAT_DTYPE_FP64] = 8,        [HABITAT_DTYPE_FP32] = 4,  [HABITAT_DTYPE_TF32] = 4,
    [HABITAT_DTYPE_FP16] = 2,        [HABITAT_DTYPE_BF16] = 2,  [HABITAT_DTYPE_FP8] = 1,
    [HABITAT_DTYPE_INT8] = 1,        [HABITAT_DTYPE_INT16] = 2, [HABITAT_DTYPE_INT32] = 4,
    [HABITAT_DTYPE_INT64] = 8,       [HABITAT_DTYPE_BOOL] = 1,  [HABITAT_DTYPE_COMPLEX64] = 8,
    [HABITAT_DTYPE_COMPLEX128] = 16,
};

/* Other names of the same formats: PyTorch's, and the C++ type names that Kineto writes. */
static const struct {
    const char *name;
    habitat_dtype dtype;
} synonyms[] = {
    {"double", HABITAT_DTYPE_FP64},
    {"float64", HABITAT_DTYPE_FP64},
    {"float", HABITAT_DTYPE_FP32},
    {"float32", HABITAT_DTYPE_FP32},
    {"half", HABITAT_DTYPE_FP16},
    {"float16", HABITAT_DTYPE_FP16},
    {"c10::Half", HABITAT_DTYPE_FP16},
    {"bfloat16", HABITAT_DTYPE_BF16},
    {"c10::BFloat16", HABITAT_DTYPE_BF16},
    {"c10::Float8_e4m3fn", HABITAT_DTYPE_FP8},
    {"c10::Float8_e5m2", HABITAT_DTYPE_FP8},
    {"c10::Float8_e4m3fnuz", HABITAT_DTYPE_FP8},
    {"c10::Float8_e5m2fnuz", HABITAT_DTYPE_FP8},
    {"float8_e4m3fn", HABITAT_DTYPE_FP8},
    {"float8_e5m2", HABITAT_DTYPE_FP8},
    {"fp8_block", HABITAT_DTYPE_FP8},
    {"signed char", HABITAT_DTYPE_INT8},
    {"unsigned char", HABITAT_DTYPE_INT8},
    {"uint8", HABITAT_DTYPE_INT8},
    {"short int", HABITAT_DTYPE_INT16},
    {"short", HABITAT_DTYPE_INT16},
    {"int", HABITAT_DTYPE_INT32},
    {"long int", HABITAT_DTYPE_INT64},
    {"long", HABITAT_DTYPE_INT64},
    {"long long", HABITAT_DTYPE_INT64},
    {"c10::complex<float>", HABITAT_DTYPE_COMPLEX64},
    {"c10::complex<double>", HABITAT_DTYPE_COMPLEX128},
};

size_t habitat_dtype_bytes(habitat_dtype dtype) {
    return (unsigned)dtype < HABITAT_DTYPE_COUNT ? bytes[dtype] : 0;
}

const char *habitat_dtype_name(habitat_dtype dtype) {
    bool known = dtype != HABITAT_DTYPE_UNKNOWN && (unsigned)dtype < HABITAT_DTYPE_COUNT;
    return known ? habitat_dtypes.words[dtype - 1].name : "unknown";
}

/* Asked for every input of a trace: most names differ in their first letter. */
static bool same(const char *a, const char *b) {
    return *a == *b && !strcmp(a, b);
}

habitat_dtype habitat_dtype_from_name(const char *name) {
    if (!name)
        return HABITAT_DTYPE_UNKNOWN;
    if (!strncmp(name, "torch.", 6))
        name += 6;
    for (int i = 1; i < HABITAT_DTYPE_COUNT; i++)
        if (same(name, habitat_dtypes.words[i - 1].name))
            return (habitat_dtype)i;
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (same(name, synonyms[i].name))
            return synonyms[i].dtype;
    return HABITAT_DTYPE_UNKNOWN;
}

const char *habitat_version(void) {
    return HABITAT_VERSION_STRING;
}
