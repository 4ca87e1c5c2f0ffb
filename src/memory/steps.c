/* What each operation of a forward pass keeps in memory for the backward pass.
 *
 * A trace lists operations with the shapes and formats of their inputs, not which tensor each one
 * is. So tensors are followed by their number of elements: an operation takes the newest one that
 * has as many. A tensor that several operations keep counts once. In other formats than the
 * recorded ones, each tensor gets the format that autocast would give it. */
#include "memory/call.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/format_bytes.h"
#include "trace/names.h"
#include "work/args.h"
#include "work/rnn_way.h"
#include "work/widening.h"

static const double mask_bytes = 1, index_bytes = 8;

/* --- what is kept ------------------------------------------------------------------------------
 */

static void note_size(const memory_call *c, double bytes) {
    c->w->out->largest_bytes = fmax(c->w->out->largest_bytes, bytes);
}

/* The operation of that name around one; HABITAT_NONE: there is none. */
static uint32_t around(const memory_walk *w, const habitat_operation *o, const char *name) {
    uint32_t at = o->parent;
    while (at != HABITAT_NONE && strcmp(w->operations[at].form->name, name) != 0)
        at = w->operations[at].parent;
    return at;
}

static bool inside(const memory_walk *w, const habitat_operation *o, const char *name) {
    return around(w, o, name) != HABITAT_NONE;
}

static const char attention_math[] = "aten::_scaled_dot_product_attention_math";

static rule_cast cast_of(const memory_call *c) {
    if (c->w->format != HABITAT_MEMORY_AUTOCAST || c->rule->flags & SPREADS)
        return CAST_NONE;
    if (inside(c->w, c->op, attention_math)) /* computes in fp32 what is given in half precision */
        return CAST_SINGLE;
    /* inside cross_entropy_loss autocast does not see the softmax */
    return c->cross_entropy && (c->rule->flags & IS_LOG_SOFTMAX) ? CAST_NONE
                                                                 : memory_rule_cast(c->rule);
}

/* Bytes of an element as the operation takes it; 0: as it is. */
static double taken_bytes(const memory_call *c) {
    rule_cast cast = cast_of(c);
    if (cast == CAST_NONE && c->rule->flags & ONE_FORMAT && c->count && c->input[0] == 0)
        return c->w->tensors.all[c->taken[0]].element_bytes;
    return cast == CAST_HALF ? HALF_BYTES : cast == CAST_SINGLE ? SINGLE_BYTES : 0;
}

/* An input in the format that the operation works in: the tensor itself, or a copy of its own. */
static void keep_input(memory_call *c, uint32_t tensor) {
    const memory_tensor *t = &c->w->tensors.all[tensor];
    double bytes = taken_bytes(c);
    if (bytes == 0 || bytes == t->element_bytes || t->weight)
        memory_call_keep(c, tensor, t->element_bytes);
    else if (c->kept) {
        memory_call_keep_bytes(c, bytes * t->elements, true);
        note_size(c, bytes * t->elements);
    }
}

/* A product by elements keeps both factors, but the large one alone only for a factor that needs a
 * gradient: a table of constants does not. */
static bool keeps_factor(const memory_call *c, uint32_t i) {
    const memory_tensor *all = c->w->tensors.all;
    if (c->count < 2) /* for the gradient of a weight */
        return c->step.weights > 0;
    const memory_tensor *mine = &all[c->taken[i]], *other = &all[c->taken[1 - i]];
    return mine->elements * 4 < other->elements || !(other->elements * 4 < mine->elements) ||
           other->made_ns != UINT64_MAX;
}

/* Indices and masks. What is expanded takes no more memory than before. */
static void keep_whole(memory_call *c) {
    for (uint32_t i = 0; i < c->op->form->input_count; i++) {
        const habitat_input *in = work_tensor(c->op, i);
        int category = in && in->rank ? work_category(in->dtype) : -1;
        double bytes = category == 0 || category == 1 ? work_bytes(in) : 0;
        memory_call_keep_bytes(c, isfinite(bytes) ? bytes : 0, true);
    }
}

