/* What each operation of a forward pass keeps in memory for the backward pass.
 *
 * A trace lists operations with the shapes and formats of their inputs, not which tensor each one
 * is. So tensors are followed by their number of elements: an operation takes the newest one that
 * has as many. A tensor that several operations keep counts once. In other formats than the
 * recorded ones, each tensor gets the format that autocast would give it. */
#include "memory/tensors.h"
#include "memory/workspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "work/args.h"

enum { TAKEN_MAX = 16, LOOK_AHEAD = 64 };
static const double half_bytes = 2, single_bytes = 4, mask_bytes = 1, index_bytes = 8;

typedef struct walk {
    const habitat_trace *trace;
    const habitat_operation *operations;
    size_t count;
    const habitat_trace_memory *memory;
    habitat_memory_format format, asked; /* of tensors; as asked for */
    bool copies;           /* recorded products take half-precision copies of weights */
    uint64_t *backward_ns; /* shape (count): when the backward operation of each runs */
    memory_workspaces spaces;
    bool *covered;       /* shape (count): it or one around it is a step, or is left out */
    habitat_table sizes; /* of weights, by elements */
    memory_tensors tensors;
    memory_steps *out;
    bool no_memory, began; /* began: some operation has made a tensor that is no copy of a weight */
} walk;

/* One operation that is looked at. */
typedef struct call {
    walk *w;
    const habitat_operation *op;
    const memory_rule *rule;
    bool in_place, cross_entropy, kept;
    memory_step step;
    uint32_t taken[TAKEN_MAX]; /* tensors; HABITAT_NONE for weights */
    uint32_t input[TAKEN_MAX]; /* which input each is */
    uint32_t count;
    double single_factor; /* elements of the smaller of two factors, if they differ much */
} call;

/* --- tensors in --------------------------------------------------------------------------------
 */

static double element_bytes(const walk *w, const habitat_input *in) {
    return w->format == HABITAT_MEMORY_RECORDED ? (double)habitat_dtype_bytes(in->dtype)
                                                : single_bytes;
}

static bool weight_place(const call *c, uint32_t input) {
    return input > 0 ? c->rule->weights >> (input < 2 ? input : 2) & 1 : c->rule->weights & KEEPS_0;
}

/* Some tensor of so many elements is in this format. Autocast's casts of weights read fp32, where
 * activations are half: with some batch sizes both have as many elements. */
static bool is_there(const walk *w, double elements, double bytes) {
    return memory_tensors_have(&w->tensors, elements,
                               w->format == HABITAT_MEMORY_RECORDED ? bytes : 0);
}

/* Weights stand at their place; where a rule names none, a size tells them that no tensor has. */
static bool is_weight(const call *c, uint32_t input, const habitat_input *in) {
    if (weight_place(c, input))
        return true;
    double elements = work_elements(in);
    return !c->rule->weights && !is_there(c->w, elements, element_bytes(c->w, in)) &&
           memory_sizes_have(&c->w->sizes, c->w->memory, elements);
}

static void take_tensor(call *c, uint32_t input, double elements, double bytes,
                        memory_preference preference) {
    walk *w = c->w;
    if (c->count == TAKEN_MAX || !(elements > 0))
        return;
    uint32_t at = memory_tensors_find(&w->tensors, elements, preference, c->taken, c->count);
    if (at == HABITAT_NONE) {
        /* read before anything is made: the script's batch, there as long as the script runs */
        bool batch = !w->began && bytes > 0;
        w->out->batch_bytes += batch ? elements * bytes : 0;
        memory_tensor made = {.elements = elements,
                              .element_bytes = bytes,
                              .kept_bytes = batch ? bytes : 0,
                              .base = HABITAT_NONE,
                              .made_ns = UINT64_MAX,
                              .used_ns = UINT64_MAX};
        if (!memory_tensors_add(&w->tensors, &made)) {
            w->no_memory = true;
            return;
        }
        at = w->tensors.count - 1;
    } else if (w->format == HABITAT_MEMORY_RECORDED && bytes > 0) {
        w->tensors.all[at].element_bytes = bytes;
    }
    c->taken[c->count] = at;
    c->input[c->count++] = input;
}

