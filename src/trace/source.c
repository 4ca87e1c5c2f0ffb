/* Bytes of a trace. Plain files are read in pieces; gzip goes through zlib, several members one
 * after the other included, and anything but a clean end is an error: a cut-off download must not
 * look like a short trace. */
#include "trace/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "trace/sha256.h"

enum { PEEK_BYTES = 16 };

struct trace_source {
    const char *name;
    int descriptor;  /* -1 for memory */
    bool borrowed;   /* the descriptor is the caller's */
    sha256_sum *sum; /* of what cannot be read twice; NULL for files and memory */
    const unsigned char *memory;
    size_t memory_bytes, memory_at;
    uint64_t stored_bytes;
    int64_t modified_ns;
    uint64_t limit_bytes;
    uint64_t given_bytes;    /* uncompressed, handed out */
    uint64_t consumed_bytes; /* stored bytes read so far */
    bool gzip, inflating, member_done, input_ended;
    z_stream zlib;
    unsigned char peek[PEEK_BYTES];
    size_t peek_bytes;
    size_t kept_at, kept_bytes; /* plain: part of input[], read at opening, not yet handed out */
    unsigned char input[SOURCE_PIECE_BYTES];
};

static habitat_status io_error(const trace_source *s, habitat_error *err, const char *what) {
    return habitat_fail_at(err, HABITAT_E_IO, s->name, UINT64_MAX, 0, "cannot %s: %s; %s", what,
                           strerror(errno),
                           errno == ENOENT   ? "check the path"
                           : errno == EACCES ? "check its permissions"
                                             : "check the file and try again");
}

/* Read stored bytes into `buffer`; 0 at the end. */
static habitat_status read_stored(trace_source *s, unsigned char *buffer, size_t capacity,
                                  size_t *got, habitat_error *err) {
    *got = 0;
    if (s->descriptor < 0) {
        size_t left = s->memory_bytes - s->memory_at;
        *got = left < capacity ? left : capacity;
        if (*got)
            memcpy(buffer, s->memory + s->memory_at, *got);
        s->memory_at += *got;
    } else {
        while (*got < capacity) {
            ssize_t count = read(s->descriptor, buffer + *got, capacity - *got);
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0)
                return io_error(s, err, "read it");
            if (count == 0)
                break;
            *got += (size_t)count;
        }
    }
    s->consumed_bytes += *got;
    if (s->sum)
        sha256_add(s->sum, buffer, *got);
    return HABITAT_OK;
}

static habitat_status too_large(const trace_source *s, uint64_t bytes, habitat_error *err) {
    return habitat_fail_at(err, HABITAT_E_RANGE, s->name, s->limit_bytes, 0,
                           "%s%" PRIu64 " bytes of JSON, more than the %" PRIu64
                           " that are read; record fewer iterations",
                           s->gzip ? "unpacks to at least " : "", bytes, s->limit_bytes - 1);
}

static habitat_status start(trace_source *s, habitat_error *err) {
    habitat_status status = read_stored(s, s->input, sizeof s->input, &s->kept_bytes, err);
    if (status != HABITAT_OK)
        return status;
    s->peek_bytes = s->kept_bytes < PEEK_BYTES ? s->kept_bytes : PEEK_BYTES;
    memcpy(s->peek, s->input, s->peek_bytes);
    s->gzip = s->kept_bytes >= 2 && s->input[0] == 0x1f && s->input[1] == 0x8b;
    if (s->gzip) {
        if (inflateInit2(&s->zlib, 15 + 16) != Z_OK)
            return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        s->inflating = true;
        s->zlib.next_in = s->input;
        s->zlib.avail_in = (uInt)s->kept_bytes;
    }
    return HABITAT_OK;
}

static trace_source *new_source(const char *name, uint64_t limit_bytes) {
    trace_source *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    memset(s, 0, offsetof(trace_source, input));
    s->name = name;
    s->descriptor = -1;
    s->limit_bytes = limit_bytes;
    return s;
}

