/* What operations keep for the backward pass, and what their names tell of the iteration.
 *
 * The table follows PyTorch's derivatives (tools/autograd/derivatives.yaml). Operations that keep
 * nothing and make no tensor are not in it. */
#include "memory/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_memory.h"
#include "memory/optimizer.h"
#include "memory/sparse.h"
#include "trace/formats.h"
#include "trace/names.h"
#include "work/args.h"
#include "work/autocast.h"
#include "work/container.h"

/* name, flags, weights, result; sorted by name */
static const memory_rule rules[] = {
    {"_cdist_forward", KEEPS_0 | KEEPS_1 | KEEPS_RESULT, 0, RESULT_GRADIENT},
    {"_cudnn_rnn", KEEPS_0 | KEEPS_RESULT | IS_RECURRENT, 0, RESULT_WORK},
    {"_fused_rms_norm", KEEPS_0 | MAKES_STREAM, KEEPS_2, RESULT_LIKE},
    {"_grouped_mm", KEEPS_0 | KEEPS_1, KEEPS_1, RESULT_GRADIENT},
    {"_log_softmax", KEEPS_RESULT | IS_LOG_SOFTMAX, 0, RESULT_LIKE},
    {"_prelu_kernel", KEEPS_0, 0, RESULT_LIKE},
    {"_safe_softmax", KEEPS_RESULT | WEIGHS, 0, RESULT_LIKE},
    {"_softmax", KEEPS_RESULT | WEIGHS, 0, RESULT_LIKE},
    {"_sparse_addmm", IS_SPARSE_PRODUCT, 0, RESULT_WORK},
    {"_to_copy", IS_CAST, 0, RESULT_LIKE},
    {"_unsafe_index", 0, 0, RESULT_GRADIENT},
    {"abs", KEEPS_0, 0, RESULT_LIKE},
    {"adaptive_avg_pool2d", KEEPS_0, 0, RESULT_WORK},
    {"add", IS_SUM | MAKES_STREAM, 0, RESULT_LIKE},
    {"addcdiv", KEEPS_1 | KEEPS_2, 0, RESULT_LIKE},
    {"addcmul", KEEPS_1 | KEEPS_2, 0, RESULT_LIKE},
    {"addmm", KEEPS_1 | KEEPS_2 | IS_ADDED_PRODUCT, KEEPS_0 | KEEPS_2, RESULT_WORK},
    {"amax", KEEPS_0 | KEEPS_RESULT | COUNTS_ALIKE, 0, RESULT_GRADIENT},
    {"amin", KEEPS_0 | KEEPS_RESULT | COUNTS_ALIKE, 0, RESULT_GRADIENT},
    {"atan", KEEPS_0, 0, RESULT_LIKE},
    {"atan2", KEEPS_0 | KEEPS_1, 0, RESULT_LIKE},
    {"avg_pool2d", KEEPS_0, 0, RESULT_WORK},
    {"avg_pool3d", KEEPS_0, 0, RESULT_GRADIENT},
    {"baddbmm", KEEPS_1 | KEEPS_2, 0, RESULT_WORK},
    {"batch_norm", KEEPS_0 | MAKES_STREAM, KEEPS_1 | KEEPS_2, RESULT_LIKE},
    {"binary_cross_entropy", KEEPS_0, 0, RESULT_GRADIENT},
    {"binary_cross_entropy_with_logits", KEEPS_0, 0, RESULT_SCALAR},
    {"bmm", KEEPS_0 | KEEPS_1 | IS_BATCHED_PRODUCT, 0, RESULT_WORK},
    {"cat", MAKES_STREAM, 0, RESULT_JOINED},
    {"celu", KEEPS_0 | OVER_RESULT, 0, RESULT_LIKE},
    {"chunk", 0, 0, RESULT_PARTS},
    {"clamp", KEEPS_0, 0, RESULT_LIKE},
    {"clamp_max", KEEPS_0, 0, RESULT_LIKE},
    {"clamp_min", KEEPS_0, 0, RESULT_LIKE},
    {"clone", IS_SCALED, 0, RESULT_LIKE},
    {"col2im", 0, 0, RESULT_GRADIENT},
    {"constant_pad_nd", 0, 0, RESULT_GRADIENT},
    {"convolution", KEEPS_0 | IS_CONVOLUTION, KEEPS_1 | KEEPS_2, RESULT_WORK},
    {"cos", KEEPS_0, 0, RESULT_LIKE},
    {"cumprod", KEEPS_0 | KEEPS_RESULT, 0, RESULT_LIKE},
    {"cumsum", 0, 0, RESULT_LIKE},
    {"div", KEEPS_1 | KEEPS_DIVIDEND | IS_SCALED, 0, RESULT_LIKE},
    {"dot", KEEPS_0 | KEEPS_1, 0, RESULT_GRADIENT},
    {"elu", KEEPS_0 | OVER_RESULT, 0, RESULT_LIKE},
    {"embedding", MAKES_STREAM, KEEPS_0, RESULT_WORK},
    {"embedding_bag", KEEPS_WHOLE, KEEPS_0, RESULT_GRADIENT},
    {"erf", KEEPS_0, 0, RESULT_LIKE},
    {"exp", KEEPS_RESULT, 0, RESULT_LIKE},
    {"expm1", KEEPS_RESULT, 0, RESULT_LIKE},
    {"flip", 0, 0, RESULT_LIKE},
    {"gather", KEEPS_0 | KEEPS_WHOLE, 0, RESULT_GRADIENT},
    {"gelu", KEEPS_0, 0, RESULT_LIKE},
    {"glu", KEEPS_0, 0, RESULT_GRADIENT},
    {"grid_sampler_2d", KEEPS_0 | KEEPS_1, 0, RESULT_GRADIENT},
    {"grid_sampler_3d", KEEPS_0 | KEEPS_1, 0, RESULT_GRADIENT},
    {"group_norm", KEEPS_0 | MAKES_STREAM, KEEPS_2, RESULT_LIKE},
    {"hardsigmoid", KEEPS_0, 0, RESULT_LIKE},
    {"hardswish", KEEPS_0, 0, RESULT_LIKE},
    {"hardtanh", KEEPS_0, 0, RESULT_LIKE},
    {"huber_loss", KEEPS_0 | KEEPS_1, 0, RESULT_GRADIENT},
    {"im2col", 0, 0, RESULT_GRADIENT},
    {"index", 0, 0, RESULT_GRADIENT},
    {"index_add", KEEPS_3 | KEEPS_WHOLE | ONE_FORMAT, 0, RESULT_GRADIENT},
    {"index_copy", KEEPS_WHOLE, 0, RESULT_GRADIENT},
    {"index_fill", KEEPS_WHOLE, 0, RESULT_GRADIENT},
    {"index_put", 0, 0, RESULT_GRADIENT},
    {"index_select", KEEPS_WHOLE, 0, RESULT_GRADIENT},
    {"kl_div", KEEPS_0 | KEEPS_1, 0, RESULT_GRADIENT},
    {"l1_loss", KEEPS_0 | KEEPS_1, 0, RESULT_GRADIENT},
    {"layer_norm", KEEPS_0 | MAKES_STREAM, KEEPS_2, RESULT_LIKE},
    {"leaky_relu", KEEPS_0 | OVER_RESULT, 0, RESULT_LIKE},
    {"linalg_vector_norm", KEEPS_0 | KEEPS_RESULT, 0, RESULT_GRADIENT},
    {"linear", KEEPS_0, KEEPS_1 | KEEPS_2, RESULT_WORK},
    {"log", KEEPS_0, 0, RESULT_LIKE},
    {"log10", KEEPS_0, 0, RESULT_LIKE},
    {"log1p", KEEPS_0, 0, RESULT_LIKE},
    {"log2", KEEPS_0, 0, RESULT_LIKE},
    {"log_sigmoid_forward", KEEPS_0, 0, RESULT_LIKE},
    {"logsumexp", KEEPS_0 | KEEPS_RESULT, 0, RESULT_GRADIENT},
    {"masked_fill", KEEPS_WHOLE, 0, RESULT_LIKE},
    {"max", KEEPS_INDICES, 0, RESULT_GRADIENT},
    {"max_pool2d_with_indices", KEEPS_0 | KEEPS_INDICES, 0, RESULT_WORK},
    {"max_pool3d_with_indices", KEEPS_0 | KEEPS_INDICES, 0, RESULT_WORK},
    {"maximum", KEEPS_0 | KEEPS_1, 0, RESULT_LIKE},
    {"mean", 0, 0, RESULT_GRADIENT},
    {"min", KEEPS_INDICES, 0, RESULT_GRADIENT},
    {"minimum", KEEPS_0 | KEEPS_1, 0, RESULT_LIKE},
    {"mish", KEEPS_0, 0, RESULT_LIKE},
    {"mm", KEEPS_0 | KEEPS_1 | IS_PRODUCT, 0, RESULT_WORK},
    {"mse_loss", KEEPS_0 | KEEPS_1, 0, RESULT_GRADIENT},
    {"mul", KEEPS_FACTORS | IS_MULTIPLE | IS_SCALED, 0, RESULT_LIKE},
    {"mv", KEEPS_0 | KEEPS_1, 0, RESULT_GRADIENT},
    {"nan_to_num", KEEPS_0, 0, RESULT_LIKE},
    {"native_dropout", KEEPS_MASK, 0, RESULT_LIKE},
    {"neg", 0, 0, RESULT_LIKE},
    {"nll_loss2d_forward", KEEPS_0, 0, RESULT_SCALAR},
    {"nll_loss_forward", KEEPS_0, 0, RESULT_SCALAR},
    {"pixel_shuffle", 0, 0, RESULT_LIKE},
    {"pixel_unshuffle", 0, 0, RESULT_LIKE},
    {"pow", KEEPS_0 | IS_POWER, 0, RESULT_LIKE},
    {"prod", KEEPS_0 | KEEPS_RESULT, 0, RESULT_GRADIENT},
    {"reciprocal", KEEPS_RESULT, 0, RESULT_LIKE},
    {"reflection_pad1d", KEEPS_0, 0, RESULT_GRADIENT},
    {"reflection_pad2d", KEEPS_0, 0, RESULT_GRADIENT},
    {"relu", KEEPS_RESULT | MAKES_STREAM, 0, RESULT_LIKE},
    {"remainder", 0, 0, RESULT_LIKE},
    {"repeat", 0, 0, RESULT_GRADIENT},
    {"replication_pad1d", KEEPS_0, 0, RESULT_GRADIENT},
    {"replication_pad2d", KEEPS_0, 0, RESULT_GRADIENT},
    {"roll", 0, 0, RESULT_LIKE},
    {"rsqrt", KEEPS_RESULT, 0, RESULT_LIKE},
    {"rsub", 0, 0, RESULT_LIKE},
    {"scaled_dot_product_attention", KEEPS_ALL | KEEPS_RESULT | IS_ATTENTION, 0, RESULT_WORK},
    {"scatter", KEEPS_WHOLE, 0, RESULT_GRADIENT},
    {"scatter_add", KEEPS_WHOLE, 0, RESULT_GRADIENT},
    {"select", 0, 0, RESULT_VIEW},
    {"sigmoid", KEEPS_RESULT, 0, RESULT_LIKE},
    {"silu", KEEPS_0, 0, RESULT_LIKE},
    {"sin", KEEPS_0, 0, RESULT_LIKE},
    {"slice", 0, 0, RESULT_VIEW},
    {"smooth_l1_loss", KEEPS_0 | KEEPS_1, 0, RESULT_GRADIENT},
    {"softplus", KEEPS_0, 0, RESULT_LIKE},
    {"sort", KEEPS_INDICES, 0, RESULT_GRADIENT},
    {"split", 0, 0, RESULT_PARTS},
    {"split_with_sizes", 0, 0, RESULT_PARTS},
    {"sqrt", KEEPS_RESULT, 0, RESULT_LIKE},
    {"stack", 0, 0, RESULT_JOINED},
    {"std", KEEPS_0 | KEEPS_RESULT, 0, RESULT_GRADIENT},
    {"sub", 0, 0, RESULT_LIKE},
    {"sum", SPREADS, 0, RESULT_SCALAR},
    {"tanh", KEEPS_RESULT, 0, RESULT_LIKE},
    {"threshold", KEEPS_0, 0, RESULT_LIKE},
    {"topk", KEEPS_INDICES, 0, RESULT_GRADIENT},
    {"tril", 0, 0, RESULT_LIKE},
    {"triu", 0, 0, RESULT_LIKE},
    {"unbind", 0, 0, RESULT_PARTS},
    {"upsample_bicubic2d", 0, 0, RESULT_GRADIENT},
    {"upsample_bilinear2d", 0, 0, RESULT_GRADIENT},
    {"upsample_linear1d", 0, 0, RESULT_GRADIENT},
    {"upsample_nearest1d", 0, 0, RESULT_GRADIENT},
    {"upsample_nearest2d", 0, 0, RESULT_GRADIENT},
    {"upsample_nearest3d", 0, 0, RESULT_GRADIENT},
    {"upsample_trilinear3d", 0, 0, RESULT_GRADIENT},
    {"var", KEEPS_0 | KEEPS_RESULT, 0, RESULT_GRADIENT},
    {"where", KEEPS_WHOLE, 0, RESULT_GRADIENT},
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
    return memory_rule_cast(rule) == CAST_HALF && rule->weights && !(rule->flags & IS_CONVOLUTION);
}

