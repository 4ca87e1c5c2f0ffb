/* Traces made for tests: a list of kernels and operations, written as Kineto writes them, read back
 * by the library's own reader. */
#ifndef HABITAT_TESTS_MADE_TRACE_H
#define HABITAT_TESTS_MADE_TRACE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <habitat/trace.h>

/* One kernel. With `op`, an operation of that name and input dims around its launch. Launches
 * follow one another on the CPU in the order of the list. */
typedef struct made_kernel {
    const char *name;
    const char *category; /* NULL: "kernel" */
    uint64_t start_ns, duration_ns;
    uint32_t stream;
    uint32_t grid, block, registers, shared_bytes;
    uint64_t bytes;     /* of a copy or set */
    const char *op;     /* NULL: none */
    const char *dims;   /* JSON, e.g. "[[64, 32], [32, 16]]" */
    bool with_previous; /* launched inside the previous kernel's operation */
    uint32_t iteration; /* range ProfilerStep#iteration, when the trace is asked for ranges */
} made_kernel;

typedef struct made_text {
    char *data;
    size_t used, capacity;
} made_text;

static inline void made_write(made_text *text, const char *format, ...) {
    va_list args;
    if (text->capacity - text->used < 4096) {
        text->capacity = 2 * text->capacity + 65536;
        text->data = realloc(text->data, text->capacity);
    }
    va_start(args, format);
    text->used +=
        (size_t)vsnprintf(text->data + text->used, text->capacity - text->used, format, args);
    va_end(args);
}

/* Launch i is at 10 us + i x 2 us on the CPU and 1 us long; its operation surrounds it. */
static inline void made_write_kernel(made_text *text, const made_kernel *list, size_t count,
                                     size_t i) {
    const made_kernel *k = &list[i];
    const char *category = k->category ? k->category : "kernel";
    double launch_us = 10.0 + 2.0 * (double)i;
    if (k->op && !k->with_previous) {
        size_t last = i;
        while (last + 1 < count && list[last + 1].with_previous)
            last++;
        made_write(
            text,
            "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": 1, \"tid\": 1, "
            "\"ts\": %.3f, \"dur\": %.3f, \"args\": {\"Input type\": [\"float\", \"float\"], "
            "\"Concrete Inputs\": [\"\", \"\"], \"Input Dims\": %s}},\n",
            k->op, launch_us - 0.2, 1.4 + 2.0 * (double)(last - i), k->dims);
    }
    made_write(text,
               "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", "
               "\"pid\": 1, \"tid\": 1, \"ts\": %.3f, \"dur\": 1.000, \"args\": {\"correlation\": "
               "%zu}},\n",
               launch_us, i + 1);
    made_write(
        text,
        "{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": 0, \"tid\": %u, \"ts\": "
        "%.3f, \"dur\": %.3f, \"args\": {\"device\": 0, \"stream\": %u, \"correlation\": "
        "%zu",
        category, k->name, k->stream, (double)k->start_ns / 1e3, (double)k->duration_ns / 1e3,
        k->stream, i + 1);
    if (k->bytes)
        made_write(text, ", \"bytes\": %llu}},\n", (unsigned long long)k->bytes);
    else
        made_write(text,
                   ", \"grid\": [%u, 1, 1], \"block\": [%u, 1, 1], \"registers per thread\": %u, "
                   "\"shared memory\": %u}},\n",
                   k->grid, k->block, k->registers, k->shared_bytes);
}

/* `order`: shape (count), positions in the file; NULL = as listed. `extra`: top-level JSON members
 * with a trailing comma, or "". ranges: number of ProfilerStep ranges, 0 = none; list is then
 * sorted by iteration. The caller frees the text. */
static inline char *made_trace_text(const made_kernel *list, size_t count, const size_t *order,
                                    const char *extra, uint32_t ranges, size_t *size) {
    made_text text = {0};
    made_write(&text,
               "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"made "
               "GPU\"}], %s \"traceEvents\": [\n",
               extra);
    for (uint32_t r = 0; r < ranges; r++) {
        size_t first = count, last = 0;
        for (size_t i = 0; i < count; i++)
            if (list[i].iteration == r) {
                first = i < first ? i : first;
                last = i;
            }
        made_write(&text,
                   "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#%u\", "
                   "\"pid\": 1, \"tid\": 1, \"ts\": %.3f, \"dur\": %.3f},\n",
                   r, 9.6 + 2.0 * (double)first, 1.8 + 2.0 * (double)(last - first));
    }
    for (size_t i = 0; i < count; i++)
        made_write_kernel(&text, list, count, order ? order[i] : i);
    made_write(&text,
               "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"args\": {\"name\": "
               "\"made\"}}]}\n");
    *size = text.used;
    return text.data;
}

/* The trace of a list, read by the library; NULL (and a line on stdout) if it does not read. */
static inline habitat_trace *made_trace(const made_kernel *list, size_t count, const size_t *order,
                                        const char *extra, uint32_t ranges) {
    size_t size = 0;
    habitat_trace *trace = NULL;
    habitat_error err = {0};
    char *text = made_trace_text(list, count, order, extra, ranges, &size);
    if (habitat_trace_read_memory(text, size, "made", &trace, &err) != HABITAT_OK)
        printf("# made trace does not read: %s\n", err.message);
    free(text);
    return trace;
}

/* The trace of `text` (freed here), read as one recorded without a GPU, which only files are; NULL
 * (and a line on stdout) if it does not read. */
static inline habitat_trace *made_trace_without_gpu(made_text *text) {
    const habitat_read_options options = {.without_gpu = true};
    habitat_trace *trace = NULL;
    habitat_error err = {0};
    char path[] = "/tmp/habitat-made-XXXXXX";
    int file = mkstemp(path);
    if (file < 0 || write(file, text->data, text->used) != (ssize_t)text->used)
        printf("# made trace is not written\n");
    else if (habitat_trace_read_with(path, &options, &trace, &err) != HABITAT_OK)
        printf("# made trace does not read: %s\n", err.message);
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    free(text->data);
    return trace;
}

#endif
