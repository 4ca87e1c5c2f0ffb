/* Inside of steps.c and input_tensors.c: the walk over a forward pass, and the operation at hand.
 */
#ifndef HABITAT_MEMORY_CALL_H
#define HABITAT_MEMORY_CALL_H

#include "memory/links.h"
#include "memory/shared.h"
#include "memory/tensors.h"
#include "memory/workspace.h"

enum { MEMORY_TAKEN_MAX = 256 }; /* DenseNet-264 joins 65 tensors */

typedef struct memory_walk {
    const habitat_trace *trace;
    const habitat_operation *operations;
    size_t count;
    const habitat_trace_memory *memory;
    habitat_memory_format format, asked; /* of tensors; as asked for */
    bool copies; /* recorded products take half-precision copies of weights */
    bool alone;  /* there is no backward pass: tensors go with their last use */
    memory_links links;
    const memory_workspaces *spaces;
    bool *covered;        /* shape (count): it or one around it is a step, or is left out */
    habitat_table sizes;  /* of weights, by elements */
    memory_shared shared; /* weights that may be met more than once */
    memory_tensors tensors;
    double casts_left; /* bytes of autocast's copies of weights that are not made yet */
    memory_steps *out;
    bool no_memory, began; /* began: some operation has made a tensor that is no copy of a weight */
} memory_walk;

/* One operation that is looked at. */
typedef struct memory_call {
    memory_walk *w;
    const habitat_operation *op;
    const memory_rule *rule;
    bool in_place, cross_entropy, kept;
    bool frozen;                   /* a product whose weights are not trained */
    const habitat_input *gradient; /* of an opaque operation: that of its result; else NULL */
    uint32_t leaves; /* of an opaque one: weights whose gradients are ready right behind it */
    bool sparse;     /* a product with a sparse matrix, of which no numbers are shown */
    uint32_t sparse_input;
    memory_step step;
    uint32_t taken[MEMORY_TAKEN_MAX]; /* tensors; HABITAT_NONE for weights */
    uint32_t input[MEMORY_TAKEN_MAX]; /* which input each is */
    uint32_t count;
    double weight_bytes;  /* of an element of the widest weight that has no place of its own */
    double host_elements; /* of a tensor that lies in the host's memory */
} memory_call;

/* Index of its operation. */
size_t memory_call_index(const memory_call *c);

/* Something of that name is inside of an operation; next: called by it and by nothing between. */
bool memory_walk_calls(const memory_walk *w, size_t i, const char *name, bool next);

/* Bytes of an element of an input in the walk's format. */
double memory_input_bytes(const memory_walk *w, const habitat_input *in);

/* results.c: elements of what it makes; NaN unknown. */
double memory_result_elements(const memory_call *c);

/* kept.c: what of a tensor it keeps, in bytes for each element; in bytes of its own. inside: made
 * where it is kept. */
void memory_call_keep(memory_call *c, uint32_t tensor, double bytes);
void memory_call_keep_bytes(memory_call *c, double bytes, bool inside);

/* frozen.c: an operation's weights get no gradient although what went in gets one. */
bool memory_is_frozen(const memory_walk *w, size_t i);

/* opaque.c */
bool memory_is_opaque(const memory_walk *w, size_t i);
void memory_opaque_take(memory_walk *w, size_t i);

/* Finds the tensors and weights that the operation takes. */
void memory_call_take(memory_call *c);

#endif