bool memory_rule_makes_stream(const memory_rule *rule) {
    return rule->flags & MAKES_STREAM;
}

habitat_memory_format memory_tensors_in(memory_kind kind, habitat_memory_format format) {
    if (format != HABITAT_MEMORY_SINGLE && format != HABITAT_MEMORY_TF32)
        return format;
    return kind == MEMORY_KIND_SINGLE ? HABITAT_MEMORY_RECORDED : HABITAT_MEMORY_SINGLE;
}

/* --- what names tell of the iteration --------------------------------------------------------- */

/* A product of tensors in half precision. */
static bool half_product(const habitat_operation *o) {
    bool in_place;
    const memory_rule *rule = memory_rule_find(o->form->name, &in_place);
    if (!rule || memory_rule_cast(rule) != CAST_HALF)
        return false;
    for (uint32_t i = 0; i < o->form->input_count; i++)
        if (o->form->inputs[i].is_tensor && autocast_is_narrow(o->form->inputs[i].dtype))
            return true;
    return false;
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
    return listed || strstr(name, "_backward") || name_is_engine(name) ||
           name_is_optimizer_step(name);
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
                        : name_begins(o->form->name, "aten::conv");
    return product && weights && work_category(weights->dtype) == 2 &&
           !autocast_is_narrow(weights->dtype);
}

