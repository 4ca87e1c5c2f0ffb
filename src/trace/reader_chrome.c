/* Chrome-trace JSON, plain or gzip: PyTorch's profiler and `habitat record`. Whatever no other
 * reader knows comes here, and is refused with the place where it stops being such a trace. */
#include "trace/events.h"
#include "trace/readers.h"

static bool is_anything(const trace_source *source, const char *name) {
    (void)source;
    (void)name;
    return true;
}

static habitat_status read_chrome(trace_builder *b, const trace_input *input, habitat_error *err) {
    return events_read(b, input->source, input->slow_only, err);
}

const trace_reader trace_reader_chrome = {is_anything, read_chrome};
