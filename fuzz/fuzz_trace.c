/* Trace reader: any bytes, in both ways of reading, which must agree; and whatever is read must be
 * consistent in itself. Disagreement traps, so that the fuzzer and the replay see it. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <habitat/trace.h>

#include "fuzz_path.h"
#include "trace/read.h"
#include "trace_holds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same_calls(const habitat_trace *a, const habitat_trace *b) {
    size_t count, other;
    const habitat_call *c = habitat_trace_calls(a, &count), *d = habitat_trace_calls(b, &other);
    must(count == other);
    for (size_t i = 0; i < count; i++) {
        must(!strcmp(c[i].form->name, d[i].form->name) && c[i].form->kind == d[i].form->kind);
        must(c[i].start_ns == d[i].start_ns && c[i].duration_ns == d[i].duration_ns);
        must(c[i].form->thread == d[i].form->thread && c[i].correlation == d[i].correlation);
        must(c[i].operation == d[i].operation && c[i].iteration == d[i].iteration);
        must(c[i].form->device == d[i].form->device && c[i].form->stream == d[i].form->stream);
        must(c[i].form->driver == d[i].form->driver);
        must(!memcmp(habitat_trace_call_wait(a, (uint32_t)i),
                     habitat_trace_call_wait(b, (uint32_t)i), sizeof(habitat_call_wait)));
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
        must(!strcmp(o[i].form->name, p[i].form->name) && o[i].start_ns == p[i].start_ns);
        must(o[i].duration_ns == p[i].duration_ns);
        must(habitat_trace_numbered_as_parent(a, (uint32_t)i) ==
             habitat_trace_numbered_as_parent(b, (uint32_t)i));
        must(o[i].forward == p[i].forward && o[i].form->input_count == p[i].form->input_count);
        for (uint32_t j = 0; j < o[i].form->input_count; j++) {
            const habitat_input *in = &o[i].form->inputs[j], *jn = &p[i].form->inputs[j];
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
        must(!strcmp(k[i].form->name, l[i].form->name) && k[i].start_ns == l[i].start_ns);
        must(k[i].duration_ns == l[i].duration_ns && k[i].operation == l[i].operation);
        must(!memcmp(k[i].form->grid, l[i].form->grid, sizeof k[i].form->grid) &&
             k[i].form->bytes == l[i].form->bytes);
        must(k[i].form->registers_per_thread == l[i].form->registers_per_thread);
        must(same(k[i].form->flop, l[i].form->flop) &&
             same(k[i].form->dram_bytes, l[i].form->dram_bytes));
    }
}

/* From a file as from memory. */
static void check_file(const char *path, const habitat_trace *fast, habitat_status want) {
    habitat_trace *t = NULL;
    habitat_error err = {0};
    habitat_status status = habitat_trace_read(path, &t, &err);
    must(fast == NULL || (t != NULL && status == HABITAT_OK));
    if (t && fast) {
        check_same(fast, t);
        check_same_calls(fast, t);
    } else if (!t) /* bytes of a database or of a packed file are none of JSON */
        must(err.message[0] &&
             (status == want || status == HABITAT_E_PARSE || status == HABITAT_E_FORMAT ||
              status == HABITAT_E_UNSUPPORTED || status == HABITAT_E_NO_GPU));
    habitat_trace_free(t);
}

/* Divided into two iterations, or by the range "step": whatever fits is as consistent. */
static void check_asked(const char *path, bool by_range) {
    habitat_trace *t = NULL;
    habitat_error err = {0};
    habitat_read_options options = {.range = by_range ? "step" : NULL,
                                    .iterations = by_range ? 0 : 2};
    habitat_status status = habitat_trace_read_with(path, &options, &t, &err);
    if (t)
        check_trace(t);
    else
        check_refusal(status, &err);
    habitat_trace_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    habitat_trace *fast = NULL, *slow = NULL;
    habitat_error fast_error = {0}, slow_error = {0};
    habitat_status status = trace_read_memory_as(data, size, "fuzz", false, &fast, &fast_error);
    must(status == trace_read_memory_as(data, size, "fuzz", true, &slow, &slow_error));
    must((status == HABITAT_OK) == (fast != NULL));
    if (fast) {
        check_trace(fast);
        check_same(fast, slow);
        check_same_calls(fast, slow);
    } else {
        check_refusal(status, &fast_error);
        /* yajl places an unexpected token that came in two pieces less exactly than a whole one */
        if (status != HABITAT_E_PARSE) {
            must(!strcmp(fast_error.message, slow_error.message));
            must(fast_error.byte == slow_error.byte && fast_error.line == slow_error.line);
        }
    }
    if (size % 4 == 0) { /* not every time: files are slow */
        const char *path = fuzz_path(data, size);
        check_file(path, fast, status);
        check_asked(path, size % 8 == 0);
    }
    habitat_trace_free(fast);
    habitat_trace_free(slow);
    return 0;
}
