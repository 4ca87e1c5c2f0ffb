/* The formats that traces are read from. A reader looks at the first bytes, and puts what the file
 * holds into a builder; sorting and linking come after it and are the same for all.
 *
 * To add one: write src/trace/reader_NAME.c, which defines `trace_reader_NAME`, and put X(NAME)
 * into the list below. */
#ifndef HABITAT_TRACE_READERS_H
#define HABITAT_TRACE_READERS_H

#include "trace/build.h"
#include "trace/source.h"

/* What is to be read. */
typedef struct trace_input {
    trace_source *source; /* at its beginning; the caller closes it */
    const char *name;     /* the file's path where source_is_file(); for errors else */
    bool slow_only;       /* for tests: without the fast way of the Chrome traces' reader */
} trace_input;

typedef struct trace_reader {
    /* Is it of this format, as far as the first bytes (source_peek()) and the name tell? Most
     * formats are told by the bytes alone. Nothing may be read. */
    bool (*sniff)(const trace_source *source, const char *name);
    /* Fill the builder: operations, calls, kernels, devices, facts of the trace, info.format. An
     * error says what is wrong and what to do; with err->byte where in the uncompressed text. */
    habitat_status (*read)(trace_builder *builder, const trace_input *input, habitat_error *err);
} trace_reader;

/* The first that says yes reads the file; the last one says yes to everything. */
#define TRACE_READERS(X)                                                                           \
    X(packed)                                                                                      \
    X(nsys_report)                                                                                 \
    X(nsys)                                                                                        \
    X(chrome)

#define TRACE_DECLARE_READER(name) extern const trace_reader trace_reader_##name;
TRACE_READERS(TRACE_DECLARE_READER)
#undef TRACE_DECLARE_READER

#endif
