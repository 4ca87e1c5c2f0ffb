/* A hook on the library's own allocations, in test builds only (CMake option HABITAT_ALLOC_HOOK).
 *
 * The compiler includes this file before every source of the library in such a build. A test can
 * then refuse any allocation, in its own process and under any sanitizer. The memory itself still
 * comes from the C library, so that every piece can be freed as usual. What libraries below us
 * allocate is not seen here: tests/stubs/failing_alloc.h refuses that too (docs/decisions/0120). */
#ifndef HABITAT_BASE_MEMORY_H
#define HABITAT_BASE_MEMORY_H

#ifdef HABITAT_ALLOC_HOOK

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Asked before each allocation; true: it fails. NULL: none fails. For the whole process; set it
 * while no other thread uses the library. */
extern bool (*habitat_alloc_refuses)(void);

static inline bool habitat_alloc_refused(void) {
    return habitat_alloc_refuses && habitat_alloc_refuses();
}

static inline void *habitat_hooked_malloc(size_t size) {
    return habitat_alloc_refused() ? NULL : malloc(size);
}

static inline void *habitat_hooked_calloc(size_t count, size_t size) {
    return habitat_alloc_refused() ? NULL : calloc(count, size);
}

static inline void *habitat_hooked_realloc(void *old, size_t size) {
    return habitat_alloc_refused() ? NULL : realloc(old, size);
}

#define malloc(size)        habitat_hooked_malloc(size)
#define calloc(count, size) habitat_hooked_calloc(count, size)
#define realloc(old, size)  habitat_hooked_realloc(old, size)

#endif
#endif
