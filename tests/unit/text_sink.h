/* A text sink for tests: appends to a buffer of 65536 bytes, the context. */
#ifndef HABITAT_TEST_TEXT_SINK_H
#define HABITAT_TEST_TEXT_SINK_H

#include <string.h>

static inline int append(void *context, const char *text, size_t size) {
    char *out = context;
    size_t used = strlen(out);
    if (used + size < 65536) {
        memcpy(out + used, text, size);
        out[used + size] = 0;
    }
    return 0;
}

#endif