/* A sum of two alike: its first operand is what the residual connection carries. */
static bool is_residual(const call *c) {
    const habitat_input *a = work_tensor(c->op, 0), *b = work_tensor(c->op, 1);
    return a && b && !strcmp(c->rule->name, "add") && a->rank == b->rank &&
           work_elements(a) == work_elements(b);
}

/* Where weights are fp32, a product that takes half precision keeps a copy for its backward. */
static void take_weight(call *c, double elements, double bytes) {
    c->step.weights += elements;
    if (c->kept && c->w->copies && memory_rule_cast(c->rule) == CAST_HALF && bytes == half_bytes)
        c->step.casts += bytes * elements;
}

/* linear, addmm: products with weights. */
static bool is_projection(const memory_rule *rule) {
    return memory_rule_cast(rule) == CAST_HALF && rule->weights &&
           strcmp(rule->name, "convolution") != 0;
}

static void take_list(call *c, uint32_t input, const habitat_input *in) {
    const int64_t *dims = in->dims;
    for (uint32_t i = 0; i < in->list_count; i++) {
        int64_t rank = *dims++;
        double elements = 1;
        for (int64_t k = 0; k < rank; k++)
            elements *= (double)*dims++;
        if (c->rule->result == RESULT_JOINED)
            take_tensor(c, input, elements, 0, PREFER_NEWEST);
        else /* of a recurrent network, of which no format is recorded */
            take_weight(c, elements, half_bytes);
    }
}

static void take_inputs(call *c) {
    memory_preference first = is_residual(c)           ? PREFER_STREAM
                              : is_projection(c->rule) ? PREFER_UNPROJECTED
                                                       : PREFER_NEWEST;
    for (uint32_t i = 0; i < c->op->form->input_count; i++) {
        const habitat_input *in = &c->op->form->inputs[i];
        if (in->is_list)
            take_list(c, i, in);
        if (!in->is_tensor || !in->rank || work_category(in->dtype) != 2)
            continue;
        double elements = work_elements(in);
        if (is_weight(c, i, in))
            take_weight(c, elements, (double)habitat_dtype_bytes(in->dtype));
        else
            take_tensor(c, i, elements, element_bytes(c->w, in), c->count ? PREFER_NEWEST : first);
    }
}

/* --- what is kept ------------------------------------------------------------------------------
 */

static void note_size(const call *c, double bytes) {
    c->w->out->largest_bytes = fmax(c->w->out->largest_bytes, bytes);
}

static void keep(call *c, uint32_t tensor, double bytes) {
    memory_tensors *t = &c->w->tensors;
    memory_tensor *base = &t->all[t->all[tensor].base];
    double more = (bytes - base->kept_bytes) * base->elements;
    if (!c->kept || !(more > 0))
        return;
    base->kept_bytes = bytes;
    *(base->weight ? &c->step.casts : &c->step.kept) += more;
}

static rule_cast cast_of(const call *c) {
    if (c->w->format != HABITAT_MEMORY_AUTOCAST || c->rule->keeps & SPREADS)
        return CAST_NONE;
    /* inside cross_entropy_loss autocast does not see the softmax */
    return c->cross_entropy && !strcmp(c->rule->name, "_log_softmax") ? CAST_NONE
                                                                      : memory_rule_cast(c->rule);
}

/* An input in the format that the operation works in: the tensor itself, or a copy of its own. */
static void keep_input(call *c, uint32_t tensor) {
    const memory_tensor *t = &c->w->tensors.all[tensor];
    rule_cast cast = cast_of(c);
    double bytes = cast == CAST_HALF ? half_bytes : cast == CAST_SINGLE ? single_bytes : 0;
    if (bytes == 0 || bytes == t->element_bytes || t->weight)
        keep(c, tensor, t->element_bytes);
    else if (c->kept) {
        c->step.kept += bytes * t->elements;
        note_size(c, bytes * t->elements);
    }
}

/* A product by elements keeps both factors, but the large one alone only for a factor that needs a
 * gradient: a table of constants does not. */
static bool keeps_factor(const call *c, uint32_t i) {
    const memory_tensor *all = c->w->tensors.all;
    if (c->count < 2)
        return false;
    double mine = all[c->taken[i]].elements, other = all[c->taken[1 - i]].elements;
    return mine * 4 < other || !(other * 4 < mine);
}

