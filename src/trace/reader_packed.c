/* Files packed in another way than gzip: whole as they are, but not read. Told by their first bytes
 * and refused with what unpacks them. */
#include <string.h>

#include "base/error.h"
#include "trace/readers.h"

typedef struct packing {
    const char *first; /* bytes that such a file begins with */
    const char *what;  /* what it is, and what to do */
} packing;

static const packing packings[] = {
    {"\x28\xb5\x2f\xfd", "packed with zstd; unpack it with `zstd -d` and give what comes out"},
    {"\xfd"
     "7zXZ",
     "packed with xz; unpack it with `xz -d` and give what comes out"},
    {"BZh", "packed with bzip2; unpack it with `bzip2 -d` and give what comes out"},
    {"\x04\x22\x4d\x18", "packed with lz4; unpack it with `lz4 -d` and give what comes out"},
    {"PK\x03\x04", "a zip archive; unpack it with `unzip` and give the trace in it"},
    {"7z\xbc\xaf", "a 7z archive; unpack it with `7z x` and give the trace in it"},
};

static const packing *packing_of(const trace_source *source) {
    size_t size;
    const unsigned char *head = source_peek(source, &size);
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        size_t length = strlen(packings[i].first);
        if (!source_is_gzip(source) && size >= length &&
            memcmp(head, packings[i].first, length) == 0)
            return &packings[i];
    }
    return NULL;
}

static bool is_packed(const trace_source *source, const char *name) {
    (void)name;
    return packing_of(source) != NULL;
}

static habitat_status refuse_packed(trace_builder *b, const trace_input *input,
                                    habitat_error *err) {
    (void)b;
    return habitat_fail_at(err, HABITAT_E_FORMAT, input->name, UINT64_MAX, 0, "%s",
                           packing_of(input->source)->what);
}

const trace_reader trace_reader_packed = {is_packed, refuse_packed};
