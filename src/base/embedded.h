/* Data files that the build put into the library (tools/embed.c, cmake/generate.cmake). */
#ifndef HABITAT_BASE_EMBEDDED_H
#define HABITAT_BASE_EMBEDDED_H

#include <stddef.h>

typedef struct habitat_embedded_file {
    const char *name;          /* file name without its folder */
    const unsigned char *data; /* followed by a NUL */
    size_t size_bytes;         /* without that NUL */
} habitat_embedded_file;

extern const habitat_embedded_file habitat_embedded_models[];
extern const size_t habitat_embedded_models_count;

extern const habitat_embedded_file habitat_embedded_gpu_template[];
extern const habitat_embedded_file habitat_embedded_prices[];
extern const habitat_embedded_file habitat_embedded_page[]; /* src/report/page.h */

#endif
