/* Which tensors an operation takes: the trace shows their shapes and formats, and so their number
 * of elements, by which they are found among those that were made. */
#include "memory/call.h"

#include <math.h>
#include <string.h>

#include "base/format_bytes.h"
#include "work/args.h"

enum { CAST_DEPTH = 2 };

double memory_input_bytes(const memory_walk *w, const habitat_input *in) {
    return w->format == HABITAT_MEMORY_RECORDED ? (double)habitat_dtype_bytes(in->dtype)
                                                : SINGLE_BYTES;
}

static bool weight_place(const memory_call *c, uint32_t input) {
    if (c->sparse)
        return false;
    return input > 0 ? c->rule->weights >> (input < 2 ? input : 2) & 1 : c->rule->weights & KEEPS_0;
}

/* Some tensor of so many elements is in this format. Autocast's casts of weights read fp32, where
 * activations are half: with some batch sizes both have as many elements. */
static bool is_there(const memory_walk *w, double elements, double bytes) {
    return memory_tensors_have(&w->tensors, elements,
                               w->format == HABITAT_MEMORY_RECORDED ? bytes : 0);
}

static bool same_dims(const habitat_input *a, const habitat_input *b) {
    return a->is_tensor && work_same_dims(a, b);
}

/* A product that takes this in fp32 where its weights stand. */
static bool takes_as_weight(const habitat_operation *o, const habitat_input *in) {
    bool in_place;
    const memory_rule *rule = memory_rule_find(o->form->name, &in_place);
    uint32_t places = rule ? rule->weights : strstr(o->form->name, "conv") ? KEEPS_1 | KEEPS_2 : 0;
    for (uint32_t i = 0; places && i < o->form->input_count; i++)
        if (same_dims(&o->form->inputs[i], in) && o->form->inputs[i].dtype == HABITAT_DTYPE_FP32)
            return places >> (i < 2 ? i : 2) & 1;
    return false;
}

/* Autocast's cast of a weight, by `to` and `_to_copy`, runs inside of the product. */
static bool is_weight_cast(const memory_call *c, const habitat_input *in) {
    uint32_t at = c->op->parent;
    if (!c->w->alone || !(c->rule->flags & IS_CAST))
        return false;
    for (int up = 0; up < CAST_DEPTH && at != HABITAT_NONE; up++) {
        if (takes_as_weight(&c->w->operations[at], in))
            return true;
        at = c->w->operations[at].parent;
    }
    return false;
}

/* Weights of a convolution that the network makes, for each picture its own: all pictures are one
 * then, with a group each. */
static bool is_made(const memory_call *c, uint32_t input, const habitat_input *in) {
    const habitat_input *images = work_tensor(c->op, 0);
    const memory_tensors *t = &c->w->tensors;
    habitat_work work;
    if (input != 1 || !(c->rule->flags & IS_CONVOLUTION) || !images || work_dim(images, 0) != 1 ||
        work_elements(images) == work_elements(in) ||
        habitat_operation_work(c->op, &work) != HABITAT_OK || !work.known ||
        !(work.shape.conv.groups > 1))
        return false;
    uint32_t at = memory_tensors_find(t, work_elements(in), 0, PREFER_UNREAD, NULL, 0);
    return at != HABITAT_NONE && !t->all[at].weight && t->all[at].made_ns != UINT64_MAX;
}

/* Of an operation that no rule knows: behind the first, and not one for each of its samples. */
static bool may_be_weight(const memory_call *c, uint32_t input) {
    const habitat_input *in = work_tensor(c->op, input);
    return input > 0 && in && in->rank && work_category(in->dtype) == 2 &&
           work_dim(in, 0) != work_dim(c->gradient, 0);
}

/* Of those, the largest of as many as gradients are ready behind its backward operation; where none
 * are, what nothing has made. */