static void keep_inputs(call *c) {
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t input = c->input[i];
        bool keeps = c->rule->keeps & KEEPS_FACTORS ? i < 2 && keeps_factor(c, i)
                     : input < 3                    ? c->rule->keeps >> input & 1
                                                    : false;
        if (keeps)
            keep_input(c, c->taken[i]);
    }
    if (memory_rule_cast(c->rule) == CAST_HALF && c->w->format == HABITAT_MEMORY_AUTOCAST &&
        c->kept)
        c->step.casts += half_bytes * c->step.weights;
}

/* --- tensors out -------------------------------------------------------------------------------
 */

static double largest_in(const call *c) {
    double largest = 0;
    for (uint32_t i = 0; i < c->count; i++)
        largest = fmax(largest, c->w->tensors.all[c->taken[i]].elements);
    return largest;
}

static double joined(const call *c) {
    double sum = 0;
    for (uint32_t i = 0; i < c->count; i++)
        sum += c->w->tensors.all[c->taken[i]].elements;
    return sum;
}

static double spatial(const habitat_conv_shape *s) {
    double product = 1;
    for (uint32_t i = 0; i < s->dims; i++)
        product *= s->out[i];
    return product;
}

/* Elements that the work rules say are written; NaN unknown. */
static double counted(const call *c) {
    habitat_work work;
    if (habitat_operation_work(c->op, &work) != HABITAT_OK || !work.known)
        return NAN;
    switch (work.op_class) {
    case HABITAT_CLASS_GEMM:
    case HABITAT_CLASS_BMM:
        return work.shape.gemm.b * work.shape.gemm.m * work.shape.gemm.n;
    case HABITAT_CLASS_CONV:
        return work.shape.conv.batch * work.shape.conv.c_out * spatial(&work.shape.conv);
    case HABITAT_CLASS_ATTENTION:
        return work.shape.attention.batch * work.shape.attention.heads *
               work.shape.attention.q_len * work.shape.attention.v_head_dim;
    case HABITAT_CLASS_RNN:
        return work.shape.rnn.steps * work.shape.rnn.batch * work.shape.rnn.hidden *
               (work.shape.rnn.bidirectional ? 2 : 1);
    default: {
        double index = c->rule->keeps & KEEPS_INDICES ? index_bytes : 0;
        return work.write_bytes / ((double)habitat_dtype_bytes(work.dtype) + index);
    }
    }
}

static double result_elements(const call *c) {
    double elements = c->rule->result == RESULT_WORK     ? counted(c)
                      : c->rule->result == RESULT_JOINED ? joined(c)
                      : c->rule->result == RESULT_SCALAR ? 1
                                                         : largest_in(c);
    return isfinite(elements) ? elements : largest_in(c);
}

/* Bytes of an element of the result. */
static double result_bytes(const call *c) {
    rule_cast cast = cast_of(c);
    if (cast != CAST_NONE)
        return cast == CAST_HALF ? half_bytes : single_bytes;
    habitat_dtype told =
        strcmp(c->rule->name, "_to_copy") ? HABITAT_DTYPE_UNKNOWN : work_dtype_argument(c->op, 1);
    if (told != HABITAT_DTYPE_UNKNOWN && c->w->format == HABITAT_MEMORY_RECORDED)
        return (double)habitat_dtype_bytes(told);
    double widest = 0;
    for (uint32_t i = 0; i < c->count; i++)
        widest = fmax(widest, c->w->tensors.all[c->taken[i]].element_bytes);
    return widest > 0 ? widest : single_bytes;
}

/* What the residual connections of a network carry. */
static bool makes_stream(const memory_rule *rule) {
    static const char *const names[] = {"add",  "batch_norm", "_fused_rms_norm", "layer_norm",
                                        "relu", "group_norm", "embedding",       "cat"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(rule->name, names[i]))
            return true;
    return false;
}

/* Views: what they keep is what they show. */
static void make_parts(call *c) {
    walk *w = c->w;
    size_t first = (size_t)(c->op - w->operations), parts = 0;
    for (size_t i = first + 1;
         i < w->count && w->operations[i].form->thread == c->op->form->thread &&
         w->operations[i].start_ns < c->op->start_ns + c->op->duration_ns;
         i++)
        parts += !strcmp(w->operations[i].form->name, "aten::narrow");
    if (!c->count || !parts)
        return;
    memory_tensor view = w->tensors.all[c->taken[0]];
    view.elements /= (double)parts;
    view.kept_bytes = 0;
    view.stream = view.projected = false;
    view.used_ns = UINT64_MAX;
    for (size_t i = 0; i < parts; i++)
        w->no_memory |= !memory_tensors_add(&w->tensors, &view);
}

