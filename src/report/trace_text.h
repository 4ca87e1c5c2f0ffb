/* What a report on a trace is about, and its text: `habitat info` on a terminal. */
#ifndef HABITAT_REPORT_TRACE_TEXT_H
#define HABITAT_REPORT_TRACE_TEXT_H

#include <habitat/ask.h>
#include <habitat/memory.h>

#include "report/split.h"
#include "report/trace_missing.h"
#include "report/writer.h"
#include "trace/gradients.h"

/* What is counted over the trace's main device. */
typedef struct trace_counts {
    size_t kernels, copies, sets, collectives, graph_kernels, streams, operations, modules;
} trace_counts;

typedef struct trace_subject {
    const habitat_answer *what;
    const habitat_trace_info *trace;
    const habitat_workload_info *workload; /* NULL when the GPU is unknown */
    char sha256[65]; /* empty if unknown; for JSON and CSV only: it costs a second reading */
    trace_counts n;
    double kernel_ms, copy_ms, busy_ms; /* per iteration; of the trace where there is no workload */
    habitat_memory_parts memory;
    trace_gradients_source gradients;
    bool gradients_unsized; /* shown, and nothing says how large they are */
} trace_subject;

/* What the trace does not say: shape (MISSING_MAX); how many. */
static inline size_t trace_subject_missing(const trace_subject *s, missing *out) {
    return trace_missing(s->trace, s->workload != NULL, &s->memory, s->n.modules,
                         s->gradients_unsized, out);
}

/* NaN: not known. */
static inline double trace_subject_iteration_ms(const trace_subject *s) {
    return s->workload ? s->workload->iteration_ms : s->trace->iteration_ms;
}

/* order: of the rows of `classes`, the most time first. */
void trace_text(writer *w, const trace_subject *s, const split *classes, const size_t *order);

#endif
