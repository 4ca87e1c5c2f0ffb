/* malloc() and its family, failing on demand: the n-th call, or all from the n-th on. Included once
 * by a program or a library to preload; glibc's own functions do the work. */
#ifndef HABITAT_TESTS_FAILING_ALLOC_H
#define HABITAT_TESTS_FAILING_ALLOC_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static struct {
    bool armed;             /* calls count, and may fail */
    unsigned long fail_at;  /* 0 = never */
    bool fail_rest;         /* all from fail_at on, not it alone */
    unsigned long *counted; /* calls so far */
    long live;              /* pieces in use, armed or not */
} failing_alloc;

static bool alloc_fails(void) {
    if (!failing_alloc.armed)
        return false;
    unsigned long n = ++*failing_alloc.counted, at = failing_alloc.fail_at;
    if (at == 0 || n < at || (n > at && !failing_alloc.fail_rest))
        return false;
    errno = ENOMEM;
    return true;
}

static void *now_live(void *memory) {
    failing_alloc.live += memory != NULL;
    return memory;
}

void *malloc(size_t size) {
    return alloc_fails() ? NULL : now_live(__libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
    return alloc_fails() ? NULL : now_live(__libc_calloc(count, size));
}

void *realloc(void *old, size_t size) {
    if (alloc_fails())
        return NULL;
    void *memory = __libc_realloc(old, size);
    return old ? memory : now_live(memory);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return alloc_fails() ? NULL : now_live(__libc_memalign(alignment, size));
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    void *memory = aligned_alloc(alignment, size);
    if (!memory)
        return ENOMEM;
    *out = memory;
    return 0;
}

void free(void *memory) {
    failing_alloc.live -= memory != NULL;
    __libc_free(memory);
}

#endif