/* A fused attention keeps a sum for each row. In fp32 none is fused whose queries share keys: that
 * keeps its probabilities, and queries, keys and values of one size; two more matrices of the size
 * of the probabilities pass by. */
static void keep_attention(call *c, double elements) {
    const habitat_input *q = work_tensor(c->op, 0), *k = work_tensor(c->op, 1);
    if (!q || !k || q->rank < 3 || k->rank < 3)
        return;
    double rows = work_elements(q) / work_dim(q, -1);
    bool shared = work_dim(q, -3) != work_dim(k, -3);
    if (c->w->format == HABITAT_MEMORY_SINGLE && shared) {
        double probabilities = single_bytes * rows * work_dim(k, -2);
        c->step.kept += probabilities + 3 * single_bytes * elements;
        c->step.moved += 2 * probabilities;
    } else {
        c->step.kept += single_bytes * rows;
    }
}

/* Besides the result: masks, indices, statistics of attention, all that a recurrent network needs
 * (its gates and states, which cuDNN keeps in fp32 whatever goes in). */
static void keep_extras(call *c, double elements) {
    if (c->rule->keeps & KEEPS_MASK)
        c->step.kept += mask_bytes * elements;
    if (c->rule->keeps & KEEPS_INDICES)
        c->step.kept += index_bytes * elements;
    habitat_work work;
    if (!strcmp(c->rule->name, "_cudnn_rnn") &&
        habitat_operation_work(c->op, &work) == HABITAT_OK && work.known) {
        double states = work.shape.rnn.gates + 1;
        c->step.kept += single_bytes * elements * work.shape.rnn.layers * states;
    }
    if (!strcmp(c->rule->name, "scaled_dot_product_attention"))
        keep_attention(c, elements);
}

static void make_result(call *c) {
    walk *w = c->w;
    double elements = result_elements(c), bytes = result_bytes(c);
    note_size(c, elements * bytes);
    if (c->in_place) {
        const memory_tensor *t = &w->tensors.all[c->taken[0]];
        if (c->rule->keeps & KEEPS_RESULT)
            keep(c, c->taken[0], t->element_bytes);
        else if (c->rule->keeps & KEEPS_0 && c->kept) /* a copy of what is written over */
            c->step.kept += t->elements * t->element_bytes;
        return;
    }
    if (c->kept)
        keep_extras(c, elements);
    bool weight = !c->count || w->tensors.all[c->taken[0]].weight;
    memory_tensor made = {.elements = elements,
                          .element_bytes = bytes,
                          .base = HABITAT_NONE,
                          .made_ns = c->step.backward_ns,
                          .used_ns = UINT64_MAX,
                          .weight = weight && !strcmp(c->rule->name, "_to_copy"),
                          .stream = makes_stream(c->rule),
                          .projected = is_projection(c->rule)};
    if (!(elements > 0))
        return;
    if (!memory_tensors_add(&w->tensors, &made)) {
        w->no_memory = true;
        return;
    }
    w->began |= !made.weight;
    if (!made.weight) {
        c->step.made = elements * bytes;
        c->step.moved += elements * bytes;
    }
    if (c->rule->keeps & KEEPS_RESULT)
        keep(c, w->tensors.count - 1, bytes);
}

/* A sum hands its gradient on to both sides as it is: it is the one tensor for both until what made
 * the later side is done with it. */
static uint64_t gradient_from(const call *c) {
    if (strcmp(c->rule->name, "add") != 0 || c->count < 2)
        return c->step.backward_ns;
    const memory_tensor *a = &c->w->tensors.all[c->taken[0]], *b = &c->w->tensors.all[c->taken[1]];
    uint64_t first = a->made_ns < b->made_ns ? a->made_ns : b->made_ns;
    return a->elements == b->elements && first != UINT64_MAX ? first : c->step.backward_ns;
}

static void note_gradients(const call *c) {
    uint64_t from = c->kept ? gradient_from(c) : UINT64_MAX;
    for (uint32_t i = 0; i < c->count; i++)
        memory_tensor_use(&c->w->tensors.all[c->taken[i]], from);
}

