/* Bytes as a file with a name, for readers that open it themselves. */
#ifndef HABITAT_FUZZ_PATH_H
#define HABITAT_FUZZ_PATH_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static char fuzz_named[] = "/tmp/habitat-fuzz-XXXXXX";

static inline void fuzz_unlink(void) {
    (void)unlink(fuzz_named);
}

/* The one file that every input goes through; it goes when the program ends. */
static inline const char *fuzz_path(const uint8_t *data, size_t size) {
    static int descriptor = -1;
    if (descriptor < 0) {
        descriptor = mkstemp(fuzz_named);
        (void)atexit(fuzz_unlink);
    }
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, data, size, 0) != (ssize_t)size)
        abort();
    return fuzz_named;
}

#endif
