/* Made traces of any length, for tests of the memory that an event takes: layers of operations with
 * one launch and one kernel each. Seven layers differ; then they come again. */
#ifndef HABITAT_TESTS_MADE_LAYERS_H
#define HABITAT_TESTS_MADE_LAYERS_H

#include "made_trace.h"

enum { MADE_LAYERS = 7 };

/* The operations of layer i, between 10 i and 10 i + 10 us. */
typedef void (*made_layer_operations)(made_text *text, size_t i);

static inline void made_write_layer(made_text *text, size_t i, made_layer_operations operations) {
    unsigned layer = (unsigned)(i % MADE_LAYERS), at = 10 * (unsigned)i;
    operations(text, i);
    made_write(
        text,
        "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", "
        "\"pid\": 1, \"tid\": 1, \"ts\": %u, \"dur\": 1, \"args\": {\"correlation\": %zu}},\n"
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm_%u\", \"pid\": 0, \"tid\": 7, "
        "\"ts\": %u, \"dur\": 3, \"args\": {\"device\": 0, \"stream\": 7, \"correlation\": "
        "%zu, \"grid\": [%u, 1, 1], \"block\": [128, 1, 1], \"registers per thread\": 64, "
        "\"shared memory\": 4096}},\n",
        at + 2, i + 1, layer, at + 5, i + 1, layer + 1);
}

/* head: top-level JSON members with a trailing comma, or "". The caller frees the text. */
static inline made_text made_layers(const char *head, size_t count,
                                    made_layer_operations operations) {
    made_text text = {NULL, 0, 0};
    made_write(&text, "{%s\"traceEvents\": [\n", head);
    for (size_t i = 0; i < count; i++)
        made_write_layer(&text, i, operations);
    made_write(&text, "{\"ph\": \"M\", \"name\": \"end\"}]}");
    return text;
}

#endif
