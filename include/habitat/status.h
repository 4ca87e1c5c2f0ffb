/* Status codes, and the record of an error that every fallible call of the library can fill in.
 *
 * The library never prints, exits or asserts on input. A call that fails returns a status, leaves
 * its out-parameters untouched and, when given a habitat_error, fills in where and why.
 *
 * Half: stable; the numbers are pinned.
 * Units: bytes and lines, as the names say.
 * Ownership: a habitat_error is the caller's and holds no pointers. Names are static texts.
 * Errors: the calls of this header cannot fail.
 * Threads: pure functions; safe from several threads. Give each thread its own habitat_error. */
#ifndef HABITAT_STATUS_H
#define HABITAT_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HABITAT_API __attribute__((visibility("default")))
#else
#define HABITAT_API
#endif

/* Numbers are pinned: they are part of the ABI and of the Python exception. Groups of ten. */
typedef enum habitat_status {
    HABITAT_OK = 0,
    /* the caller */
    HABITAT_E_ARG = 1,    /* an argument is NULL, out of range or inconsistent */
    HABITAT_E_MEMORY = 2, /* allocation failed */
    /* the input */
    HABITAT_E_IO = 10,     /* cannot open, read or write */
    HABITAT_E_PARSE = 11,  /* not well-formed: truncated, not JSON, corrupt gzip */
    HABITAT_E_FORMAT = 12, /* well-formed, but not what was asked for: not a trace, a missing key */
    HABITAT_E_RANGE = 13,  /* a value is negative, absurd or too large */
    HABITAT_E_NO_GPU = 14, /* a trace without any GPU activity */
    HABITAT_E_VERSION = 15, /* a file of a format version this library does not read */
    /* look-ups */
    HABITAT_E_UNKNOWN_GPU = 20,
    HABITAT_E_UNKNOWN_METHOD = 21,
    HABITAT_E_NO_SPEC = 22, /* the GPU lists no value for what was asked; nothing is substituted */
    /* no estimate: never a number */
    HABITAT_E_UNSUPPORTED = 30,  /* no method covers this operation */
    HABITAT_E_NOT_RESIDENT = 31, /* a block of this kernel cannot run on this GPU */
} habitat_status;

/* Where and why a call failed. Plain data; the caller owns it; `{0}` is a valid start. */
typedef struct habitat_error {
    habitat_status code;
    char message[384]; /* one line: what is wrong; what to do */
    char file[256];    /* the file concerned, or empty */
    uint64_t byte;     /* offset in the (uncompressed) file; UINT64_MAX if unknown */
    uint64_t line;     /* 1-based; 0 if unknown */
    size_t index;      /* offending array element; SIZE_MAX if none */
} habitat_error;

/** Name of a status, for logs and tests ("HABITAT_E_PARSE").
 * @param status any value.
 * @return static string; "HABITAT_E_?" for unknown values.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const char *habitat_status_name(habitat_status status);

/** One-sentence meaning of a status, for people.
 * @param status any value.
 * @return static string.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const char *habitat_status_text(habitat_status status);

#ifdef __cplusplus
}
#endif
#endif
