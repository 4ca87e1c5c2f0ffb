/* How operations of the forward pass treat the tensors that they take. */
#ifndef HABITAT_MEMORY_RULES_H
#define HABITAT_MEMORY_RULES_H

#include "memory/model.h"

/* What autocast does with an operation. */
typedef enum rule_cast {
    CAST_NONE = 0, /* works in what it is given; mixed inputs make the wider one */
    CAST_HALF,     /* products: inputs and result in half precision */
    CAST_SINGLE,   /* sums of many, exponentials: inputs and result in fp32 */
} rule_cast;

/* How many elements come out. */
typedef enum rule_result {
    RESULT_LIKE = 0, /* as many as the largest tensor in */
    RESULT_WORK,     /* as the work rules of src/work count them */
    RESULT_JOINED,   /* all that come in */
    RESULT_SCALAR,
    RESULT_PARTS,    /* views of what comes in, which they divide among them */
    RESULT_VIEW,     /* a view of a part of what comes in */
    RESULT_GRADIENT, /* as its backward operation shows, else as RESULT_WORK */
} rule_result;

enum {
    KEEPS_0 = 1, /* inputs kept for the backward pass */
    KEEPS_1 = 2,
    KEEPS_2 = 4,
    KEEPS_RESULT = 8,
    KEEPS_ALL = KEEPS_0 | KEEPS_1 | KEEPS_2,
    KEEPS_MASK = 16,    /* one byte for each element */
    KEEPS_INDICES = 32, /* eight bytes for each element of the result */
    KEEPS_FACTORS = 64, /* both factors of a product by elements */
    SPREADS = 128,      /* the gradient of what goes in shows that of the result many times */
    KEEPS_3 = 256,
    KEEPS_WHOLE = 512,     /* inputs of whole numbers and truth values: indices, masks */
    ONE_FORMAT = 1024,     /* takes tensors of one number format only, that of its first */
    OVER_RESULT = 4096,    /* in place it keeps its result instead of what it writes over */
    KEEPS_DIVIDEND = 8192, /* what is divided, where the divisor needs a gradient */
    COUNTS_ALIKE = 2048,   /* its backward operation counts which elements are the result */
    WEIGHS = 16384,        /* its backward operation multiplies the gradient by the result first */
};

typedef struct memory_rule {
    const char *name; /* without "aten::" and without the "_" of in-place forms */
    uint16_t keeps;
    uint8_t weights; /* inputs that are weights where something else comes first: bits as above */
    rule_result result;
} memory_rule;

/* The rule of an operation, or NULL: look into what it calls. `in_place`: its result is its first
 * input. */
const memory_rule *memory_rule_find(const char *name, bool *in_place);

/* What autocast does with it, by the lists of work/autocast.h. */
rule_cast memory_rule_cast(const memory_rule *rule);

/* linear, addmm: products with weights. */
bool memory_rule_is_projection(const memory_rule *rule);

/* It makes what the residual connections of a network carry. */
bool memory_rule_makes_stream(const memory_rule *rule);

/* What tensors are in; TF32 is arithmetic, its tensors are those of strict fp32. */
habitat_memory_format memory_tensors_in(memory_kind kind, habitat_memory_format format);

#endif
