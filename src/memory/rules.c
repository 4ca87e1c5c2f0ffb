/* What operations keep for the backward pass, and what their names tell of the iteration.
 *
 * The table follows PyTorch's derivatives (tools/autograd/derivatives.yaml). Operations that keep
 * nothing and make no tensor are not in it. */
#include "memory/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "work/args.h"
#include "work/autocast.h"

/* name, kept, weights, result; sorted by name */
static const memory_rule rules[] = {
    {"_cudnn_rnn", KEEPS_0 | KEEPS_RESULT, 0, RESULT_WORK},
    {"_fused_rms_norm", KEEPS_0, KEEPS_2, RESULT_LIKE},
    {"_log_softmax", KEEPS_RESULT, 0, RESULT_LIKE},
    {"_softmax", KEEPS_RESULT, 0, RESULT_LIKE},
    {"_to_copy", 0, 0, RESULT_LIKE},
    {"adaptive_avg_pool2d", KEEPS_0, 0, RESULT_WORK},
    {"add", 0, 0, RESULT_LIKE},
    {"addmm", KEEPS_1 | KEEPS_2, KEEPS_0 | KEEPS_2, RESULT_WORK},
    {"avg_pool2d", KEEPS_0, 0, RESULT_WORK},
    {"baddbmm", KEEPS_1 | KEEPS_2, 0, RESULT_WORK},
    {"batch_norm", KEEPS_0, KEEPS_1 | KEEPS_2, RESULT_LIKE},
    {"binary_cross_entropy_with_logits", KEEPS_0, 0, RESULT_SCALAR},
    {"bmm", KEEPS_0 | KEEPS_1, 0, RESULT_WORK},
    {"cat", 0, 0, RESULT_JOINED},
    {"chunk", 0, 0, RESULT_PARTS},
    {"clamp", KEEPS_0, 0, RESULT_LIKE},
    {"clamp_min", KEEPS_0, 0, RESULT_LIKE},
    {"clone", 0, 0, RESULT_LIKE},
    {"convolution", KEEPS_0, KEEPS_1 | KEEPS_2, RESULT_WORK},
    {"div", KEEPS_1, 0, RESULT_LIKE},
    {"elu", KEEPS_0, 0, RESULT_LIKE},
    {"embedding", 0, KEEPS_0, RESULT_WORK},
    {"exp", KEEPS_RESULT, 0, RESULT_LIKE},
    {"gelu", KEEPS_0, 0, RESULT_LIKE},
    {"group_norm", KEEPS_0, KEEPS_2, RESULT_LIKE},
    {"hardswish", KEEPS_0, 0, RESULT_LIKE},
    {"hardtanh", KEEPS_0, 0, RESULT_LIKE},
    {"layer_norm", KEEPS_0, KEEPS_2, RESULT_LIKE},
    {"leaky_relu", KEEPS_RESULT, 0, RESULT_LIKE}, /* as often in place: its sign will do */
    {"linear", KEEPS_0, KEEPS_1 | KEEPS_2, RESULT_WORK},
    {"log", KEEPS_0, 0, RESULT_LIKE},
    {"max_pool2d_with_indices", KEEPS_0 | KEEPS_INDICES, 0, RESULT_WORK},
    {"mm", KEEPS_0 | KEEPS_1, 0, RESULT_WORK},
    {"mul", KEEPS_FACTORS, 0, RESULT_LIKE},
    {"native_dropout", KEEPS_MASK, 0, RESULT_LIKE},
    {"neg", 0, 0, RESULT_LIKE},
    {"nll_loss2d_forward", KEEPS_0, 0, RESULT_SCALAR},
    {"nll_loss_forward", KEEPS_0, 0, RESULT_SCALAR},
    {"pow", KEEPS_0, 0, RESULT_LIKE},
    {"relu", KEEPS_RESULT, 0, RESULT_LIKE},
    {"rsqrt", KEEPS_RESULT, 0, RESULT_LIKE},
    {"scaled_dot_product_attention", KEEPS_ALL | KEEPS_RESULT, 0, RESULT_WORK},
    {"sigmoid", KEEPS_RESULT, 0, RESULT_LIKE},
    {"silu", KEEPS_0, 0, RESULT_LIKE},
    {"split", 0, 0, RESULT_PARTS},
    {"split_with_sizes", 0, 0, RESULT_PARTS},
    {"stack", 0, 0, RESULT_JOINED},
    {"sub", 0, 0, RESULT_LIKE},
    {"sum", SPREADS, 0, RESULT_SCALAR},
    {"tanh", KEEPS_RESULT, 0, RESULT_LIKE},
};

