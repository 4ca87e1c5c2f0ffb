/* Where the reader is, what it stops with, and texts that it keeps. */
#include "trace/reader.h"

#include <inttypes.h>

uint64_t reader_position(const reader *r) {
    return r->piece_start + yajl_get_bytes_consumed(r->json.handle);
}

/* Stop with an error here. Callbacks return this: 0 stops yajl. */
int reader_stop_memory(reader *r) {
    r->status = habitat_fail(r->err, HABITAT_E_MEMORY, "out of memory");
    return 0;
}

const char reader_advice[] = "export it with torch.profiler or 'habitat record'";

int reader_bad_event(reader *r, habitat_status code, const char *what, const char *problem) {
    uint64_t byte = r->bad_byte ? r->bad_byte : reader_position(r);
    int result = STOP_AT(r, code, byte,
                         "event %" PRIu64 " of \"traceEvents\": \"%s\" %s; record it again, or "
                         "remove that event",
                         r->event_count, what, problem);
    if (r->err)
        r->err->index = (size_t)r->event_count;
    return result;
}

int reader_bad_habitat(reader *r, const char *name) {
    return STOP(r, HABITAT_E_RANGE,
                "\"%s\" in \"habitat\" is no number, negative or absurdly large; record it again",
                name);
}

const char *event_name(reader *r) {
    return habitat_strings_intern(&r->b->trace->strings, r->name ? r->name : "", r->e.name_bytes);
}

const char *reader_keep_text(reader *r, const char *text, size_t length) {
    return habitat_strings_intern(&r->b->trace->strings, text, length);
}
