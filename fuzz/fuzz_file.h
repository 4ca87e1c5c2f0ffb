/* Bytes as a file, for readers that open paths. */
#ifndef HABITAT_FUZZ_FILE_H
#define HABITAT_FUZZ_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The path of the one file that every input goes through. It has no name of its own. */
static inline const char *fuzz_file(const uint8_t *data, size_t size) {
    static char path[64];
    static int descriptor = -1;
    if (descriptor < 0) {
        char name[] = "/tmp/habitat-fuzz-XXXXXX";
        descriptor = mkstemp(name);
        unlink(name);
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, data, size, 0) != (ssize_t)size)
        abort();
    return path;
}

#endif
