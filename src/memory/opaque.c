/* Operations that no rule knows and that have a backward operation: a script's own functions
 * (torch.autograd.Function), those of other libraries, PyTorch's own without a rule.
 *
 * What such a one keeps, its backward operation reads: of what that is given, the gradient is made
 * by the pass, some is made by itself, and the rest was kept. Traces name no tensors, so they are
 * told apart by their number of elements and their format: where an operation reads more of one
 * kind than there are, the others were kept. What it works in is told likewise by what runs inside
 * of it; each kind counts once, for loops go through one buffer. docs/decisions/0494 */
#include "memory/call.h"

#include <math.h>
#include <string.h>

#include "trace/gradients.h"
#include "trace/names.h"
#include "work/args.h"

enum { KINDS = 64 };

/* Tensors of one size and format. */
typedef struct kind {
    double elements, bytes; /* bytes: of an element */
    uint32_t made, kept;    /* how many there are: of the pass, of before */
} kind;

typedef struct kind_list {
    kind all[KINDS];
    uint32_t count;
} kind_list;

/* The one of a tensor's kind, made if there is none; NULL: too many, or no tensor of numbers. */
static kind *kind_of(kind_list *list, double elements, double bytes) {
    if (!(elements > 1) || !(bytes > 0))
        return NULL;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->all[i].elements == elements && list->all[i].bytes == bytes)
            return &list->all[i];
    if (list->count == KINDS)
        return NULL;
    list->all[list->count] = (kind){elements, bytes, 0, 0};
    return &list->all[list->count++];
}

static kind *kind_of_input(kind_list *list, const habitat_input *in) {
    return in && in->rank ? kind_of(list, work_elements(in), (double)habitat_dtype_bytes(in->dtype))
                          : NULL;
}

static void add_made(kind_list *list, const habitat_input *in) {
    kind *made = kind_of_input(list, in);
    if (made)
        made->made++;
}

/* ---- which they are ---- */

static bool writes_over(const habitat_operation *o) {
    size_t length = strlen(o->form->name);
    return length && o->form->name[length - 1] == '_';
}

static bool is_inside(const memory_walk *w, size_t k, size_t i) {
    const habitat_operation *a = &w->operations[i], *b = &w->operations[k];
    return b->form->thread == a->form->thread && b->start_ns < a->start_ns + a->duration_ns;
}

/* All calls up to that of operation i have its number: the node is of what it calls. */
static bool is_same_call(const memory_walk *w, size_t k, size_t i) {
    while (k != i) {
        if (!habitat_trace_numbered_as_parent(w->trace, (uint32_t)k))
            return false;
        k = w->operations[k].parent;
    }
    return true;
}

bool memory_is_opaque(const memory_walk *w, size_t i) {
    const habitat_operation *o = &w->operations[i];
    bool in_place;
    if (o->form->kind != HABITAT_OPERATION_FRAMEWORK || !o->form->input_count || !o->kernel_count ||
        w->links.node[i] == HABITAT_NONE || writes_over(o))
        return false;
    for (size_t k = i + 1; k < w->count && is_inside(w, k, i); k++)
        if (w->links.node[k] != HABITAT_NONE ||
            (memory_rule_find(w->operations[k].form->name, &in_place) && is_same_call(w, k, i)))
            return false;
    return true;
}

/* ---- what runs inside ---- */

static bool is_named(const habitat_operation *o, const char *name) {
    return !strcmp(o->form->name, name);
}

/* The tensor that a copy or a setting to one number inside of an operation fills; NULL: none. */
static const habitat_input *filled(const memory_walk *w, size_t i) {
    for (size_t k = i; k < w->count && (k == i || is_inside(w, k, i)); k++)
        if (is_named(&w->operations[k], "aten::copy_") ||
            is_named(&w->operations[k], "aten::zero_") ||
            is_named(&w->operations[k], "aten::fill_"))
            return work_tensor(&w->operations[k], 0);
    return NULL;
}

static const habitat_input *largest_input(const habitat_operation *o) {
    const habitat_input *largest = NULL;
    for (uint32_t i = 0; i < o->form->input_count; i++) {
        const habitat_input *in = work_tensor(o, i);
        if (in && (!largest || work_elements(in) > work_elements(largest)))
            largest = in;
    }
    return largest;
}

