/* What a recording says of its own number formats: keys of the "habitat" object. */
#ifndef HABITAT_TRACE_FORMATS_H
#define HABITAT_TRACE_FORMATS_H

#include <habitat/trace.h>

/* A switch of the recorded script. */
typedef enum trace_setting { TRACE_NOT_SAID = 0, TRACE_OFF, TRACE_ON } trace_setting;

typedef struct trace_formats {
    habitat_dtype autocast;         /* fp16 or bf16; UNKNOWN: none seen (compiled code hides it) */
    habitat_dtype parameters;       /* of all of them; UNKNOWN: not said, or of several formats */
    habitat_dtype some_parameters;  /* fp16 or bf16, one of several formats; UNKNOWN: none such */
    trace_setting matmul_tf32;      /* whether matrix products of fp32 may round to TF32 */
    trace_setting convolution_tf32; /* the same of convolutions and recurrent layers */
} trace_formats;

/* Borrowed from the trace. */
const trace_formats *trace_formats_of(const habitat_trace *trace);

#endif