/* A quotient's second operand is the network's, and needs a gradient. */
static bool divides_by_made(const memory_call *c) {
    return c->count == 2 && c->w->tensors.all[c->taken[1]].made_ns != UINT64_MAX;
}

static void keep_inputs(memory_call *c) {
    for (uint32_t i = 0; i < c->count && !c->sparse && !c->frozen; i++) {
        uint32_t input = c->input[i];
        bool keeps = c->rule->flags & KEEPS_FACTORS ? i < 2 && keeps_factor(c, i)
                     : input < 3                    ? c->rule->flags >> input & 1
                     : input == 3                   ? c->rule->flags & KEEPS_3
                                                    : false;
        bool dividend = c->rule->flags & KEEPS_DIVIDEND && input == 0 && divides_by_made(c);
        keeps |= input == 1 && c->rule->weights & KEEPS_1; /* weights that the network made */
        if (keeps || dividend)
            keep_input(c, c->taken[i]);
    }
    if (c->rule->flags & KEEPS_WHOLE && c->kept)
        keep_whole(c);
    if (memory_rule_cast(c->rule) == CAST_HALF && c->w->format == HABITAT_MEMORY_AUTOCAST &&
        (c->kept || c->w->alone))
        c->step.casts += HALF_BYTES * c->step.weights;
}

/* --- tensors out -------------------------------------------------------------------------------
 */

/* Bytes of an element of the result. */
static double result_bytes(const memory_call *c) {
    double taken = taken_bytes(c);
    if (taken > 0)
        return taken;
    habitat_dtype told =
        !(c->rule->flags & IS_CAST) ? HABITAT_DTYPE_UNKNOWN : work_dtype_argument(c->op, 1);
    if (told != HABITAT_DTYPE_UNKNOWN && c->w->format == HABITAT_MEMORY_RECORDED)
        return (double)habitat_dtype_bytes(told);
    double widest = c->w->format == HABITAT_MEMORY_RECORDED ? c->weight_bytes : 0;
    for (uint32_t i = 0; i < c->count; i++)
        widest = fmax(widest, c->w->tensors.all[c->taken[i]].element_bytes);
    return widest > 0             ? widest
           : c->host_elements > 0 ? memory_input_bytes(c->w, work_tensor(c->op, 0))
                                  : SINGLE_BYTES;
}

/* What is joined to nothing is there until the pass ends, whoever reads it: so caches of keys and
 * values begin. */
static bool stays(const memory_call *c) {
    for (uint32_t i = 0; c->rule->result == RESULT_JOINED && i < c->op->form->input_count; i++) {
        const habitat_input *in = &c->op->form->inputs[i];
        const int64_t *dims = in->dims;
        for (uint32_t k = 0; in->is_list && k < in->list_count; k++, dims += dims[0] + 1)
            if (dims[0] == 1 && dims[1] == 0)
                return true;
    }
    return false;
}

/* A fused attention keeps a sum for each row. In fp32 none is fused whose queries share keys: that
 * keeps its probabilities, and queries, keys and values of one size; two more matrices of the size
 * of the probabilities pass by. Without a backward pass the softmax's input, its result, and which
 * of them are masked, a byte each. */
static void keep_attention(memory_call *c, double elements) {
    const habitat_input *q = work_tensor(c->op, 0), *k = work_tensor(c->op, 1);
    if (!q || !k || q->rank < 3 || k->rank < 3)
        return;
    double rows = work_elements(q) / work_dim(q, -1);
    bool shared = work_dim(q, -3) != work_dim(k, -3);
    if (c->w->format == HABITAT_MEMORY_SINGLE && shared) {
        double probabilities = SINGLE_BYTES * rows * work_dim(k, -2);
        double masked = probabilities * mask_bytes / SINGLE_BYTES;
        memory_call_keep_bytes(
            c, (c->w->alone ? masked : probabilities) + 3 * SINGLE_BYTES * elements, true);
        c->step.moved += 2 * probabilities;
    } else {
        memory_call_keep_bytes(c, SINGLE_BYTES * rows, true);
    }
}

/* Besides the result: masks, indices, statistics of attention, all that a recurrent network needs
 * (its gates and states, and what goes from layer to layer, in its number format). */