/* Hands the source over, or closes it. */
static habitat_status given(habitat_status status, trace_source *s, trace_source **out) {
    if (status == HABITAT_OK)
        *out = s;
    else
        source_close(s);
    return status;
}

/* Looks at what was opened: a file is read again for its digest, all else while it is read. */
static habitat_status start_opened(trace_source *s, habitat_error *err) {
    struct stat facts;
    if (s->descriptor < 0 || fstat(s->descriptor, &facts) != 0)
        return io_error(s, err, "open it");
    if (S_ISDIR(facts.st_mode))
        return habitat_fail_at(err, HABITAT_E_IO, s->name, UINT64_MAX, 0,
                               "a directory, not a trace; name the file inside it");
    if (S_ISREG(facts.st_mode) && !s->borrowed) {
        s->stored_bytes = (uint64_t)facts.st_size;
        s->modified_ns =
            (int64_t)facts.st_mtim.tv_sec * 1000000000 + (int64_t)facts.st_mtim.tv_nsec;
    } else {
        s->sum = sha256_begin();
        if (!s->sum)
            return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    return start(s, err);
}

habitat_status source_open(const char *path, uint64_t limit_bytes, trace_source **out,
                           habitat_error *err) {
    trace_source *s = new_source(path, limit_bytes);
    if (!s)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    s->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    return given(start_opened(s, err), s, out);
}

habitat_status source_descriptor(int descriptor, const char *name, uint64_t limit_bytes,
                                 trace_source **out, habitat_error *err) {
    trace_source *s = new_source(name, limit_bytes);
    if (!s)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    s->descriptor = descriptor;
    s->borrowed = true;
    return given(start_opened(s, err), s, out);
}

habitat_status source_memory(const void *data, size_t size_bytes, const char *name,
                             uint64_t limit_bytes, trace_source **out, habitat_error *err) {
    trace_source *s = new_source(name, limit_bytes);
    if (!s)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    s->memory = data;
    s->memory_bytes = size_bytes;
    s->stored_bytes = size_bytes;
    return given(start(s, err), s, out);
}

/* Give zlib more stored bytes if it has none. */
static habitat_status refill(trace_source *s, habitat_error *err) {
    if (s->zlib.avail_in || s->input_ended)
        return HABITAT_OK;
    size_t got;
    habitat_status status = read_stored(s, s->input, sizeof s->input, &got, err);
    if (status != HABITAT_OK)
        return status;
    s->zlib.next_in = s->input;
    s->zlib.avail_in = (uInt)got;
    s->input_ended = got == 0;
    return HABITAT_OK;
}

static habitat_status gzip_error(const trace_source *s, const char *what, habitat_error *err) {
    return habitat_fail_at(err, HABITAT_E_PARSE, s->name, s->given_bytes, 0,
                           "%s (after %" PRIu64 " bytes of it); copy or record it again", what,
                           s->consumed_bytes - s->zlib.avail_in);
}

/* Between members: true in *more if another one starts. */
static habitat_status next_member(trace_source *s, bool *more, habitat_error *err) {
    habitat_status status = refill(s, err);
    *more = false;
    if (status != HABITAT_OK || s->input_ended)
        return status;
    if (s->zlib.next_in[0] != 0x1f)
        return gzip_error(s, "trailing garbage behind the gzip data", err);
    inflateReset(&s->zlib);
    s->member_done = false;
    *more = true;
    return HABITAT_OK;
}

static habitat_status inflate_some(trace_source *s, unsigned char *buffer, size_t capacity,
                                   size_t *size_bytes, habitat_error *err) {
    s->zlib.next_out = buffer;
    s->zlib.avail_out = (uInt)capacity;
    while (s->zlib.avail_out) {
        if (s->member_done) {
            bool more;
            habitat_status status = next_member(s, &more, err);
            if (status != HABITAT_OK)
                return status;
            if (!more)
                break;
        }
        habitat_status status = refill(s, err);
        if (status != HABITAT_OK)
            return status;
        if (s->input_ended)
            return gzip_error(s, "the gzip data is cut off", err);
        int result = inflate(&s->zlib, Z_NO_FLUSH);
        if (result == Z_STREAM_END)
            s->member_done = true;
        else if (result == Z_MEM_ERROR)
            return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        else if (result != Z_OK && result != Z_BUF_ERROR)
            return gzip_error(s, "the gzip data is corrupt", err);
    }
    *size_bytes = capacity - s->zlib.avail_out;
    return HABITAT_OK;
}

/* What was read at opening, then the rest. */
static habitat_status read_plain(trace_source *s, unsigned char *buffer, size_t capacity,
                                 size_t *size_bytes, habitat_error *err) {
    size_t kept = s->kept_bytes < capacity ? s->kept_bytes : capacity;
    if (kept)
        memcpy(buffer, s->input + s->kept_at, kept);
    s->kept_at += kept;
    s->kept_bytes -= kept;
    habitat_status status = HABITAT_OK;
    if (kept < capacity)
        status = read_stored(s, buffer + kept, capacity - kept, size_bytes, err);
    *size_bytes += kept;
    return status;
}

habitat_status source_read(trace_source *s, unsigned char *buffer, size_t capacity,
                           size_t *size_bytes, habitat_error *err) {
    *size_bytes = 0;
    if (!s->gzip && s->stored_bytes >= s->limit_bytes)
        return too_large(s, s->stored_bytes, err);
    if (capacity > SOURCE_PIECE_BYTES)
        capacity = SOURCE_PIECE_BYTES;
    habitat_status status = s->gzip ? inflate_some(s, buffer, capacity, size_bytes, err)
                                    : read_plain(s, buffer, capacity, size_bytes, err);
    if (status != HABITAT_OK)
        return status;
    s->given_bytes += *size_bytes;
    if (s->given_bytes >= s->limit_bytes)
        return too_large(s, s->given_bytes, err);
    return HABITAT_OK;
}

const unsigned char *source_peek(const trace_source *s, size_t *size_bytes) {
    *size_bytes = s->peek_bytes;
    return s->peek;
}

uint64_t source_stored_bytes(const trace_source *s) {
    return s->stored_bytes ? s->stored_bytes : s->consumed_bytes;
}

int64_t source_modified_ns(const trace_source *s) {
    return s->modified_ns;
}

bool source_is_gzip(const trace_source *s) {
    return s->gzip;
}

bool source_is_file(const trace_source *s) {
    return s->descriptor >= 0 && !s->sum;
}

bool source_sha256(trace_source *s, char out[65]) {
    if (s->sum)
        sha256_end(s->sum, out);
    return s->sum != NULL;
}

void source_close(trace_source *s) {
    if (!s)
        return;
    if (s->inflating)
        inflateEnd(&s->zlib);
    if (s->descriptor >= 0 && !s->borrowed)
        close(s->descriptor);
    sha256_free(s->sum);
    free(s);
}

static uint64_t line_of(trace_source *s, uint64_t byte) {
    uint64_t line = 1, at = 0;
    static const size_t capacity = SOURCE_PIECE_BYTES;
    unsigned char *data = malloc(capacity);
    size_t size;
    while (data && at < byte && source_read(s, data, capacity, &size, NULL) == HABITAT_OK && size)
        for (size_t i = 0; i < size && at < byte; i++, at++)
            line += data[i] == '\n';
    free(data);
    return at >= byte ? line : 0;
}

uint64_t source_line_of_file(const char *path, uint64_t byte) {
    trace_source *s = NULL;
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode)) /* a pipe cannot be read twice */
        return 0;
    if (source_open(path, SOURCE_LIMIT_BYTES, &s, NULL) != HABITAT_OK || !s)
        return 0;
    uint64_t line = line_of(s, byte);
    source_close(s);
    return line;
}

uint64_t source_line_of_memory(const void *data, size_t size_bytes, uint64_t byte) {
    trace_source *s = NULL;
    if (source_memory(data, size_bytes, "", SOURCE_LIMIT_BYTES, &s, NULL) != HABITAT_OK || !s)
        return 0;
    uint64_t line = line_of(s, byte);
    source_close(s);
    return line;
}