/* --- the walk ----------------------------------------------------------------------------------
 */

static double moved_in(const call *c) {
    double sum = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const memory_tensor *t = &c->w->tensors.all[c->taken[i]];
        rule_cast cast = cast_of(c);
        sum += t->weight ? 0
                         : t->elements * (cast == CAST_HALF     ? half_bytes
                                          : cast == CAST_SINGLE ? single_bytes
                                                                : t->element_bytes);
    }
    return sum;
}

static void note_loss(call *c) {
    memory_steps *s = c->w->out;
    if (strcmp(c->rule->name, "_log_softmax") != 0 || !c->count)
        return;
    const memory_tensor *t = &c->w->tensors.all[c->taken[0]];
    s->loss_elements = t->elements;
    s->loss_bytes = t->elements * t->element_bytes;
}

/* When the backward operation runs: of this one, or of one around it that counts as the same. */
static uint64_t backward_of(const walk *w, size_t i) {
    uint64_t when = w->backward_ns[i];
    for (size_t at = i; when == UINT64_MAX && w->operations[at].parent != HABITAT_NONE;) {
        size_t parent = w->operations[at].parent;
        if (!habitat_trace_numbered_as_parent(w->trace, (uint32_t)at))
            break;
        when = w->backward_ns[parent];
        at = parent;
    }
    return when;
}

/* The backward operation of what comes after it: runs just before its own, which no trace shows
 * where it launches nothing. */
static uint64_t backward_after(const walk *w, size_t i) {
    for (size_t k = i + 1; k < w->count && k - i < LOOK_AHEAD; k++)
        if (w->backward_ns[k] != UINT64_MAX &&
            w->operations[k].form->thread == w->operations[i].form->thread)
            return w->backward_ns[k];
    return UINT64_MAX;
}

static bool inside(const walk *w, const habitat_operation *o, const char *name) {
    for (uint32_t at = o->parent; at != HABITAT_NONE; at = w->operations[at].parent)
        if (!strcmp(w->operations[at].form->name, name))
            return true;
    return false;
}

/* Autocast sums in fp32; the gradient of a sum takes memory where it is cast back. */
static bool spreads_cast(const call *c) {
    bool autocast = c->w->copies || c->w->format == HABITAT_MEMORY_AUTOCAST;
    return autocast && c->count && c->w->tensors.all[c->taken[0]].element_bytes == half_bytes;
}

static void do_call(walk *w, size_t i, const memory_rule *rule, bool in_place) {
    const habitat_operation *op = &w->operations[i];
    call c = {.w = w, .op = op, .rule = rule, .in_place = in_place};
    c.step.forward_ns = op->start_ns;
    c.step.backward_ns = backward_of(w, i);
    if (rule->keeps & SPREADS && c.step.backward_ns == UINT64_MAX)
        c.step.backward_ns = backward_after(w, i);
    c.kept = c.step.backward_ns != UINT64_MAX;
    c.cross_entropy = inside(w, op, "aten::cross_entropy_loss");
    take_inputs(&c);
    if (w->no_memory || (!c.count && c.step.weights == 0))
        return;
    if (rule->keeps & SPREADS && !spreads_cast(&c))
        return;
    if (rule->result == RESULT_PARTS) {
        make_parts(&c);
        return;
    }
    if (memory_rule_cast(rule) == CAST_HALF)
        w->out->product_count++;
    w->out->blas = w->out->blas ||
                   (memory_rule_cast(rule) == CAST_HALF && strcmp(rule->name, "convolution") != 0);
    w->out->weights += c.step.weights;
    note_loss(&c);
    keep_inputs(&c);
    c.step.moved = moved_in(&c);
    note_gradients(&c);
    if (!in_place || c.count)
        make_result(&c);
    if (!c.kept || !(rule->weights || memory_rule_cast(rule) == CAST_HALF))
        c.step.weights = 0;
    memory_workspaces_take(&w->spaces, (uint32_t)i, w->asked, &c.step);
    w->no_memory |= !memory_steps_add(w->out, &c.step);
}

