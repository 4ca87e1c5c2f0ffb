/* Trace reader: any bytes, in both ways of reading, which must agree; and whatever is read must be
 * consistent in itself. Disagreement traps, so that the fuzzer and the replay see it. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <habitat/trace.h>

#include "trace/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds) {
    if (!holds)
        __builtin_trap();
}

static void check_operations(const habitat_trace *t) {
    size_t count, iterations;
    const habitat_operation *o = habitat_trace_operations(t, &count);
    habitat_trace_iterations(t, &iterations);
    for (size_t i = 0; i < count; i++) {
        must(o[i].name && strlen(o[i].name) < SIZE_MAX);
        must(o[i].parent == HABITAT_NONE || o[i].parent < i);
        must(o[i].forward == HABITAT_NONE || o[i].forward < count);
        must(o[i].module == HABITAT_NONE ||
             (o[i].module < count && o[o[i].module].kind == HABITAT_OPERATION_MODULE));
        must(o[i].iteration == HABITAT_NONE || o[i].iteration < iterations);
        for (uint32_t j = 0; j < o[i].input_count; j++) {
            const habitat_input *in = &o[i].inputs[j];
            size_t numbers = in->rank;
            must(in->type != NULL && !(in->is_list && in->is_tensor));
            for (uint32_t k = 0; k < in->list_count; k++)
                numbers += 1 + (size_t)in->dims[numbers];
            int64_t sum = 0;
            for (size_t k = 0; k < numbers; k++) /* reads all of them */
                sum ^= in->dims[k] ^ (in->strides ? in->strides[k] : 0);
            must(sum != INT64_MIN || numbers);
        }
    }
}

static void check_kernels(const habitat_trace *t) {
    size_t count, operations, iterations, in_iterations = 0;
    const habitat_kernel *k = habitat_trace_kernels(t, &count);
    const habitat_iteration *it = habitat_trace_iterations(t, &iterations);
    habitat_trace_operations(t, &operations);
    must(count > 0 && iterations > 0);
    for (size_t i = 0; i < count; i++) {
        must(k[i].name && (k[i].operation == HABITAT_NONE || k[i].operation < operations));
        must(k[i].iteration == HABITAT_NONE || k[i].iteration < iterations);
        must(i == 0 || k[i - 1].device < k[i].device ||
             (k[i - 1].device == k[i].device && k[i - 1].start_ns <= k[i].start_ns));
    }
    for (size_t i = 0; i < iterations; i++) {
        in_iterations += it[i].kernel_count + it[i].copy_count;
        must(it[i].busy_ms <= it[i].span_ms && it[i].kernel_ms >= 0);
    }
    must(in_iterations > 0 && in_iterations <= count);
}

/* Calls are in order, and agree with the kernels about who launched whom. */
static void check_calls(const habitat_trace *t) {
    size_t count, kernels, operations, iterations, listed = 0, launched = 0;
    const habitat_call *c = habitat_trace_calls(t, &count);
    const habitat_kernel *k = habitat_trace_kernels(t, &kernels);
    habitat_trace_operations(t, &operations);
    habitat_trace_iterations(t, &iterations);
    for (size_t i = 0; i < count; i++) {
        must(c[i].name && (unsigned)c[i].kind < HABITAT_CALL_KINDS);
        must(c[i].operation == HABITAT_NONE || c[i].operation < operations);
        must(c[i].iteration == HABITAT_NONE || c[i].iteration < iterations);
        must(c[i].waits_call == HABITAT_NONE || c[i].waits_call < count);
        must(i == 0 || c[i - 1].thread < c[i].thread ||
             (c[i - 1].thread == c[i].thread && c[i - 1].start_ns <= c[i].start_ns));
        listed += c[i].kernel_count;
        for (uint32_t j = 0; j < c[i].kernel_count; j++)
            must(c[i].kernels[j] < kernels && k[c[i].kernels[j]].call == i);
    }
    for (size_t i = 0; i < kernels; i++) {
        launched += k[i].call != HABITAT_NONE;
        must((k[i].call == HABITAT_NONE) == (k[i].launch_thread == HABITAT_NONE));
        must(k[i].call == HABITAT_NONE || c[k[i].call].correlation == k[i].correlation);
        must(k[i].call == HABITAT_NONE || c[k[i].call].operation == k[i].operation);
    }
    must(listed == launched);
}

