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

/* What an operation keeps, how its gradients are made, and which one it is. */
enum {
    KEEPS_0 = 1 << 0, /* inputs kept for the backward pass */
    KEEPS_1 = 1 << 1,
    KEEPS_2 = 1 << 2,
    KEEPS_RESULT = 1 << 3,
    KEEPS_ALL = KEEPS_0 | KEEPS_1 | KEEPS_2,
    KEEPS_MASK = 1 << 4,    /* one byte for each element */
    KEEPS_INDICES = 1 << 5, /* eight bytes for each element of the result */
    KEEPS_FACTORS = 1 << 6, /* both factors of a product by elements */
    SPREADS = 1 << 7,       /* the gradient of what goes in shows that of the result many times */
    KEEPS_3 = 1 << 8,
    KEEPS_WHOLE = 1 << 9,     /* inputs of whole numbers and truth values: indices, masks */
    ONE_FORMAT = 1 << 10,     /* takes tensors of one number format only, that of its first */
    COUNTS_ALIKE = 1 << 11,   /* its backward operation counts which elements are the result */
    OVER_RESULT = 1 << 12,    /* in place it keeps its result instead of what it writes over */
    KEEPS_DIVIDEND = 1 << 13, /* what is divided, where the divisor needs a gradient */
    WEIGHS = 1 << 14,      /* its backward operation multiplies the gradient by the result first */
    IS_CAST = 1 << 15,     /* to another number format or device */
    IS_SUM = 1 << 16,      /* of two */
    IS_MULTIPLE = 1 << 17, /* a product by elements */
    IS_POWER = 1 << 18,
    IS_SCALED = 1 << 19, /* a copy of what goes in, or a multiple of it */
    IS_CONVOLUTION = 1 << 20,
    IS_PRODUCT = 1 << 21, /* of two matrices */
    IS_ADDED_PRODUCT = 1 << 22,
    IS_BATCHED_PRODUCT = 1 << 23,
    IS_SPARSE_PRODUCT = 1 << 24, /* the one that is named so */
    IS_LOG_SOFTMAX = 1 << 25,
    IS_RECURRENT = 1 << 26,
    IS_ATTENTION = 1 << 27,
    MAKES_STREAM = 1 << 28, /* what the residual connections of a network carry */
};

typedef struct memory_rule {
    const char *name; /* without "aten::" and without the "_" of in-place forms */
    uint32_t flags;   /* as above */
    uint8_t weights;  /* inputs that are weights where something else comes first: KEEPS_0 .. 2 */
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
