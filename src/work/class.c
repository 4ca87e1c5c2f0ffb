/* The class table; see class.h. */
#include "work/class.h"

#include "base/words.h"

static const word names[] = {
    {"gemm", HABITAT_CLASS_GEMM, NULL},
    {"bmm", HABITAT_CLASS_BMM, NULL},
    {"conv", HABITAT_CLASS_CONV, NULL},
    {"attention", HABITAT_CLASS_ATTENTION, NULL},
    {"rnn", HABITAT_CLASS_RNN, NULL},
    {"elementwise", HABITAT_CLASS_ELEMENTWISE, NULL},
    {"softmax", HABITAT_CLASS_SOFTMAX, NULL},
    {"norm", HABITAT_CLASS_NORM, NULL},
    {"reduce", HABITAT_CLASS_REDUCE, NULL},
    {"pool", HABITAT_CLASS_POOL, NULL},
    {"embedding", HABITAT_CLASS_EMBEDDING, NULL},
    {"loss", HABITAT_CLASS_LOSS, NULL},
    {"optimizer", HABITAT_CLASS_OPTIMIZER, NULL},
    {"copy", HABITAT_CLASS_COPY, NULL},
    {"collective", HABITAT_CLASS_COLLECTIVE, NULL},
    {"other", HABITAT_CLASS_OTHER, NULL},
};
const vocabulary habitat_classes = VOCABULARY("class of operations", names);

static const class_facts facts[HABITAT_CLASS_COUNT] = {
    [HABITAT_CLASS_OTHER] = {.by_element = true, .arithmetic_by_name = true},
    [HABITAT_CLASS_GEMM] = {.shape = CLASS_SHAPE_GEMM,
                            .varying = true,
                            .product = true,
                            .arithmetic_by_name = true},
    [HABITAT_CLASS_BMM] = {.shape = CLASS_SHAPE_GEMM,
                           .varying = true,
                           .product = true,
                           .arithmetic_by_name = true},
    [HABITAT_CLASS_CONV] = {.shape = CLASS_SHAPE_CONV,
                            .varying = true,
                            .product = true,
                            .arithmetic_by_name = true,
                            .tf32_by_default = true},
    [HABITAT_CLASS_ATTENTION] = {.shape = CLASS_SHAPE_ATTENTION,
                                 .varying = true,
                                 .product = true,
                                 .arithmetic_by_name = true},
    [HABITAT_CLASS_RNN] = {.shape = CLASS_SHAPE_RNN,
                           .varying = true,
                           .product = true,
                           .arithmetic_by_name = true,
                           .tf32_by_default = true},
    [HABITAT_CLASS_NORM] = {.floating = true},
    [HABITAT_CLASS_SOFTMAX] = {.floating = true},
    [HABITAT_CLASS_ELEMENTWISE] = {.heading = "elemwise", .by_element = true, .overlaps = true},
    [HABITAT_CLASS_REDUCE] = {0},
    [HABITAT_CLASS_POOL] = {.overlaps = true},
    [HABITAT_CLASS_EMBEDDING] = {.overlaps = true},
    [HABITAT_CLASS_LOSS] = {0},
    [HABITAT_CLASS_OPTIMIZER] = {0},
    [HABITAT_CLASS_COPY] = {.by_element = true, .overlaps = true},
    [HABITAT_CLASS_COLLECTIVE] = {0},
};

const class_facts *class_of(habitat_class op_class) {
    return &facts[(unsigned)op_class < HABITAT_CLASS_COUNT ? op_class : HABITAT_CLASS_OTHER];
}

const char *habitat_class_name(habitat_class op_class) {
    const char *name = word_name(&habitat_classes, (int)op_class);
    return name ? name : word_name(&habitat_classes, HABITAT_CLASS_OTHER);
}

bool habitat_class_is_product(habitat_class op_class) {
    return class_of(op_class)->product;
}