static bool calls(const walk *w, size_t i, const char *name) {
    const habitat_operation *o = &w->operations[i];
    for (size_t k = i + 1; k < w->count && w->operations[k].form->thread == o->form->thread &&
                           w->operations[k].start_ns < o->start_ns + o->duration_ns;
         k++)
        if (w->operations[k].parent == i && !strcmp(w->operations[k].form->name, name))
            return true;
    return false;
}

/* What an operation keeps may be what those that it calls keep. Under autocast it calls itself once
 * more, with its inputs cast. An attention that is made of products and a softmax keeps them,
 * unless half precision lets it be fused. */
static bool look_inside(const walk *w, size_t i, const memory_rule *rule) {
    if (w->format == HABITAT_MEMORY_RECORDED && memory_rule_cast(rule) != CAST_NONE &&
        calls(w, i, w->operations[i].form->name))
        return true;
    return !strcmp(rule->name, "scaled_dot_product_attention") &&
           w->format != HABITAT_MEMORY_AUTOCAST &&
           calls(w, i, "aten::_scaled_dot_product_attention_math");
}

static bool left_out(const walk *w, const habitat_operation *o) {
    return o->iteration != 0 || o->forward != HABITAT_NONE ||
           !strncmp(o->form->name, "autograd::", 10) || !strncmp(o->form->name, "Optimizer.", 10) ||
           (o->parent != HABITAT_NONE && w->covered[o->parent]);
}

/* Casts between real formats are made anew where other formats are asked for. */
static bool is_cast(const walk *w, const habitat_operation *o, const memory_rule *rule) {
    const habitat_input *in = work_tensor(o, 0);
    return w->format != HABITAT_MEMORY_RECORDED && !strcmp(rule->name, "_to_copy") && in &&
           work_category(in->dtype) == 2;
}

static void walk_operations(walk *w) {
    for (size_t i = 0; i < w->count && !w->no_memory; i++) {
        const habitat_operation *o = &w->operations[i];
        bool in_place;
        w->covered[i] = left_out(w, o);
        if (w->covered[i])
            continue;
        const memory_rule *rule = memory_rule_find(o->form->name, &in_place);
        if (!rule || !o->form->input_count || look_inside(w, i, rule))
            continue;
        w->covered[i] = true;
        if (!is_cast(w, o, rule))
            do_call(w, i, rule, in_place);
    }
}

/* When the first backward operation of each operation, or of one inside it, begins. */
static void note_backward(walk *w) {
    for (size_t i = 0; i < w->count; i++)
        w->backward_ns[i] = UINT64_MAX;
    for (size_t i = 0; i < w->count; i++) {
        const habitat_operation *o = &w->operations[i];
        if (o->iteration != 0)
            continue;
        for (uint32_t at = o->forward; at != HABITAT_NONE; at = w->operations[at].parent)
            if (o->start_ns < w->backward_ns[at])
                w->backward_ns[at] = o->start_ns;
    }
}

habitat_status memory_steps_of(const habitat_trace *trace, const habitat_trace_memory *noted,
                               memory_kind kind, habitat_memory_format format,
                               const habitat_gpu *origin, memory_steps *out) {
    walk w = {.trace = trace, .asked = format, .memory = noted, .out = out};
    w.format = memory_tensors_in(kind, format);
    w.copies = format == HABITAT_MEMORY_RECORDED && kind == MEMORY_KIND_AUTOCAST;
    w.operations = habitat_trace_operations(trace, &w.count);
    *out = (memory_steps){0};
    if (!w.count)
        return HABITAT_OK;
    w.backward_ns = malloc(w.count * sizeof *w.backward_ns);
    w.covered = calloc(w.count, sizeof *w.covered);
    w.no_memory = !w.backward_ns || !w.covered || !memory_sizes_note(&w.sizes, noted) ||
                  !memory_workspaces_of(trace, kind, origin, &w.spaces);
    if (!w.no_memory) {
        note_backward(&w);
        walk_operations(&w);
        out->convolutions = w.spaces.convolutions;
        out->tf32 = w.spaces.tf32;
        w.no_memory = w.no_memory || !memory_tensors_list_waits(&w.tensors, out);
    }
    free(w.backward_ns);
    free(w.covered);
    memory_workspaces_free(&w.spaces);
    habitat_table_free(&w.sizes);
    memory_tensors_free(&w.tensors);
    if (!w.no_memory)
        return HABITAT_OK;
    memory_steps_free(out);
    return HABITAT_E_MEMORY;
}
