/* Filling a habitat_error. Formatting is cut, never overrun. */
#ifndef HABITAT_BASE_ERROR_H
#define HABITAT_BASE_ERROR_H

#include <habitat/status.h>

/* Fill `err` (may be NULL) and return `code`, so that a failing branch is one statement. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
habitat_status
habitat_fail(habitat_error *err, habitat_status code, const char *format, ...);

/* The same, for a place in a file. line 0 and byte UINT64_MAX mean unknown; file may be NULL. */
#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
habitat_status
habitat_fail_at(habitat_error *err, habitat_status code, const char *file, uint64_t byte,
                uint64_t line, const char *format, ...);

/* Static analysis cannot see into the calls: tell it that they return `code`, never HABITAT_OK. */
#if defined(__clang_analyzer__) && !defined(HABITAT_ERROR_BODY)
#define habitat_fail(err, code, ...)    ((void)habitat_fail(err, code, __VA_ARGS__), (code))
#define habitat_fail_at(err, code, ...) ((void)habitat_fail_at(err, code, __VA_ARGS__), (code))
#endif

#endif