static bool is_unruled_weight(const memory_call *c, uint32_t input, const habitat_input *in) {
    double elements = work_elements(in);
    uint32_t larger = 0;
    if (!c->gradient || c->w->memory->parameter_count || !may_be_weight(c, input))
        return false;
    if (!c->leaves)
        return c->w->began && !memory_tensors_have(&c->w->tensors, elements, 0);
    for (uint32_t i = 0; i < c->op->form->input_count; i++) {
        double other = may_be_weight(c, i) ? work_elements(work_tensor(c->op, i)) : 0;
        larger += other > elements || (other == elements && i < input);
    }
    return larger < c->leaves;
}

/* Weights stand at their place; where a rule names none, a size tells them that no tensor has. */
static bool is_weight(const memory_call *c, uint32_t input, const habitat_input *in) {
    double elements = work_elements(in);
    if ((weight_place(c, input) && !is_made(c, input, in)) || is_weight_cast(c, in) ||
        is_unruled_weight(c, input, in))
        return true;
    return !c->rule->weights && !is_there(c->w, elements, memory_input_bytes(c->w, in)) &&
           memory_sizes_have(&c->w->sizes, c->w->memory, elements);
}

size_t memory_call_index(const memory_call *c) {
    return (size_t)(c->op - c->w->operations);
}

/* It is in use as long as this operation runs, and longer where a module was given it. */
static void note_use(const memory_call *c, uint32_t at) {
    memory_tensor *all = c->w->tensors.all, *base = &all[all[at].base];
    uint64_t until = memory_links_held_until(&c->w->links, memory_call_index(c), base->born_ns);
    if (until > base->until_ns || !base->read)
        base->until_ns = until;
    base->read = true;
}

static void take_tensor(memory_call *c, uint32_t input, double elements, double bytes,
                        memory_preference preference) {
    memory_walk *w = c->w;
    if (c->count == MEMORY_TAKEN_MAX || !(elements > 0))
        return;
    /* formulas by elements mix formats under autocast, and several tensors of one size wait in them
     */
    bool tells = w->alone || c->rule->flags & KEEPS_FACTORS || preference == PREFER_WHOLE;
    double format = tells && w->format == HABITAT_MEMORY_RECORDED ? bytes : 0;
    uint32_t at =
        memory_tensors_find(&w->tensors, elements, format, preference, c->taken, c->count);
    if (at == HABITAT_NONE) {
        /* read before anything is made: the script's batch, there as long as the script runs */
        bool batch = !w->began && bytes > 0;
        w->out->batch_bytes += batch ? elements * bytes : 0;
        memory_tensor made = {.elements = elements,
                              .element_bytes = bytes,
                              .kept_bytes = batch ? bytes : 0,
                              .base = HABITAT_NONE,
                              .made_ns = UINT64_MAX,
                              .used_ns = UINT64_MAX,
                              .born_ns = batch ? 0 : c->op->start_ns,
                              .until_ns = batch ? UINT64_MAX : 0,
                              .read = true};
        if (!memory_tensors_add(&w->tensors, &made)) {
            w->no_memory = true;
            return;
        }
        at = w->tensors.count - 1;
    } else if (w->format == HABITAT_MEMORY_RECORDED && bytes > 0) {
        w->tensors.all[at].element_bytes = bytes;
    }
    note_use(c, at);
    c->taken[c->count] = at;
    c->input[c->count++] = input;
}

static bool two_alike(const memory_call *c) {
    const habitat_input *a = work_tensor(c->op, 0), *b = work_tensor(c->op, 1);
    return a && b && a->rank == b->rank && work_elements(a) == work_elements(b);
}

/* A sum of two alike: its first operand is what the residual connection carries. */
static bool is_residual(const memory_call *c) {
    return (c->rule->flags & IS_SUM) && two_alike(c);
}

/* Where weights are fp32, a product that takes half precision keeps a copy for its backward. */
static void take_weight(memory_call *c, double elements, double bytes) {
    c->step.weights += elements;
    c->weight_bytes = c->rule->weights ? 0 : fmax(c->weight_bytes, bytes);
    if (c->kept && c->w->copies && memory_rule_cast(c->rule) == CAST_HALF && bytes == HALF_BYTES)
        c->step.casts += bytes * elements;
}

