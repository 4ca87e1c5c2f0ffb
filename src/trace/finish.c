/* From a builder that holds all events to a trace. */
#include "trace/finish.h"

#include <stdlib.h>

#include "trace/inputs.h"
#include "trace/link.h"
#include "trace/notes.h"

/* Give back the room that growing left over. */
static void shrink(habitat_trace *t) {
    void *smaller;
    if (t->operation_count &&
        (smaller = realloc(t->operations, t->operation_count * sizeof *t->operations)))
        t->operations = smaller;
    if (t->kernel_count && (smaller = realloc(t->kernels, t->kernel_count * sizeof *t->kernels)))
        t->kernels = smaller;
    if (t->call_count && (smaller = realloc(t->calls, t->call_count * sizeof *t->calls)))
        t->calls = smaller;
}

/* Take off what only told processes apart. */
static void cut_correlations(const trace_builder *b) {
    habitat_trace *t = b->trace;
    if (!b->correlation_bits)
        return;
    for (size_t i = 0; i < t->loose_count; i++)
        t->loose[i].correlation &= b->correlation_bits;
    for (size_t i = 0; i < t->call_count; i++)
        t->calls[i].correlation &= b->correlation_bits;
}

habitat_status trace_finish(trace_builder *b, habitat_trace **out, habitat_error *err) {
    inputs_free(b->inputs); /* first: linking needs memory, and this can be much */
    habitat_status status = trace_link(b, err);
    if (status != HABITAT_OK)
        return status;
    trace_check_notes(b->trace);
    cut_correlations(b);
    shrink(b->trace);
    habitat_strings_close(&b->trace->strings);
    habitat_strings_close(&b->trace->forms);
    *out = b->trace;
    b->trace = NULL;
    trace_discard(b);
    return HABITAT_OK;
}