static void note(const habitat_operation *o, name_notes *n) {
    const char *name = o->form->name;
    n->single |= single_weights(o);
    n->half |= half_product(o);
    n->zero_grad |= name_begins(name, "Optimizer.zero_grad");
    n->zeroed |= name_begins(name, "aten::_foreach_zero_");
    n->optimiser |= name_is_optimizer_step(name);
    n->backward |= o->forward != HABITAT_NONE;
    n->trains |= trains(name);
}

/* Weights in half precision: those that are listed say so, else the products that take them.
 * Listed are those that are trained; beside them there may be more that are not, of which only the
 * formats are known: of several formats they have that which is not listed. */
static memory_kind kind_of(const habitat_trace_memory *m, const trace_formats *said,
                           const name_notes *n) {
    double half = 0, all = 0, bytes = 0;
    for (size_t i = 0; i < m->parameter_count; i++) {
        double elements = (double)m->parameters[i].elements;
        all += elements;
        half += autocast_is_narrow(m->parameters[i].dtype) ? elements : 0;
        bytes += elements * (double)habitat_dtype_bytes(m->parameters[i].dtype);
    }
    bool few = bytes < 0.5 * m->parameters_bytes && half < all;
    if ((few || all == 0) && autocast_is_narrow(said->some_parameters))
        return MEMORY_KIND_HALF;
    if (all > 0 ? half > 0.5 * all : n->half && !n->single)
        return MEMORY_KIND_HALF;
    return n->half ? MEMORY_KIND_AUTOCAST : MEMORY_KIND_SINGLE;
}

