/* SHA-256 (FIPS 180-4) of files and bytes. */
#ifndef HABITAT_TRACE_SHA256_H
#define HABITAT_TRACE_SHA256_H

#include <stdbool.h>

#include <habitat/status.h>

/* Hex digest of a file that must still have this size and modification time; HABITAT_E_IO if it
 * cannot be read or has changed. */
habitat_status sha256_file(const char *path, uint64_t size_bytes, int64_t modified_ns, char out[65],
                           habitat_error *err);

/* Hex digest of bytes; false when out of memory. */
bool sha256_bytes(const void *data, size_t size_bytes, char out[65]);

#endif
