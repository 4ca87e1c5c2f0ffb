/* What a call into the runtime or driver asks for. */
#ifndef HABITAT_TRACE_CALLS_H
#define HABITAT_TRACE_CALLS_H

#include <habitat/trace.h>

/* Kind of a call, from its name. */
habitat_call_kind trace_call_kind(const char *name);

/* Whether the CPU waits in it for the GPU. */
static inline bool trace_call_waits(const habitat_call *call) {
    return call->form->kind == HABITAT_CALL_SYNCHRONISE_DEVICE ||
           call->form->kind == HABITAT_CALL_SYNCHRONISE_STREAM ||
           call->form->kind == HABITAT_CALL_SYNCHRONISE_EVENT;
}

#endif