enum { RULE_COUNT = sizeof rules / sizeof *rules, NAME_MAX_BYTES = 48 };

static int by_name(const void *key, const void *rule) {
    return strcmp(key, ((const memory_rule *)rule)->name);
}

const memory_rule *memory_rule_find(const char *name, bool *in_place) {
    char text[NAME_MAX_BYTES];
    size_t length = strlen(name);
    *in_place = false;
    if (length < 6 || strncmp(name, "aten::", 6) != 0 || length - 6 >= sizeof text)
        return NULL;
    memcpy(text, name + 6, length - 5);
    length -= 6;
    if (length > 1 && text[length - 1] == '_') {
        text[length - 1] = 0;
        *in_place = true;
    }
    return bsearch(text, rules, RULE_COUNT, sizeof *rules, by_name);
}

rule_cast memory_rule_cast(const memory_rule *rule) {
    switch (autocast_of(rule->name)) {
    case AUTOCAST_NARROW:
        return CAST_HALF;
    case AUTOCAST_WIDE:
    case AUTOCAST_WIDE_INSIDE:
        return CAST_SINGLE;
    case AUTOCAST_NOT_LISTED:
        break;
    }
    return CAST_NONE;
}

bool memory_rule_is_projection(const memory_rule *rule) {
    return memory_rule_cast(rule) == CAST_HALF && rule->weights &&
           strcmp(rule->name, "convolution") != 0;
}

bool memory_rule_makes_stream(const memory_rule *rule) {
    static const char *const names[] = {"add",  "batch_norm", "_fused_rms_norm", "layer_norm",
                                        "relu", "group_norm", "embedding",       "cat"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(rule->name, names[i]))
            return true;
    return false;
}

habitat_memory_format memory_tensors_in(memory_kind kind, habitat_memory_format format) {
    if (format != HABITAT_MEMORY_SINGLE && format != HABITAT_MEMORY_TF32)
        return format;
    return kind == MEMORY_KIND_SINGLE ? HABITAT_MEMORY_RECORDED : HABITAT_MEMORY_SINGLE;
}

/* --- what names tell of the iteration --------------------------------------------------------- */

