/* Numbers and text that look the same under every locale, and how near two words are.
 *
 * The C library reads and writes "12,5" where a program chose a German locale; data files, traces,
 * reports and command lines say "12.5". These functions know no locale and need no memory.
 *
 * Half: experimental.
 * Units: lengths and sizes in bytes.
 * Ownership: all texts and buffers are the caller's.
 * Errors: by return value; outputs are left alone.
 * Threads: pure functions; safe from several threads. */
#ifndef HABITAT_TEXT_H
#define HABITAT_TEXT_H

#ifndef HABITAT_EXPERIMENTAL
#error "<habitat/text.h> is experimental; define HABITAT_EXPERIMENTAL to use it (habitat.h)"
#endif

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <habitat/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The decimal number that `text` begins with, as strtod() reads it in the C locale: blanks, a
 * sign, digits with a point, an exponent; "inf", "infinity" and "nan" too, hexadecimal not. Rounded
 * once, half to even; too large becomes infinity.
 * @param text NUL-terminated.
 * @param out  left alone if there is no number.
 * @return bytes read, blanks included; 0 if there is no number.
 * @note   Safe from several threads.
 * @since 0.2 */
HABITAT_API size_t habitat_read_number(const char *text, double *out);

/** A text that is one number from its first byte to its last.
 * @param text NUL-terminated, may be NULL.
 * @param out  receives the number.
 * @return false, `out` left alone, for any other text.
 * @note   Safe from several threads.
 * @since 0.2 */
HABITAT_API bool habitat_is_number(const char *text, double *out);

/** Like snprintf() in the C locale. Conversions: d i u x X o c s p % with their lengths, and f e g
 * for a double; flags, width and precision as usual, without '#' and "'".
 * @param out    receives the text, cut off at `size` bytes.
 * @param size   bytes of `out`.
 * @param format as that of printf().
 * @return length of the whole text without the NUL; -1 for a format it does not know.
 * @note   Safe from several threads.
 * @since 0.2 */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
HABITAT_API int
habitat_format(char *out, size_t size, const char *format, ...);

/** The same with a list of arguments.
 * @param out       receives the text, cut off at `size` bytes.
 * @param size      bytes of `out`.
 * @param format    as that of printf().
 * @param arguments for its conversions.
 * @return as habitat_format().
 * @note   Safe from several threads.
 * @since 0.2 */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 0)))
#endif
HABITAT_API int
habitat_vformat(char *out, size_t size, const char *format, va_list arguments);

/** Edits that make one word of the other: letters put in, left out, changed, or two neighbours
 * swapped, each counts 1. For "did you mean".
 * @param a, b NUL-terminated; of longer words the first 127 bytes count.
 * @return 0 for equal words. "gmem" and "gemm" are 1 apart.
 * @note   Pure; safe from several threads.
 * @tested tests/unit/test_text.c @since 0.2 */
HABITAT_API size_t habitat_edit_distance(const char *a, const char *b);

#ifdef __cplusplus
}
#endif
#endif