static void keep_extras(memory_call *c, double elements, double bytes) {
    if (c->rule->flags & KEEPS_MASK)
        memory_call_keep_bytes(c, mask_bytes * elements, true);
    if (c->rule->flags & KEEPS_INDICES)
        memory_call_keep_bytes(c, index_bytes * elements, true);
    habitat_work work;
    if (!c->w->alone && (c->rule->flags & IS_RECURRENT) &&
        habitat_operation_work(c->op, &work) == HABITAT_OK && work.known) {
        const habitat_rnn_shape *s = &work.shape.rnn;
        double cells = elements / rnn_state(s) * s->hidden; /* a projected state is narrower */
        double projected = s->projected > 0 ? elements : 0;
        memory_call_keep_bytes(c, bytes * s->layers * (cells * (s->gates + 1) + projected), true);
        memory_call_keep_bytes(c, bytes * (s->layers - 1) * cells, true);
    }
    if (c->rule->flags & IS_ATTENTION)
        keep_attention(c, elements);
}

/* Made by a product with weights; a copy of that, or a multiple, is no more of a new thing. */
static bool is_projected(const memory_call *c) {
    if (memory_rule_is_projection(c->rule))
        return true;
    return c->rule->flags & IS_SCALED && !c->w->alone && c->count == 1 &&
           c->w->tensors.all[c->taken[0]].projected;
}

static void make_result(memory_call *c) {
    memory_walk *w = c->w;
    double elements = memory_result_elements(c), bytes = result_bytes(c);
    note_size(c, elements * bytes);
    if (c->in_place) {
        const memory_tensor *t = &w->tensors.all[c->taken[0]];
        if (c->rule->flags & (KEEPS_RESULT | OVER_RESULT))
            memory_call_keep(c, c->taken[0], t->element_bytes);
        else if (c->rule->flags & KEEPS_0 && c->kept) /* a copy of what is written over */
            memory_call_keep_bytes(c, t->elements * t->element_bytes, true);
        return;
    }
    if (c->kept || w->alone)
        keep_extras(c, elements, bytes);
    bool weight = c->count ? w->tensors.all[c->taken[0]].weight : !(c->host_elements > 0);
    memory_tensor made = {
        .elements = elements,
        .element_bytes = bytes,
        .base = HABITAT_NONE,
        .made_ns = c->step.backward_ns,
        .used_ns = UINT64_MAX,
        .again_ns = c->step.again_ns,
        .born_ns = c->op->start_ns,
        .until_ns =
            stays(c) ? UINT64_MAX : memory_links_left_until(&w->links, memory_call_index(c)),
        .read = stays(c),
        .weight = weight && (c->rule->flags & IS_CAST),
        .stream = memory_rule_makes_stream(c->rule),
        .projected = is_projected(c),
        .multiple = c->count == 1 && !(c->step.weights > 0) && (c->rule->flags & IS_MULTIPLE),
        .square = (c->rule->flags & IS_POWER)};
    if (c->count && (c->rule->flags & IS_CAST))
        made.cast_bytes = w->tensors.all[c->taken[0]].element_bytes;
    if (!(elements > 0))
        return;
    if (!memory_tensors_add(&w->tensors, &made)) {
        w->no_memory = true;
        return;
    }
    w->began |= !made.weight;
    if (!made.weight && !w->alone) {
        c->step.made = elements * bytes;
        c->step.moved += elements * bytes;
    }
    if (c->rule->flags & KEEPS_RESULT)
        memory_call_keep(c, w->tensors.count - 1, bytes);
}

/* A sum hands its gradient on to both sides as it is: it is the one tensor for both until what made
 * the later side is done with it. */
static uint64_t gradient_from(const memory_call *c) {
    if (!(c->rule->flags & IS_SUM) || c->count < 2)
        return c->step.backward_ns;
    const memory_tensor *a = &c->w->tensors.all[c->taken[0]], *b = &c->w->tensors.all[c->taken[1]];
    uint64_t first = a->made_ns < b->made_ns ? a->made_ns : b->made_ns;
    return a->elements == b->elements && first != UINT64_MAX ? first : c->step.backward_ns;
}