/* Elements of a product; NaN: it is none. */
static double product_elements(const habitat_operation *o) {
    const habitat_input *a = work_tensor(o, 0), *b = work_tensor(o, 1);
    bool product = is_named(o, "aten::mm") || is_named(o, "aten::bmm") ||
                   is_named(o, "aten::matmul") || is_named(o, "aten::_scaled_mm");
    return product && a && b && a->rank > 1 && b->rank > 1
               ? work_elements(a) / work_dim(a, -1) * work_dim(b, -1)
               : (double)NAN;
}

/* A product of 8 bit comes out in 16, at least. */
static double product_bytes(const habitat_operation *o) {
    return fmax((double)habitat_dtype_bytes(work_tensor(o, 0)->dtype), 2);
}

/* What an operation makes: a product, what is filled inside of it, else as its largest input. */
static kind *made_by(const memory_walk *w, size_t i, kind_list *list) {
    const habitat_operation *o = &w->operations[i];
    double product = product_elements(o);
    if (product > 0)
        return kind_of(list, product, product_bytes(o));
    const habitat_input *made = filled(w, i);
    return !o->kernel_count ? NULL : kind_of_input(list, made ? made : largest_input(o));
}

/* Of as many as it reads, those that are not there yet were kept. */
static void read_inputs(const habitat_operation *o, kind_list *list) {
    uint32_t read[KINDS] = {0};
    for (uint32_t i = writes_over(o) ? 1 : 0; i < o->form->input_count; i++) {
        kind *one = kind_of_input(list, work_tensor(o, i));
        if (one)
            read[one - list->all]++;
    }
    for (uint32_t i = 0; i < list->count; i++)
        if (read[i] > list->all[i].made + list->all[i].kept)
            list->all[i].kept = read[i] - list->all[i].made;
}

/* The node itself: the engine's call is around it. */
static size_t node_in(const memory_walk *w, size_t i) {
    bool engine = name_is_engine(w->operations[i].form->name);
    return engine && i + 1 < w->count && w->operations[i + 1].parent == i ? i + 1 : i;
}

static const habitat_input *gradient_of(const memory_walk *w, size_t node) {
    for (size_t k = node; k < w->count && (k == node || is_inside(w, k, node)); k++)
        if (work_tensor(&w->operations[k], 0))
            return work_tensor(&w->operations[k], 0);
    return NULL;
}

/* How many weights get their gradient as soon as the backward operation is done: autograd adds
 * those before anything else. */
static uint32_t leaves_behind(const memory_walk *w, size_t outermost) {
    uint64_t end_ns = w->operations[outermost].start_ns + w->operations[outermost].duration_ns;
    uint32_t leaves = 0;
    for (size_t k = outermost + 1; k < w->count; k++) {
        const habitat_operation *o = &w->operations[k];
        if (o->start_ns < end_ns && o->form->thread == w->operations[outermost].form->thread)
            continue;
        if (!trace_adds_gradient(w->operations, (uint32_t)k))
            break;
        end_ns = o->start_ns + o->duration_ns;
        leaves++;
    }
    return leaves;
}

/* What the backward operation was given that was kept for it. */
static void find_kept(const memory_walk *w, size_t node, const habitat_input *gradient,
                      kind_list *list) {
    add_made(list, gradient);
    for (size_t k = node + 1; k < w->count && is_inside(w, k, node); k++) {
        if (w->operations[k].parent != node)
            continue;
        read_inputs(&w->operations[k], list);
        kind *made = made_by(w, k, list);
        if (made)
            made->made++;
    }
}

/* ---- what it is counted at ---- */

static bool is_taken(const memory_call *c, const kind *one) {
    for (uint32_t i = 0; i < c->op->form->input_count; i++) {
        const habitat_input *in = work_tensor(c->op, i);
        if (in && work_elements(in) == one->elements)
            return true;
    }
    return c->gradient && work_elements(c->gradient) == one->elements;
}

/* What runs inside fills beside what goes in and comes out; each kind once. */
static double scratch(const memory_call *c, size_t i) {
    const memory_walk *w = c->w;
    kind_list list = {.count = 0};
    double sum = 0;
    for (size_t k = i + 1; k < w->count && is_inside(w, k, i); k++)
        if (is_named(&w->operations[k], "aten::copy_") ||
            is_named(&w->operations[k], "aten::zero_"))
            kind_of_input(&list, work_tensor(&w->operations[k], 0));
    for (uint32_t i_kind = 0; i_kind < list.count; i_kind++)
        sum +=
            is_taken(c, &list.all[i_kind]) ? 0 : list.all[i_kind].elements * list.all[i_kind].bytes;
    return sum;
}

