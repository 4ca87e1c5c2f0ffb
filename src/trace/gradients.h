/* The gradients of a recorded training step: how large they are, in the order of the model. */
#ifndef HABITAT_TRACE_GRADIENTS_H
#define HABITAT_TRACE_GRADIENTS_H

#include <habitat/trace.h>

typedef enum trace_gradients_source {
    TRACE_GRADIENTS_NONE = 0, /* no sizes */
    TRACE_GRADIENTS_NOTED,    /* the recording lists the model's parameters */
    TRACE_GRADIENTS_SHAPES,   /* the shapes of what autograd adds to the parameters */
} trace_gradients_source;

typedef struct trace_gradients {
    const habitat_parameter *all; /* shape (count), in the order in which the model has them: the
                                     backward pass is done with the last one first */
    size_t count;
    trace_gradients_source source;
    bool shown;             /* the recording shows gradients, with or without shapes */
    habitat_parameter *own; /* freed with it */
} trace_gradients;

/* Whether operation i adds a gradient to its parameter (autograd's AccumulateGrad): the outermost
 * operation that does. */
bool trace_adds_gradient(const habitat_operation *all, uint32_t i);

/* HABITAT_E_MEMORY. Free in every case. */
habitat_status trace_gradients_of(const habitat_trace *t, trace_gradients *out, habitat_error *err);
void trace_gradients_free(trace_gradients *g);

/* How many backward passes of an iteration add to the same gradients: the parts into which a step
 * that accumulates divides its batch. 1 without any. HABITAT_E_MEMORY. */
habitat_status trace_backward_passes(const habitat_trace *t, uint32_t *out, habitat_error *err);

/* "noted", "shapes", or NULL. */
const char *trace_gradients_source_name(trace_gradients_source source);

#endif
