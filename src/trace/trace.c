/* What a trace says of itself. */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "trace/sha256.h"

void habitat_trace_free(habitat_trace *t) {
    if (!t)
        return;
    free(t->operations);
    free(t->modules);
    free(t->numbered);
    free(t->kernels);
    free(t->loose);
    free(t->calls);
    free(t->call_kernels);
    free(t->call_waits);
    free(t->iterations);
    free(t->iteration_ms_all);
    habitat_strings_free(&t->strings);
    habitat_strings_free(&t->forms);
    habitat_arena_free(&t->arena);
    free(t);
}

const habitat_trace_info *habitat_trace_get_info(const habitat_trace *t) {
    return &t->info;
}

const habitat_operation *habitat_trace_operations(const habitat_trace *t, size_t *count) {
    *count = t->operation_count;
    return t->operations;
}

uint32_t habitat_trace_module(const habitat_trace *t, uint32_t operation) {
    size_t low = 0; /* to behind the last run that begins at the operation or before */
    LIST_FIRST_NOT(low, t->module_run_count, t->modules[middle].first <= operation);
    return low ? t->modules[low - 1].module : HABITAT_NONE;
}

bool habitat_trace_numbered_as_parent(const habitat_trace *t, uint32_t operation) {
    return t->numbered && t->numbered[operation / 8] >> operation % 8 & 1;
}

const habitat_kernel *habitat_trace_kernels(const habitat_trace *t, size_t *count) {
    *count = t->kernel_count;
    return t->kernels;
}

const habitat_call *habitat_trace_calls(const habitat_trace *t, size_t *count) {
    *count = t->call_count;
    return t->calls;
}

const habitat_call *habitat_trace_launch(const habitat_trace *t, const habitat_kernel *kernel) {
    return kernel->call == HABITAT_NONE ? NULL : &t->calls[kernel->call];
}

static uint64_t loose_correlation(const habitat_trace *t, size_t kernel) {
    size_t low = 0;
    LIST_FIRST_NOT(low, t->loose_count, t->loose[middle].kernel < kernel);
    bool found = low < t->loose_count && t->loose[low].kernel == kernel;
    return found ? t->loose[low].correlation : 0;
}

uint64_t habitat_trace_correlation(const habitat_trace *t, const habitat_kernel *kernel) {
    uintptr_t first = (uintptr_t)t->kernels, at = (uintptr_t)kernel; /* of another list, maybe */
    uintptr_t end = first + t->kernel_count * sizeof *kernel;
    if (kernel->call != HABITAT_NONE)
        return t->calls[kernel->call].correlation;
    bool recorded = at >= first && at < end;
    return recorded ? loose_correlation(t, (at - first) / sizeof *kernel) : 0;
}

const uint32_t *habitat_trace_call_kernels(const habitat_trace *t, const habitat_call *call) {
    return t->call_kernels + call->first_kernel;
}

const habitat_call_wait *habitat_trace_call_wait(const habitat_trace *t, uint32_t call) {
    static const habitat_call_wait nothing = {HABITAT_NONE, HABITAT_NONE, HABITAT_NONE,
                                              HABITAT_NONE};
    size_t low = 0;
    LIST_FIRST_NOT(low, t->call_wait_count, t->call_waits[middle].call < call);
    bool found = low < t->call_wait_count && t->call_waits[low].call == call;
    return found ? &t->call_waits[low] : &nothing;
}

const habitat_iteration *habitat_trace_iterations(const habitat_trace *t, size_t *count) {
    *count = t->info.iteration_count;
    return t->iterations;
}

habitat_status habitat_trace_sha256(const habitat_trace *t, char out[65], habitat_error *err) {
    if (t->from_memory)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED, "a trace read from memory has no file");
    if (t->sha256[0]) {
        memcpy(out, t->sha256, sizeof t->sha256);
        return HABITAT_OK;
    }
    return sha256_file(t->info.file, t->info.file_bytes, t->modified_ns, out, err);
}

uint32_t trace_outwards(const habitat_trace *t, uint32_t at) {
    at = t->operations[at].parent;
    bool range = at != HABITAT_NONE && t->operations[at].form->kind == HABITAT_OPERATION_RANGE;
    return range ? HABITAT_NONE : at;
}

const trace_formats *trace_formats_of(const habitat_trace *t) {
    return &t->formats;
}