/* Other libraries' operations may go through the batch in pieces, as deformable convolutions do. */
static bool in_pieces(const habitat_operation *o) {
    return strstr(o->form->name, "::") && !name_begins(o->form->name, "aten::");
}

/* The weight of that size that it takes. */
static const habitat_input *weight_of(const memory_call *c, double elements) {
    for (uint32_t i = 0; i < c->op->form->input_count; i++) {
        const habitat_input *in = work_tensor(c->op, i);
        bool taken = false;
        for (uint32_t k = 0; k < c->count; k++)
            taken |= c->input[k] == i;
        if (in && !taken && work_elements(in) == elements)
            return in;
    }
    return NULL;
}

/* A tensor that went in, a weight or a copy of one, else what was made inside. */
static void keep_one(memory_call *c, const kind *one) {
    const memory_tensor *all = c->w->tensors.all;
    for (uint32_t i = 0; i < c->count; i++)
        if (all[c->taken[i]].elements == one->elements &&
            all[c->taken[i]].element_bytes == one->bytes) {
            memory_call_keep(c, c->taken[i], one->bytes);
            return;
        }
    const habitat_input *weight = weight_of(c, one->elements);
    if (!weight)
        memory_call_keep_bytes(c, one->elements * one->bytes, true);
    else if ((double)habitat_dtype_bytes(weight->dtype) != one->bytes)
        c->step.casts += one->elements * one->bytes;
}

static void add_result(memory_call *c) {
    double elements = work_elements(c->gradient);
    double bytes = memory_input_bytes(c->w, c->gradient);
    memory_tensor made = {.elements = elements,
                          .element_bytes = bytes,
                          .base = HABITAT_NONE,
                          .made_ns = c->step.backward_ns,
                          .used_ns = UINT64_MAX,
                          .again_ns = c->step.again_ns,
                          .born_ns = c->op->start_ns,
                          .projected = c->step.weights > 0};
    c->step.made = elements * bytes;
    c->step.moved += elements * bytes;
    c->w->began = true;
    c->w->out->largest_bytes = fmax(c->w->out->largest_bytes, elements * bytes);
    c->w->no_memory |= !memory_tensors_add(&c->w->tensors, &made);
}

static void pass_gradients(memory_call *c) {
    for (uint32_t i = 0; i < c->count; i++) {
        memory_tensor *t = &c->w->tensors.all[c->taken[i]];
        c->step.moved += t->elements * t->element_bytes;
        memory_tensor_use(t, c->step.backward_ns);
    }
}

void memory_opaque_take(memory_walk *w, size_t i) {
    static const memory_rule none = {"", 0, 0, RESULT_GRADIENT};
    size_t node = node_in(w, w->links.node[i]);
    memory_call c = {.w = w, .op = &w->operations[i], .rule = &none, .kept = true};
    kind_list list = {.count = 0};
    c.gradient = gradient_of(w, node);
    if (!c.gradient || work_category(c.gradient->dtype) != 2)
        return;
    c.leaves = leaves_behind(w, w->links.node[i]);
    c.step.forward_ns = c.op->start_ns;
    c.step.backward_ns = memory_links_backward(&w->links, i);
    c.step.again_ns = w->links.again_ns[i];
    memory_call_take(&c);
    find_kept(w, node, c.gradient, &list);
    for (uint32_t k = 0; k < list.count; k++)
        for (uint32_t n = 0; n < list.all[k].kept; n++)
            keep_one(&c, &list.all[k]);
    *(in_pieces(c.op) ? &c.step.forward.bounded : &c.step.forward.growing) = scratch(&c, i);
    *(in_pieces(c.op) ? &c.step.backward.bounded : &c.step.backward.growing) = scratch(&c, node);
    pass_gradients(&c);
    add_result(&c);
    w->out->weights += c.step.weights;
    w->out->trained += c.step.weights;
    w->no_memory |= !memory_steps_add(w->out, &c.step);
}
