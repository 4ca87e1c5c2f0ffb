/* State and lists of an optimiser.
 *
 * Its step works on lists of all tensors of a group of weights ("aten::_foreach_sqrt"), or on one
 * tensor after the other. The lists that are made live until a group is done: as many as calls
 * that make one, over the number of groups. */
#include "memory/optimizer.h"

#include <stdlib.h>
#include <string.h>

#include "trace/names.h"

static const char foreach[] = "aten::_foreach_";
static const char step[] = "Optimizer.step#";

bool memory_in_optimizer(const habitat_operation *operations, size_t at) {
    for (uint32_t i = operations[at].parent; i != HABITAT_NONE; i = operations[i].parent)
        if (name_is_optimizer_step(operations[i].form->name))
            return true;
    return false;
}

/* torch.optim 2.11: tensors as large as the weights that are kept for each. Not in it: SGD, which
 * its calls tell, and what keeps less than that (Adafactor). */
static double state_by_name(const char *name) {
    static const struct {
        const char *name;
        double state;
    } kept[] = {{"ASGD", 1},  {"Adadelta", 2}, {"Adagrad", 1}, {"Adam", 2},
                {"AdamW", 2}, {"Adamax", 2},   {"Muon", 1},    {"NAdam", 2},
                {"RAdam", 2}, {"RMSprop", 1},  {"Rprop", 2},   {"SparseAdam", 2}};
    if (!name_begins(name, step))
        return 0;
    name += strlen(step);
    size_t length = strcspn(name, ".");
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strlen(kept[i].name) == length && !strncmp(name, kept[i].name, length))
            return kept[i].state;
    return 0;
}

/* 2 momenta, 1, or none seen. `one`: of one tensor, where only a step says that it is one. */
static double state_by_call(const char *name, bool one) {
    if (name_begins(name, "aten::_fused_adam") || name_begins(name, "aten::_foreach_addcmul") ||
        name_begins(name, "aten::_foreach_lerp"))
        return 2;
    return name_begins(name, "aten::_fused_sgd") || name_begins(name, "aten::_foreach_mul_") ||
           (one && !strcmp(name, "aten::mul_"));
}

/* Calls that make a list of new tensors; `pow` is of the numbers of steps. */
static const char *const made[] = {"sqrt", "add", "mul", "div", "sub", "neg", "maximum"};
/* Calls of which each group makes the same number. */
static const char *const updates[] = {"add_",     "mul_",  "div_", "addcdiv_",
                                      "addcmul_", "lerp_", "sqrt_"};
enum { MADE = sizeof made / sizeof *made, UPDATES = sizeof updates / sizeof *updates };

typedef struct counts {
    size_t made[MADE], updates[UPDATES];
    double by_name, by_call;
} counts;

static void count_call(const char *name, bool inside, counts *c) {
    double state = state_by_call(name, inside);
    c->by_call = state > c->by_call ? state : c->by_call;
    if (!name_begins(name, foreach))
        return;
    name += strlen(foreach);
    for (size_t i = 0; i < MADE; i++)
        c->made[i] += !strcmp(name, made[i]);
    for (size_t i = 0; i < UPDATES; i++)
        c->updates[i] += !strcmp(name, updates[i]);
}

static size_t common_divisor(size_t a, size_t b) {
    while (b) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static double lists_of(const counts *c) {
    size_t groups = 0, calls = 0;
    for (size_t i = 0; i < MADE; i++) {
        groups = common_divisor(groups, c->made[i]);
        calls += c->made[i];
    }
    for (size_t i = 0; i < UPDATES; i++)
        groups = common_divisor(groups, c->updates[i]);
    return groups ? (double)calls / (double)groups : 0;
}

memory_optimizer memory_optimizer_of(const habitat_operation *operations, size_t count) {
    counts all = {0}, inside = {0};
    bool steps = false;
    for (size_t i = 0; i < count; i++) {
        const char *name = operations[i].form->name;
        if (operations[i].iteration != 0)
            continue;
        double state = state_by_name(name);
        inside.by_name = state > inside.by_name ? state : inside.by_name;
        steps |= name_is_optimizer_step(name);
        count_call(name, false, &all);
        if (memory_in_optimizer(operations, i))
            count_call(name, true, &inside);
    }
    const counts *c = steps ? &inside : &all;
    return (memory_optimizer){.state = c->by_name > 0 ? c->by_name : c->by_call,
                              .lists = lists_of(c)};
}