static bool starts(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_half(habitat_dtype dtype) {
    return dtype == HABITAT_DTYPE_FP16 || dtype == HABITAT_DTYPE_BF16;
}

/* A product of tensors in half precision. */
static bool half_product(const habitat_operation *o) {
    bool in_place;
    const memory_rule *rule = memory_rule_find(o->form->name, &in_place);
    if (!rule || memory_rule_cast(rule) != CAST_HALF)
        return false;
    for (uint32_t i = 0; i < o->form->input_count; i++)
        if (o->form->inputs[i].is_tensor && is_half(o->form->inputs[i].dtype))
            return true;
    return false;
}

/* Lists of new tensors, as optimisers make them on the way (their square roots, say). */
static bool makes_list(const char *name) {
    static const char *const made[] = {"sqrt", "add", "mul", "div", "sub", "neg", "pow", "maximum"};
    if (!starts(name, "aten::_foreach_"))
        return false;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (!strcmp(name + strlen("aten::_foreach_"), made[i]))
            return true;
    return false;
}

/* State over weights, of the optimiser that makes such calls: 2 momenta, 1, or none seen. */
static double state_of(const char *name, double before) {
    if (starts(name, "aten::_fused_adam") || starts(name, "aten::_foreach_addcmul") ||
        starts(name, "aten::_foreach_lerp"))
        return 2;
    if (starts(name, "aten::_fused_sgd") || starts(name, "aten::_foreach_mul_"))
        return fmax(before, 1);
    return before;
}

/* Calls of an optimiser that are made once for each list of weights, the surest first. */
static const char *const list_calls[] = {"aten::_fused_adamw_", "aten::_fused_adam_",
                                         "aten::_fused_sgd_",   "aten::_foreach_addcdiv_",
                                         "aten::_foreach_mul_", "aten::_foreach_add_"};
enum { LIST_CALLS = sizeof list_calls / sizeof *list_calls };

/* Only training calls it. */
static bool trains(const char *name) {
    bool listed = false;
    for (size_t i = 0; i < LIST_CALLS && !listed; i++)
        listed = !strcmp(name, list_calls[i]);
    return listed || strstr(name, "_backward") || starts(name, "autograd::engine::") ||
           starts(name, "Optimizer.step");
}

typedef struct name_notes {
    bool single, half, zero_grad, zeroed, optimiser, backward;
    bool trains;               /* a backward pass or an optimiser's step is there, linked or not */
    double listed[LIST_CALLS]; /* elements of their first lists */
} name_notes;

/* Elements of a list of tensors. */
static double list_elements(const habitat_input *list) {
    const int64_t *dims = list->dims;
    double sum = 0;
    for (uint32_t i = 0; i < list->list_count; i++) {
        double elements = 1;
        int64_t rank = *dims++;
        for (int64_t k = 0; k < rank; k++)
            elements *= (double)*dims++;
        sum += elements;
    }
    return sum;
}

static void note_list(const habitat_operation *o, name_notes *n) {
    for (size_t i = 0; i < LIST_CALLS; i++)
        if (!strcmp(o->form->name, list_calls[i]) && o->form->input_count &&
            o->form->inputs[0].is_list)
            n->listed[i] += list_elements(&o->form->inputs[0]);
}

/* A product with weights in fp32: under autocast the call that casts them has them so; of a
 * convolution that is the one around it, `conv2d` or the like. */
static bool single_weights(const habitat_operation *o) {
    bool in_place;
    const memory_rule *rule = memory_rule_find(o->form->name, &in_place);
    const habitat_input *weights = work_tensor(o, 1);
    bool product = rule ? memory_rule_cast(rule) == CAST_HALF && rule->weights & KEEPS_1
                        : starts(o->form->name, "aten::conv");
    return product && weights && work_category(weights->dtype) == 2 && !is_half(weights->dtype);
}

static void note(const habitat_operation *o, name_notes *n, memory_facts *f) {
    const char *name = o->form->name;
    n->single |= single_weights(o);
    note_list(o, n);
    n->half |= half_product(o);
    n->zero_grad |= starts(name, "Optimizer.zero_grad");
    n->zeroed |= starts(name, "aten::_foreach_zero_");
    n->optimiser |= starts(name, "Optimizer.step");
    n->backward |= o->forward != HABITAT_NONE;
    n->trains |= trains(name);
    f->list_temporary |= makes_list(name);
    f->state_factor = state_of(name, f->state_factor);
}

/* Weights in half precision: those that are listed say so, else the products that take them. */
static memory_kind kind_of(const habitat_trace_memory *m, const name_notes *n) {
    double half = 0, all = 0;
    for (size_t i = 0; i < m->parameter_count; i++) {
        all += (double)m->parameters[i].elements;
        half += is_half(m->parameters[i].dtype) ? (double)m->parameters[i].elements : 0;
    }
    if (all > 0 ? half > 0.5 * all : n->half && !n->single)
        return MEMORY_KIND_HALF;
    return n->half ? MEMORY_KIND_AUTOCAST : MEMORY_KIND_SINGLE;
}

/* Whether a framework operation launched it: kernels of compilers keep what nobody lists. */
static bool is_listed(const habitat_operation *operations, uint32_t at) {
    for (; at != HABITAT_NONE; at = operations[at].parent)
        if (starts(operations[at].form->name, "aten::") || operations[at].forward != HABITAT_NONE)
            return true;
    return false;
}

static bool has_foreign(const habitat_trace *trace, const habitat_operation *operations) {
    size_t count, compute = 0, foreign = 0;
    const habitat_kernel *kernels = habitat_trace_kernels(trace, &count);
    for (size_t i = 0; i < count; i++) {
        if (kernels[i].iteration != 0 || kernels[i].form->kind != HABITAT_KERNEL_COMPUTE)
            continue;
        compute++;
        foreign += !is_listed(operations, kernels[i].operation);
    }
    return (double)foreign > chosen_memory_foreign_share * (double)compute;
}

memory_facts memory_facts_of(const habitat_trace *trace, const habitat_trace_memory *noted) {
    memory_facts f = {.state_factor = 0};
    name_notes n = {0};
    size_t count;
    const habitat_operation *operations = habitat_trace_operations(trace, &count);
    for (size_t i = 0; i < count; i++)
        if (operations[i].iteration == 0)
            note(&operations[i], &n, &f);
    f.kind = kind_of(noted, &n);
    f.has_backward = n.backward;
    f.unlinked = (n.trains && !n.backward) || has_foreign(trace, operations);
    f.gradients_stay = n.zeroed || (n.backward && !n.zero_grad && !n.optimiser);
    for (size_t i = 0; i < LIST_CALLS && !(f.weights > 0); i++)
        f.weights = n.listed[i];
    if (!n.optimiser)
        f.state_factor = n.backward ? f.state_factor : 0;
    return f;
}
