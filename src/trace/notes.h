/* What a recording notes of its step, held against the events. */
#ifndef HABITAT_TRACE_NOTES_H
#define HABITAT_TRACE_NOTES_H

#include "trace/trace.h"

/* Iterations are known. What is noted of other steps, or contradicts the events, is left out of the
 * facts, and others of them say so. */
void trace_check_notes(habitat_trace *trace);

#endif