static void note_gradients(const memory_call *c) {
    uint64_t from = c->kept ? gradient_from(c) : UINT64_MAX;
    for (uint32_t i = 0; i < c->count; i++)
        memory_tensor_use(&c->w->tensors.all[c->taken[i]], from);
}

/* --- the walk ----------------------------------------------------------------------------------
 */

/* Without a backward pass tensors have lives of their own: copies that autocast makes pass alone.
 */
static double moved_in(const memory_call *c) {
    double taken = taken_bytes(c), sum = 0;
    if (taken == 0 && !c->w->alone && c->rule->flags & KEEPS_FACTORS)
        taken = result_bytes(c); /* of a narrower factor, too, before it is cast */
    for (uint32_t i = 0; i < c->count; i++) {
        const memory_tensor *t = &c->w->tensors.all[c->taken[i]];
        double bytes = taken > 0 ? taken : t->element_bytes;
        bool passes = !t->weight && (!c->w->alone || bytes != t->element_bytes);
        sum += passes ? t->elements * bytes : 0;
    }
    return sum;
}

static memory_tensor view_of(const memory_call *c, double elements) {
    memory_tensor view = c->w->tensors.all[c->taken[0]];
    view.elements = elements;
    view.kept_bytes = 0;
    view.stream = view.projected = false;
    view.used_ns = UINT64_MAX;
    return view;
}

/* Views: what they keep is what they show. */
static void make_parts(memory_call *c) {
    memory_walk *w = c->w;
    size_t first = (size_t)(c->op - w->operations), parts = 0;
    for (size_t i = first + 1;
         i < w->count && w->operations[i].form->thread == c->op->form->thread &&
         w->operations[i].start_ns < c->op->start_ns + c->op->duration_ns;
         i++)
        parts += !strcmp(w->operations[i].form->name, "aten::narrow") ||
                 (w->operations[i].parent == first &&
                  !strcmp(w->operations[i].form->name, "aten::select"));
    if (!c->count || !parts)
        return;
    memory_tensor view = view_of(c, w->tensors.all[c->taken[0]].elements / (double)parts);
    for (size_t i = 0; i < parts; i++)
        w->no_memory |= !memory_tensors_add(&w->tensors, &view);
}

/* A slice takes no memory. Its backward operation makes a gradient as large as the whole, zeros but
 * for what the slice shows; those of several slices are added up. */
static void make_view(memory_call *c) {
    memory_walk *w = c->w;
    double shown = w->links.result[memory_call_index(c)];
    if (!c->count || !(shown > 0))
        return;
    memory_tensor view = view_of(c, shown);
    view.made_ns = c->step.backward_ns;
    c->step.view = true;
    c->step.moved = moved_in(c) + view.elements * view.element_bytes;
    note_gradients(c);
    w->no_memory |= !memory_tensors_add(&w->tensors, &view);
    if (c->kept && !w->alone)
        w->no_memory |= !memory_steps_add(w->out, &c->step);
}

/* What a backward operation makes beside gradients of the size of what was taken and made.
 *
 * The largest along a dimension (amax) shares its gradient among all elements that are as large: a
 * byte an element says which, whole numbers of 8 bytes count them; then, instead of these, there
 * are a product and what comes of dividing it, which is the gradient. A factor of a product that
 * was expanded gets a gradient of the whole size first, which is summed up then. A soft-max's
 * gradient begins with a product as large as that. */
static double passing(const memory_call *c) {
    const memory_tensor *all = c->w->tensors.all;
    double bytes = result_bytes(c), most = 0;
    if (!c->kept || !c->count)
        return 0;
    if (c->sparse) /* its backward operation adds a product to zeros */
        return all[c->taken[0]].elements * bytes;
    if (c->rule->flags & COUNTS_ALIKE)
        return all[c->taken[0]].elements * (mask_bytes + fmax(index_bytes - bytes, bytes));
    if (c->rule->flags & WEIGHS)
        return all[c->taken[0]].elements * bytes;
    if (!(c->rule->flags & KEEPS_FACTORS))
        return 0;
    if (c->count == 1) /* the factor is a weight */
        return c->step.weights > 0 ? all[c->taken[0]].elements * bytes : 0;
    double whole = memory_result_elements(c);
    for (int i = 0; i < 2; i++) {
        const memory_tensor *factor = &all[c->taken[i]];
        if (factor->elements < whole && factor->made_ns != UINT64_MAX)
            most = fmax(most, (whole - factor->elements) * bytes);
    }
    return most;
}