/* Whether a framework operation launched it: kernels of compilers keep what nobody lists. */
static bool is_listed(const habitat_operation *operations, uint32_t at) {
    for (; at != HABITAT_NONE; at = operations[at].parent)
        if (name_begins(operations[at].form->name, "aten::") ||
            operations[at].forward != HABITAT_NONE)
            return true;
    return false;
}

static double foreign_share(const habitat_trace *trace, const habitat_operation *operations) {
    size_t count, compute = 0, foreign = 0;
    const habitat_kernel *kernels = habitat_trace_kernels(trace, &count);
    for (size_t i = 0; i < count; i++) {
        if (kernels[i].iteration != 0 || kernels[i].form->kind != HABITAT_KERNEL_COMPUTE)
            continue;
        compute++;
        foreign += !is_listed(operations, kernels[i].operation);
    }
    return compute ? (double)foreign / (double)compute : 0;
}

/* A layer inside of a backward operation: computed once more, as checkpoints do. */
static bool is_recomputed(const habitat_operation *o) {
    return o->iteration == 0 && o->forward != HABITAT_NONE && work_is_layer(o->form->name);
}

/* Gradients are there until the script lets them go: many do so behind the forward pass, just
 * before the backward one. A script that does so behind the optimiser's step let them go before the
 * iteration began. */