static void take_one_weight(memory_call *c, const habitat_input *in, double elements) {
    take_weight(c, elements, (double)habitat_dtype_bytes(in->dtype));
    if (!(c->rule->flags & IS_CAST)) /* met again */
        c->w->no_memory |= !memory_shared_meet(&c->w->shared, c->op, in, c->w->out->count);
}

static void take_list(memory_call *c, uint32_t input, const habitat_input *in) {
    const int64_t *dims = in->dims;
    for (uint32_t i = 0; i < in->list_count; i++) {
        int64_t rank = *dims++;
        double elements = 1;
        for (int64_t k = 0; k < rank; k++)
            elements *= (double)*dims++;
        if (c->rule->result == RESULT_JOINED)
            take_tensor(c, input, elements, 0, PREFER_NEWEST);
        else /* of a recurrent network, of which no format is recorded */
            take_weight(c, elements, HALF_BYTES);
    }
}

/* Of the first input, and of those that follow. */
static memory_preference preferred(const memory_call *c, memory_preference *second) {
    bool alone = c->w->alone;
    if (is_residual(c)) {
        *second = alone ? PREFER_STREAM : PREFER_NEWEST;
        return alone ? PREFER_NEWEST : PREFER_STREAM;
    }
    if ((c->rule->flags & IS_BATCHED_PRODUCT) && !alone)
        return *second = PREFER_UNREAD;
    if ((c->rule->flags & IS_MULTIPLE) && !alone && two_alike(c))
        return *second = PREFER_UNREAD;
    if ((c->rule->flags & IS_POWER) && !alone)
        return PREFER_WHOLE;
    return memory_rule_is_projection(c->rule) ? PREFER_UNPROJECTED : PREFER_NEWEST;
}

bool memory_walk_calls(const memory_walk *w, size_t i, const char *name, bool next) {
    const habitat_operation *o = &w->operations[i];
    for (size_t k = i + 1; k < w->count && w->operations[k].form->thread == o->form->thread &&
                           w->operations[k].start_ns < o->start_ns + o->duration_ns;
         k++)
        if ((!next || w->operations[k].parent == i) && !strcmp(w->operations[k].form->name, name))
            return true;
    return false;
}

/* A sparse matrix is shown with the sizes of a whole one. What asks for the number of its elements
 * is a product with one: its first factor. */
static void find_sparse(memory_call *c) {
    bool product = c->rule->flags & (IS_PRODUCT | IS_ADDED_PRODUCT);
    c->sparse_input = c->rule->flags & IS_PRODUCT ? 0 : 1;
    c->sparse = c->rule->flags & IS_SPARSE_PRODUCT ||
                (product && memory_walk_calls(c->w, memory_call_index(c), "aten::_nnz", false));
}

/* A sparse matrix, or the zeros that its product is added to, which its caller makes. */
static bool is_no_tensor(const memory_call *c, uint32_t input) {
    return c->sparse &&
           (input == c->sparse_input || (input == 0 && (c->rule->flags & IS_SPARSE_PRODUCT)));
}

void memory_call_take(memory_call *c) {
    find_sparse(c);
    memory_preference second = PREFER_NEWEST, first = preferred(c, &second);
    for (uint32_t i = 0; i < c->op->form->input_count; i++) {
        const habitat_input *in = &c->op->form->inputs[i];
        if (in->is_list)
            take_list(c, i, in);
        if (!in->is_tensor || !in->rank || work_category(in->dtype) != 2 || is_no_tensor(c, i))
            continue;
        double elements = work_elements(in);
        if (c->w->links.from_host[memory_call_index(c)])
            c->host_elements = fmax(c->host_elements, elements);
        else if (is_weight(c, i, in))
            take_one_weight(c, in, elements);
        else
            take_tensor(c, i, elements, memory_input_bytes(c->w, in), c->count ? second : first);
    }
}
