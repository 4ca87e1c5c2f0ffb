/* Opening traces: finds the reader, runs it, fills what is known of the file. */
#include <habitat/trace.h>

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "trace/finish.h"
#include "trace/read.h"
#include "trace/readers.h"

static const habitat_read_options no_options;

/* Build a trace of what a reader finds. */
static habitat_status build(const trace_reader *reader, const trace_input *input,
                            const habitat_read_options *options, habitat_trace **out,
                            habitat_error *err) {
    trace_builder b;
    if (!trace_begin(&b, input->name)) {
        trace_discard(&b);
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    b.options = *options;
    habitat_status status = reader->read(&b, input, err);
    b.trace->info.file_bytes = source_stored_bytes(input->source);
    b.trace->modified_ns = source_modified_ns(input->source);
    source_sha256(input->source, b.trace->sha256);
    if (status == HABITAT_OK)
        status = trace_finish(&b, out, err);
    if (status != HABITAT_OK)
        trace_discard(&b);
    return status;
}

/* Say the place in the message too: it is often all that is shown. */
static void add_place(habitat_error *err, const char *name) {
    char place[64];
    if (!err->file[0])
        snprintf(err->file, sizeof err->file, "%s", name);
    if (err->byte == UINT64_MAX || !err->line)
        return;
    int length =
        snprintf(place, sizeof place, "line %llu, byte %llu: ", (unsigned long long)err->line,
                 (unsigned long long)err->byte);
    size_t shift = (size_t)length, text = strlen(err->message);
    if (text + shift >= sizeof err->message)
        text = sizeof err->message - shift - 1;
    memmove(err->message + shift, err->message, text);
    memcpy(err->message, place, shift);
    err->message[shift + text] = '\0';
}

#define READER_POINTER(name) &trace_reader_##name,
static const trace_reader *const readers[] = {TRACE_READERS(READER_POINTER)};

/* Reads what the first bytes say it is, and closes the source. */
static habitat_status read_opened(const trace_input *input, const habitat_read_options *options,
                                  habitat_trace **out, habitat_error *err) {
    bool file = source_is_file(input->source);
    enum { READERS = sizeof readers / sizeof *readers };
    size_t i = 0;
    while (i < READERS - 1 && !readers[i]->sniff(input->source, input->name))
        i++; /* the last takes everything */
    habitat_status status = build(readers[i], input, options, out, err);
    source_close(input->source);
    if (file && status != HABITAT_OK && err->byte != UINT64_MAX && status != HABITAT_E_IO)
        err->line = source_line_of_file(input->name, err->byte);
    return status;
}

static habitat_status read_path(const char *path, uint64_t limit_bytes, bool slow_only,
                                const habitat_read_options *options, habitat_trace **out,
                                habitat_error *err) {
    habitat_error local = {0};
    trace_source *source;
    if (!err)
        err = &local;
    if (!path || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no path or no place for the trace");
    habitat_status status = source_open(path, limit_bytes, &source, err);
    if (status == HABITAT_OK)
        status = read_opened(&(trace_input){source, path, slow_only}, options, out, err);
    if (status != HABITAT_OK)
        add_place(err, path);
    return status;
}

habitat_status trace_read_limited(const char *path, uint64_t limit_bytes, bool slow_only,
                                  habitat_trace **out, habitat_error *err) {
    return read_path(path, limit_bytes, slow_only, &no_options, out, err);
}

static habitat_status check_options(const habitat_read_options *options, habitat_error *err) {
    if (options && options->range && options->iterations)
        return habitat_fail(err, HABITAT_E_ARG,
                            "ranges mark iterations or a number divides the trace, not both; leave "
                            "out one");
    if (options && options->range && !options->range[0])
        return habitat_fail(err, HABITAT_E_ARG, "a range without a name; name it");
    if (options && options->batch_size > TRACE_BATCH_LIMIT)
        return habitat_fail(err, HABITAT_E_ARG, "a batch of more than 2^40 samples; say its size");
    return HABITAT_OK;
}

habitat_status habitat_trace_read_descriptor(int descriptor, const char *name,
                                             const habitat_read_options *options,
                                             habitat_trace **out, habitat_error *err) {
    habitat_error local = {0};
    trace_source *source;
    if (!err)
        err = &local;
    if (descriptor < 0 || !name || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no descriptor, name or place for the trace");
    habitat_status status = check_options(options, err);
    if (status != HABITAT_OK)
        return status;
    status = source_descriptor(descriptor, name, SOURCE_LIMIT_BYTES, &source, err);
    if (status == HABITAT_OK)
        status = read_opened(&(trace_input){source, name, false}, options ? options : &no_options,
                             out, err);
    if (status != HABITAT_OK)
        add_place(err, name);
    return status;
}

habitat_status habitat_trace_read(const char *path, habitat_trace **out, habitat_error *err) {
    return trace_read_limited(path, SOURCE_LIMIT_BYTES, false, out, err);
}

habitat_status habitat_trace_read_with(const char *path, const habitat_read_options *options,
                                       habitat_trace **out, habitat_error *err) {
    habitat_status status = check_options(options, err);
    if (status != HABITAT_OK)
        return status;
    return read_path(path, SOURCE_LIMIT_BYTES, false, options ? options : &no_options, out, err);
}

habitat_status trace_read_memory_as(const void *data, size_t size_bytes, const char *name,
                                    bool slow_only, habitat_trace **out, habitat_error *err) {
    habitat_error local = {0};
    trace_source *source;
    if (!err)
        err = &local;
    if ((!data && size_bytes) || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no data or no place for the trace");
    if (!name)
        name = "memory";
    habitat_status status = source_memory(data, size_bytes, name, SOURCE_LIMIT_BYTES, &source, err);
    if (status == HABITAT_OK) {
        status = build(&trace_reader_chrome, &(trace_input){source, name, slow_only}, &no_options,
                       out, err);
        source_close(source);
        if (status == HABITAT_OK)
            (*out)->from_memory = true;
        else if (err->byte != UINT64_MAX)
            err->line = source_line_of_memory(data, size_bytes, err->byte);
    }
    if (status != HABITAT_OK)
        add_place(err, name);
    return status;
}

habitat_status habitat_trace_read_memory(const void *data, size_t size_bytes, const char *name,
                                         habitat_trace **out, habitat_error *err) {
    return trace_read_memory_as(data, size_bytes, name, false, out, err);
}