static uint64_t zeroed_before_backward(const habitat_operation *operations, size_t count) {
    uint64_t backward_ns = UINT64_MAX, zeroed_ns = 0;
    for (size_t i = 0; i < count; i++)
        if (operations[i].iteration == 0 && operations[i].forward != HABITAT_NONE &&
            operations[i].start_ns < backward_ns)
            backward_ns = operations[i].start_ns;
    for (size_t i = 0; i < count; i++) {
        const habitat_operation *o = &operations[i];
        uint64_t end_ns = o->start_ns + o->duration_ns;
        if (o->iteration == 0 && end_ns <= backward_ns && end_ns > zeroed_ns &&
            name_begins(o->form->name, "Optimizer.zero_grad"))
            zeroed_ns = end_ns;
    }
    return backward_ns == UINT64_MAX ? 0 : zeroed_ns;
}

memory_facts memory_facts_of(const habitat_trace *trace, const habitat_trace_memory *noted) {
    memory_facts f = {.state_factor = 0};
    name_notes n = {0};
    size_t count;
    const habitat_operation *operations = habitat_trace_operations(trace, &count);
    for (size_t i = 0; i < count; i++)
        if (operations[i].iteration == 0)
            note(&operations[i], &n);
    for (size_t i = 0; i < count && !f.recomputes; i++)
        f.recomputes = is_recomputed(&operations[i]);
    f.rows_bytes = memory_rows_of(operations, count);
    f.kind = kind_of(noted, trace_formats_of(trace), &n);
    f.has_backward = n.backward;
    f.foreign_share = foreign_share(trace, operations);
    f.unlinked = (n.trains && !n.backward) || f.foreign_share > chosen_memory_foreign_share;
    f.zeroed_ns = zeroed_before_backward(operations, count);
    f.gradients_stay = n.zeroed || (n.backward && !n.zero_grad && !n.optimiser);
    for (size_t i = 0; i < count; i++) /* clipping makes such calls, too */
        if (operations[i].iteration == 0 && (!n.optimiser || memory_in_optimizer(operations, i)))
            note_list(&operations[i], &n);
    for (size_t i = 0; i < LIST_CALLS && !(f.weights > 0); i++)
        f.weights = n.listed[i];
    memory_optimizer optimizer = memory_optimizer_of(operations, count);
    f.state_factor = n.optimiser || n.backward ? optimizer.state : 0;
    f.step_lists = optimizer.lists;
    return f;
}
