/* What Nsight Systems writes and nobody reads as it is: reports, and exports that are packed. Told
 * by their names, and refused with what to do. */
#include <string.h>

#include "base/error.h"
#include "trace/readers.h"

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

/* What Nsight Systems itself writes has no published format. Its name tells it; a trace that was
 * only given such a name begins as a trace does. */
static bool is_report(const trace_source *source, const char *name) {
    size_t size, i = 0;
    const unsigned char *head = source_peek(source, &size);
    while (i < size && head[i] && strchr(" \t\r\n", head[i]))
        i++;
    if (source_is_gzip(source))
        return ends_with(name, ".sqlite.gz");
    bool json = i == size || head[i] == '{' || head[i] == '[';
    return !json && (ends_with(name, ".nsys-rep") || ends_with(name, ".qdrep"));
}

static habitat_status refuse_report(trace_builder *b, const trace_input *input,
                                    habitat_error *err) {
    (void)b;
    if (source_is_gzip(input->source))
        return habitat_fail_at(err, HABITAT_E_FORMAT, input->name, UINT64_MAX, 0,
                               "a packed SQLite export, which cannot be read at random; unpack it "
                               "with `gunzip` and give the .sqlite");
    return habitat_fail_at(err, HABITAT_E_FORMAT, input->name, UINT64_MAX, 0,
                           "a report of Nsight Systems, which its own tools alone can read; "
                           "export it with `nsys export --type sqlite` and give the .sqlite");
}

const trace_reader trace_reader_nsys_report = {is_report, refuse_report};
