/* Bytes of a trace: a plain or gzip file, or memory, in bounded pieces. */
#ifndef HABITAT_TRACE_SOURCE_H
#define HABITAT_TRACE_SOURCE_H

#include <stdbool.h>

#include <habitat/status.h>

typedef struct trace_source trace_source;

/* Traces of this size and more are refused: nothing a single iteration records comes near it. */
#define SOURCE_LIMIT_BYTES ((uint64_t)1 << 31)

enum { SOURCE_PIECE_BYTES = 1 << 17 };

/* Open a file, or a pipe. `limit_bytes`: refuse more uncompressed bytes than this. */
habitat_status source_open(const char *path, uint64_t limit_bytes, trace_source **out,
                           habitat_error *err);

/* The rest of an open file or pipe; `name` is used in errors, borrowed. The descriptor stays the
 * caller's. */
habitat_status source_descriptor(int descriptor, const char *name, uint64_t limit_bytes,
                                 trace_source **out, habitat_error *err);

/* Bytes in memory, borrowed; plain or gzip. `name` is used in errors, borrowed. */
habitat_status source_memory(const void *data, size_t size_bytes, const char *name,
                             uint64_t limit_bytes, trace_source **out, habitat_error *err);

/* Next bytes, uncompressed, as many as fit if there are as many; *size_bytes = 0 at the end. */
habitat_status source_read(trace_source *source, unsigned char *buffer, size_t capacity,
                           size_t *size_bytes, habitat_error *err);

/* The first bytes as stored (up to 16), for telling formats apart; still to be read. */
const unsigned char *source_peek(const trace_source *source, size_t *size_bytes);

/* Size as stored, modification time for noticing a changed file, and whether gzip. */
uint64_t source_stored_bytes(const trace_source *source);
int64_t source_modified_ns(const trace_source *source);
bool source_is_gzip(const trace_source *source);

/* Whether it can be read a second time by its name: a file, not a pipe, a descriptor or memory. */
bool source_is_file(const trace_source *source);

/* Digest of all that was stored, of what cannot be read twice; call at the end. False: not known
 * (a file or memory), or it could not be made. */
bool source_sha256(trace_source *source, char out[65]);

void source_close(trace_source *source);

/* Line (1-based) of an uncompressed offset, by reading again; 0 if that is not possible. */
uint64_t source_line_of_file(const char *path, uint64_t byte);
uint64_t source_line_of_memory(const void *data, size_t size_bytes, uint64_t byte);

#endif
