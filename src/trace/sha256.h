/* SHA-256 (FIPS 180-4) of files, and of bytes that come in pieces. */
#ifndef HABITAT_TRACE_SHA256_H
#define HABITAT_TRACE_SHA256_H

#include <stddef.h>

#include <habitat/status.h>

/* Hex digest of a file that must still have this size and modification time; HABITAT_E_IO if it
 * cannot be read or has changed. */
habitat_status sha256_file(const char *path, uint64_t size_bytes, int64_t modified_ns, char out[65],
                           habitat_error *err);

/* A digest fed piece by piece, for what cannot be read twice. NULL when out of memory. */
typedef struct sha256_sum sha256_sum;
sha256_sum *sha256_begin(void);
void sha256_add(sha256_sum *sum, const void *data, size_t size_bytes);
void sha256_end(sha256_sum *sum, char out[65]); /* `sum` takes nothing more */
void sha256_free(sha256_sum *sum);              /* NULL is allowed */

#endif