static void note_loss(memory_call *c) {
    memory_steps *s = c->w->out;
    if (!(c->rule->flags & IS_LOG_SOFTMAX) || !c->count)
        return;
    const memory_tensor *t = &c->w->tensors.all[c->taken[0]];
    s->loss_elements = t->elements;
    /* a script's variable holds what was cast to fp32 for the loss, not the cast */
    s->loss_bytes = t->elements * (t->cast_bytes > 0 ? t->cast_bytes : t->element_bytes);
    if (c->step.again_ns && t->again_ns == c->step.again_ns) /* a checkpoint let go of it */
        s->loss_bytes = 0;
}

/* Autocast sums in fp32; the gradient of a sum takes memory where it is cast back. */
static bool spreads_cast(const memory_call *c) {
    bool autocast = c->w->copies || c->w->format == HABITAT_MEMORY_AUTOCAST;
    return autocast && c->count && c->w->tensors.all[c->taken[0]].element_bytes == HALF_BYTES;
}

/* Copies of weights that are not there yet: a loop takes its weights many times, and autocast has
 * one copy of each. */
static double new_casts(memory_walk *w, double bytes) {
    double more = fmin(bytes, w->casts_left);
    w->casts_left -= more;
    return more;
}

/* Copies of all weights; infinite where nothing says how many there are. */
static double all_casts(const habitat_trace_memory *noted, memory_kind kind) {
    double each = kind == MEMORY_KIND_HALF ? HALF_BYTES : SINGLE_BYTES;
    return noted->parameters_bytes > 0 ? HALF_BYTES * noted->parameters_bytes / each
                                       : (double)INFINITY;
}

/* Without a backward pass nothing is kept for one, but autocast keeps its copies of weights: those
 * that were recorded, else one of each weight that a product takes. */
static void let_go(memory_call *c) {
    bool recorded = c->w->copies && !c->count && (c->rule->flags & IS_CAST);
    double bytes = recorded ? c->step.weights * result_bytes(c) : new_casts(c->w, c->step.casts);
    memory_life casts = {c->step.forward_ns, UINT64_MAX, 0, bytes};
    c->step.moved += c->step.kept;
    c->step.kept = c->step.casts = 0;
    c->w->no_memory |= casts.fixed > 0 && !memory_steps_add_life(c->w->out, &casts);
}

static void do_call(memory_walk *w, size_t i, const memory_rule *rule, bool in_place) {
    const habitat_operation *op = &w->operations[i];
    memory_call c = {.w = w, .op = op, .rule = rule, .in_place = in_place};
    c.step.forward_ns = op->start_ns;
    c.step.backward_ns = memory_links_backward(&w->links, i);
    if (rule->flags & SPREADS && c.step.backward_ns == UINT64_MAX)
        c.step.backward_ns = memory_links_backward_after(&w->links, i);
    c.kept = c.step.backward_ns != UINT64_MAX;
    c.step.again_ns = w->links.again_ns[i];
    c.cross_entropy = inside(w, op, "aten::cross_entropy_loss");
    memory_call_take(&c);
    if (w->no_memory || (!c.count && c.step.weights == 0 && c.host_elements == 0))
        return;
    if (rule->flags & SPREADS && !spreads_cast(&c))
        return;
    if (rule->result == RESULT_PARTS || rule->result == RESULT_VIEW) {
        rule->result == RESULT_PARTS ? make_parts(&c) : make_view(&c);
        return;
    }
    if (memory_rule_cast(rule) == CAST_HALF)
        w->out->product_count++;
    w->out->blas =
        w->out->blas || (memory_rule_cast(rule) == CAST_HALF && !(rule->flags & IS_CONVOLUTION));
    bool cast = (rule->flags & IS_CAST); /* its weights are met again */
    c.frozen = memory_rule_is_projection(rule) && memory_is_frozen(w, i);
    w->out->weights += cast ? 0 : c.step.weights;
    w->out->trained += c.kept && !c.frozen && !cast ? c.step.weights : 0;
    note_loss(&c);
    keep_inputs(&c);
    c.step.moved = moved_in(&c);
    c.step.passing = passing(&c);
    note_gradients(&c);
    if (!in_place || c.count)
        make_result(&c);
    if (w->alone)
        let_go(&c);
    if (!c.kept || c.frozen || !(rule->weights || memory_rule_cast(rule) == CAST_HALF))
        c.step.weights = 0;
    c.step.rows = memory_links_rows(&w->links, i);
    if (c.step.rows > 0) {
        w->out->tables += c.step.weights;
        c.step.weights = 0;
    }
    memory_workspaces_take(w->spaces, (uint32_t)i, w->asked, &c.step);
    w->no_memory |= !memory_steps_add(w->out, &c.step);
}

