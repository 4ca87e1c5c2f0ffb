/* From a builder that holds all events to a trace. */
#include "trace/finish.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
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

/* A batch size that was said. Behind the check of notes: one that was left aside contradicts
 * nothing. Which of two is wrong nobody can tell. */
static habitat_status take_batch(const trace_builder *b, habitat_error *err) {
    habitat_trace_info *info = &b->trace->info;
    uint64_t said = b->options.batch_size;
    if (!said || said == info->batch_size)
        return HABITAT_OK;
    if (info->batch_size)
        return habitat_fail_at(err, HABITAT_E_ARG, info->file, UINT64_MAX, 0,
                               "the recording notes a batch size of %" PRIu64 ", and %" PRIu64
                               " is said; say %" PRIu64 ", or nothing",
                               info->batch_size, said, info->batch_size);
    info->batch_size = said;
    info->batch_size_said = true;
    return HABITAT_OK;
}

habitat_status trace_finish(trace_builder *b, habitat_trace **out, habitat_error *err) {
    inputs_free(b->inputs); /* first: linking needs memory, and this can be much */
    habitat_status status = trace_link(b, err);
    if (status != HABITAT_OK)
        return status;
    trace_check_notes(b->trace);
    status = take_batch(b, err);
    if (status != HABITAT_OK)
        return status;
    cut_correlations(b);
    shrink(b->trace);
    habitat_strings_close(&b->trace->strings);
    habitat_strings_close(&b->trace->forms);
    *out = b->trace;
    b->trace = NULL;
    trace_discard(b);
    return HABITAT_OK;
}
