/* What holds in every trace that was read, whatever the file said. What does not traps, so that the
 * fuzzer and the replay see it. */
#ifndef HABITAT_FUZZ_TRACE_HOLDS_H
#define HABITAT_FUZZ_TRACE_HOLDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <habitat/trace.h>

static inline void must(int holds) {
    if (!holds)
        __builtin_trap();
}

static inline void check_operations(const habitat_trace *t) {
    size_t count, iterations;
    const habitat_operation *o = habitat_trace_operations(t, &count);
    habitat_trace_iterations(t, &iterations);
    for (size_t i = 0; i < count; i++) {
        must(o[i].form->name && strlen(o[i].form->name) < SIZE_MAX);
        must(o[i].parent == HABITAT_NONE || o[i].parent < i);
        must(o[i].forward == HABITAT_NONE || o[i].forward < count);
        uint32_t module = habitat_trace_module(t, (uint32_t)i);
        must(module == HABITAT_NONE ||
             (module < count && o[module].form->kind == HABITAT_OPERATION_MODULE));
        must(o[i].parent != HABITAT_NONE || !habitat_trace_numbered_as_parent(t, (uint32_t)i));
        must(o[i].iteration == HABITAT_NONE || o[i].iteration < iterations);
        for (uint32_t j = 0; j < o[i].form->input_count; j++) {
            const habitat_input *in = &o[i].form->inputs[j];
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

static inline void check_kernels(const habitat_trace *t) {
    size_t count, operations, iterations, in_iterations = 0;
    const habitat_kernel *k = habitat_trace_kernels(t, &count);
    const habitat_iteration *it = habitat_trace_iterations(t, &iterations);
    habitat_trace_operations(t, &operations);
    bool without = habitat_trace_get_info(t)->without_gpu; /* recorded so: no kernels to have */
    must((count > 0 || without) && iterations > 0);
    for (size_t i = 0; i < count; i++) {
        must(k[i].form->name && (k[i].operation == HABITAT_NONE || k[i].operation < operations));
        must(k[i].iteration == HABITAT_NONE || k[i].iteration < iterations);
        must(i == 0 || k[i - 1].form->device < k[i].form->device ||
             (k[i - 1].form->device == k[i].form->device && k[i - 1].start_ns <= k[i].start_ns));
    }
    for (size_t i = 0; i < iterations; i++) {
        in_iterations += it[i].kernel_count + it[i].copy_count;
        must(it[i].busy_ms <= it[i].span_ms && it[i].kernel_ms >= 0);
    }
    must((in_iterations > 0 || without) && in_iterations <= count);
}

/* Calls are in order, and agree with the kernels about who launched whom. */
static inline void check_calls(const habitat_trace *t) {
    size_t count, kernels, operations, iterations, listed = 0, launched = 0;
    const habitat_call *c = habitat_trace_calls(t, &count);
    const habitat_kernel *k = habitat_trace_kernels(t, &kernels);
    habitat_trace_operations(t, &operations);
    habitat_trace_iterations(t, &iterations);
    for (size_t i = 0; i < count; i++) {
        must(c[i].form->name && (unsigned)c[i].form->kind < HABITAT_CALL_KINDS);
        must(c[i].operation == HABITAT_NONE || c[i].operation < operations);
        must(c[i].iteration == HABITAT_NONE || c[i].iteration < iterations);
        const habitat_call_wait *wait = habitat_trace_call_wait(t, (uint32_t)i);
        must(wait->waits_call == HABITAT_NONE || wait->waits_call < count);
        must(wait->call == HABITAT_NONE || wait->call == i);
        must(i == 0 || c[i - 1].form->thread < c[i].form->thread ||
             (c[i - 1].form->thread == c[i].form->thread && c[i - 1].start_ns <= c[i].start_ns));
        listed += c[i].kernel_count;
        const uint32_t *own = habitat_trace_call_kernels(t, &c[i]);
        for (uint32_t j = 0; j < c[i].kernel_count; j++)
            must(own[j] < kernels && k[own[j]].call == i);
    }
    for (size_t i = 0; i < kernels; i++) {
        launched += k[i].call != HABITAT_NONE;
        must((k[i].call == HABITAT_NONE) == !habitat_trace_launch(t, &k[i]));
        must(k[i].call == HABITAT_NONE || c[k[i].call].operation == k[i].operation);
    }
    must(listed == launched);
}

static inline void check_trace(const habitat_trace *t) {
    check_operations(t);
    check_kernels(t);
    check_calls(t);
}

/* A refusal says what and where. */
static inline void check_refusal(habitat_status status, const habitat_error *err) {
    must(err->code == status && err->message[0] && err->file[0]);
}

#endif
