/* What a call into the runtime or driver asks for. */
#ifndef HABITAT_TRACE_CALLS_H
#define HABITAT_TRACE_CALLS_H

#include <habitat/trace.h>

/* Kind of a call, from its name. */
habitat_call_kind trace_call_kind(const char *name);

#endif