static void check_same_calls(const habitat_trace *a, const habitat_trace *b) {
    size_t count, other;
    const habitat_call *c = habitat_trace_calls(a, &count), *d = habitat_trace_calls(b, &other);
    must(count == other);
    for (size_t i = 0; i < count; i++) {
        must(!strcmp(c[i].name, d[i].name) && c[i].kind == d[i].kind);
        must(c[i].start_ns == d[i].start_ns && c[i].duration_ns == d[i].duration_ns);
        must(c[i].thread == d[i].thread && c[i].correlation == d[i].correlation);
        must(c[i].operation == d[i].operation && c[i].iteration == d[i].iteration);
        must(c[i].device == d[i].device && c[i].stream == d[i].stream);
        must(c[i].event == d[i].event && c[i].driver == d[i].driver);
        must(c[i].waits_stream == d[i].waits_stream && c[i].waits_call == d[i].waits_call);
        must(c[i].kernel_count == d[i].kernel_count);
    }
}

static int same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* The same trace, to the last field that reading decides. */
static void check_same(const habitat_trace *a, const habitat_trace *b) {
    const habitat_trace_info *x = habitat_trace_get_info(a), *y = habitat_trace_get_info(b);
    size_t count, other;
    must(x->trace_skipped_events == y->trace_skipped_events &&
         x->trace_unlinked_kernels == y->trace_unlinked_kernels);
    must(x->has_shapes == y->has_shapes && x->has_counters == y->has_counters);
    must(same(x->iteration_ms, y->iteration_ms) && x->batch_size == y->batch_size);
    const habitat_operation *o = habitat_trace_operations(a, &count);
    const habitat_operation *p = habitat_trace_operations(b, &other);
    must(count == other);
    for (size_t i = 0; i < count; i++) {
        must(!strcmp(o[i].name, p[i].name) && o[i].start_ns == p[i].start_ns);
        must(o[i].duration_ns == p[i].duration_ns && o[i].sequence == p[i].sequence);
        must(o[i].forward == p[i].forward && o[i].input_count == p[i].input_count);
        for (uint32_t j = 0; j < o[i].input_count; j++) {
            const habitat_input *in = &o[i].inputs[j], *jn = &p[i].inputs[j];
            must(in->rank == jn->rank && in->list_count == jn->list_count);
            must(!strcmp(in->type, jn->type) && !in->value == !jn->value);
            must(!in->value || !strcmp(in->value, jn->value));
            must(!in->strides == !jn->strides);
            must(!in->rank || !memcmp(in->dims, jn->dims, in->rank * sizeof *in->dims));
        }
    }
    const habitat_kernel *k = habitat_trace_kernels(a, &count);
    const habitat_kernel *l = habitat_trace_kernels(b, &other);
    must(count == other);
    for (size_t i = 0; i < count; i++) {
        must(!strcmp(k[i].name, l[i].name) && k[i].start_ns == l[i].start_ns);
        must(k[i].duration_ns == l[i].duration_ns && k[i].operation == l[i].operation);
        must(!memcmp(k[i].grid, l[i].grid, sizeof k[i].grid) && k[i].bytes == l[i].bytes);
        must(k[i].registers_per_thread == l[i].registers_per_thread);
        must(same(k[i].flop, l[i].flop) && same(k[i].dram_bytes, l[i].dram_bytes));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    habitat_trace *fast = NULL, *slow = NULL;
    habitat_error fast_error = {0}, slow_error = {0};
    habitat_status status = trace_read_memory_as(data, size, "fuzz", false, &fast, &fast_error);
    must(status == trace_read_memory_as(data, size, "fuzz", true, &slow, &slow_error));
    must((status == HABITAT_OK) == (fast != NULL));
    if (fast) {
        check_operations(fast);
        check_kernels(fast);
        check_calls(fast);
        check_same(fast, slow);
        check_same_calls(fast, slow);
    } else {
        must(fast_error.code == status && fast_error.message[0] && fast_error.file[0]);
        /* yajl places an unexpected token that came in two pieces less exactly than a whole one */
        if (status != HABITAT_E_PARSE) {
            must(!strcmp(fast_error.message, slow_error.message));
            must(fast_error.byte == slow_error.byte && fast_error.line == slow_error.line);
        }
    }
    habitat_trace_free(fast);
    habitat_trace_free(slow);
    return 0;
}