/* Parts that no kernel in fp32 takes and one in half precision does: fewer heads of keys than of
 * queries, without a mask. Other reasons hold in any number format (docs/decisions/0432). */
static bool fused_in_half(const habitat_operation *o) {
    const habitat_input *q = work_tensor(o, 0), *k = work_tensor(o, 1), *mask = work_tensor(o, 3);
    return q && k && !mask && q->rank > 2 && k->rank == q->rank &&
           k->dims[k->rank - 3] < q->dims[q->rank - 3];
}

/* What an operation keeps may be what those that it calls keep. Under autocast it calls itself once
 * more, with its inputs cast. An attention that is made of products and a softmax keeps them,
 * unless half precision lets it be fused. */
static bool look_inside(const memory_walk *w, size_t i, const memory_rule *rule) {
    if (w->format == HABITAT_MEMORY_RECORDED && memory_rule_cast(rule) != CAST_NONE &&
        memory_walk_calls(w, i, w->operations[i].form->name, true))
        return true;
    return rule->flags & IS_ATTENTION &&
           (w->format != HABITAT_MEMORY_AUTOCAST || !fused_in_half(&w->operations[i])) &&
           memory_walk_calls(w, i, attention_math, false);
}

static bool left_out(const memory_walk *w, const habitat_operation *o) {
    return o->iteration != 0 || o->forward != HABITAT_NONE ||
           name_begins(o->form->name, "autograd::") || name_is_of_optimizer(o->form->name) ||
           (o->parent != HABITAT_NONE && w->covered[o->parent]);
}

/* Casts between real formats are made anew where other formats are asked for. */
static bool is_cast(const memory_walk *w, const habitat_operation *o, const memory_rule *rule) {
    const habitat_input *in = work_tensor(o, 0);
    return w->format != HABITAT_MEMORY_RECORDED && (rule->flags & IS_CAST) && in &&
           work_category(in->dtype) == 2 && !w->links.from_host[o - w->operations];
}

/* An attention in parts casts its scores to half precision, too, and nobody reads them: the product
 * after it takes those in fp32. */
static bool is_unread(const memory_walk *w, const habitat_operation *o, const memory_rule *rule) {
    uint32_t parts = !(rule->flags & IS_CAST) ? HABITAT_NONE : around(w, o, attention_math);
    if (parts == HABITAT_NONE || work_category(work_dtype_argument(o, 1)) != 2)
        return false;
    const habitat_operation *whole = &w->operations[parts];
    const habitat_input *q = work_tensor(whole, 0), *k = work_tensor(whole, 1);
    const habitat_input *scores = work_tensor(o, 0);
    double rows = q && q->rank > 1 ? work_elements(q) / work_dim(q, -1) : 0;
    return scores && k && k->rank > 1 && scores->dtype == HABITAT_DTYPE_FP32 &&
           work_elements(scores) == rows * work_dim(k, -2) &&
           work_dim(scores, -1) == work_dim(k, -2);
}

/* A view of what was made before: tables and weights are no part of what passes. */
static bool shows_known(const memory_walk *w, const habitat_operation *o) {
    const habitat_input *whole = work_tensor(o, 0);
    return whole && work_category(whole->dtype) == 2 &&
           memory_tensors_have(&w->tensors, work_elements(whole), 0);
}

