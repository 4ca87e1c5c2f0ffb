/* Units and number formats used by every header.
 *
 * Half: stable.
 * Units: a bare number carries its unit in its name: _ns, _ms, _bytes, _bytes_per_s, _flop,
 * _flop_per_s, _hz. GB is 1e9 bytes and GiB is 2^30, never mixed. A fused multiply-add counts as 2
 * flop. Measured times are uint64_t nanoseconds, predicted times are double. A double that is not
 * known is NaN, never 0.
 * Ownership: names are static texts.
 * Errors: the calls of this header cannot fail; what they do not know is UNKNOWN.
 * Threads: pure functions; safe from several threads. */
#ifndef HABITAT_UNITS_H
#define HABITAT_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include <habitat/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HABITAT_NS_PER_MS 1e6          /* nanoseconds of a millisecond */
#define HABITAT_GB        1e9          /* bytes of a gigabyte */
#define HABITAT_GIB       1073741824.0 /* bytes of a gibibyte */
#define HABITAT_NONE      UINT32_MAX   /* "no such index" in index fields */

/* Number formats of tensors and of arithmetic. */
typedef enum habitat_dtype {
    HABITAT_DTYPE_UNKNOWN = 0,
    HABITAT_DTYPE_FP64,
    HABITAT_DTYPE_FP32,
    HABITAT_DTYPE_TF32, /* arithmetic only: fp32 tensors multiplied on matrix units */
    HABITAT_DTYPE_FP16,
    HABITAT_DTYPE_BF16,
    HABITAT_DTYPE_FP8,
    HABITAT_DTYPE_INT8,
    HABITAT_DTYPE_INT16,
    HABITAT_DTYPE_INT32,
    HABITAT_DTYPE_INT64,
    HABITAT_DTYPE_BOOL,
    HABITAT_DTYPE_COMPLEX64,
    HABITAT_DTYPE_COMPLEX128,
    HABITAT_DTYPE_COUNT
} habitat_dtype;

/** Bytes of one element.
 * @param dtype any value.
 * @return 0 for UNKNOWN and COUNT.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API size_t habitat_dtype_bytes(habitat_dtype dtype);

/** Short name: "fp32", "bf16", "int64", "bool", "unknown".
 * @param dtype any value.
 * @return static string.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const char *habitat_dtype_name(habitat_dtype dtype);

/** Number format from a name: ours ("fp32"), PyTorch's ("torch.bfloat16", "float") or the C++ names
 * Kineto writes ("c10::BFloat16", "float", "long int", "unsigned char").
 * @param name NUL-terminated, may be NULL.
 * @return UNKNOWN if not a number format.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_dtype habitat_dtype_from_name(const char *name);

#ifdef __cplusplus
}
#endif
#endif