/* Under autocast a call for fp32 makes a tensor that fp32 steps do not have; what was cast is there
 * as long as before. */
static bool widen(memory_walk *w, size_t i) {
    double elements = w->format == HABITAT_MEMORY_AUTOCAST && !w->alone
                          ? widening_elements(w->operations, w->count, i)
                          : 0;
    uint32_t at = elements > 0
                      ? memory_tensors_find(&w->tensors, elements, 0, PREFER_NEWEST, NULL, 0)
                      : HABITAT_NONE;
    if (at == HABITAT_NONE || w->tensors.all[at].element_bytes != HALF_BYTES)
        return false;
    const memory_tensor *from = &w->tensors.all[at];
    memory_tensor made = {.elements = elements,
                          .element_bytes = SINGLE_BYTES,
                          .cast_bytes = HALF_BYTES,
                          .base = HABITAT_NONE,
                          .made_ns = from->made_ns,
                          .used_ns = UINT64_MAX,
                          .again_ns = from->again_ns,
                          .born_ns = w->operations[i].start_ns};
    w->no_memory |= !memory_tensors_add(&w->tensors, &made);
    w->out->largest_bytes = fmax(w->out->largest_bytes, elements * SINGLE_BYTES);
    return true;
}

static void walk_operations(memory_walk *w) {
    for (size_t i = 0; i < w->count && !w->no_memory; i++) {
        const habitat_operation *o = &w->operations[i];
        bool in_place;
        w->covered[i] = left_out(w, o);
        if (w->covered[i] || widen(w, i))
            continue;
        const memory_rule *rule = memory_rule_find(o->form->name, &in_place);
        if (!rule && memory_is_opaque(w, i)) {
            w->covered[i] = true;
            memory_opaque_take(w, i);
            continue;
        }
        if (!rule || !o->form->input_count || look_inside(w, i, rule) ||
            (rule->result == RESULT_VIEW && !shows_known(w, o)))
            continue;
        w->covered[i] = true;
        if (!is_cast(w, o, rule) && !is_unread(w, o, rule))
            do_call(w, i, rule, in_place);
    }
}

habitat_status memory_steps_of(const habitat_trace *trace, const habitat_trace_memory *noted,
                               const memory_facts *facts, habitat_memory_format format,
                               const memory_workspaces *spaces, memory_steps *out) {
    memory_walk w = {
        .trace = trace, .asked = format, .memory = noted, .spaces = spaces, .out = out};
    w.format = memory_tensors_in(facts->kind, format);
    w.copies = format == HABITAT_MEMORY_RECORDED && facts->kind == MEMORY_KIND_AUTOCAST;
    w.alone = !facts->has_backward;
    w.casts_left = all_casts(noted, facts->kind);
    w.operations = habitat_trace_operations(trace, &w.count);
    *out = (memory_steps){0};
    if (!w.count)
        return HABITAT_OK;
    w.covered = calloc(w.count, sizeof *w.covered);
    w.no_memory = !memory_links_of(trace, &w.links) || !w.covered ||
                  !memory_sizes_note(&w.sizes, noted) ||
                  !memory_shared_note(w.operations, w.count, &w.shared);
    if (!w.no_memory) {
        walk_operations(&w);
        out->convolutions = spaces->convolutions;
        out->tf32 = spaces->tf32;
        out->weights -= memory_shared_again(&w.shared);
        out->trained = fmax(out->trained - memory_shared_again(&w.shared), 0);
        memory_shared_sum(&w.shared, out->steps, out->count);
        out->maybe_again = w.alone ? memory_shared_maybe(&w.shared) : 0;
        w.no_memory = w.no_memory || !(w.alone ? memory_tensors_list_lives(&w.tensors, out)
                                               : memory_tensors_list_waits(&w.tensors, out));
    }
    memory_links_free(&w.links);
    free(w.covered);
    habitat_table_free(&w.sizes);
    memory_shared_free(&w.shared);
    memory_tensors_free(&w.tensors);
    if (!w.no_memory)
        return HABITAT_OK;
    memory_steps_free(out);
    return HABITAT_E_MEMORY;
}
