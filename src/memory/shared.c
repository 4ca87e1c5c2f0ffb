/* Weights that several operations take: a table of words that the last product takes again, layers
 * that are run several times.
 *
 * A trace names no tensors. But where a tensor has been used twice, autograd's engine adds its two
 * gradients, in the call around the backward node that made the later one. What a node of a table
 * or of a transposition makes is as large as the weight; other nodes make gradients of activations
 * as well, of which only those of convolutions have as many dimensions as a weight. */
#include "memory/shared.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "work/args.h"

enum { PRODUCT_RANK = 2 };

/* ---- shapes ---- */

/* One dimension of a weight: products take it transposed, so that the smaller one comes first. */
static int64_t dim_of(const memory_shape *s, uint32_t at) {
    bool turned = s->rank == PRODUCT_RANK && s->dims[0] > s->dims[1];
    return s->dims[turned ? 1 - at : at];
}

static uint64_t hash_of(const memory_shape *s) {
    uint64_t hash = s->rank;
    for (uint32_t i = 0; i < s->rank; i++)
        hash = habitat_hash_number(hash, (uint64_t)dim_of(s, i));
    return hash;
}

static bool same_shape(const void *elements, uint32_t index, const void *key) {
    const memory_shape *a = (const memory_shape *)elements + index, *b = key;
    for (uint32_t i = 0; a->rank == b->rank && i < a->rank; i++)
        if (dim_of(a, i) != dim_of(b, i))
            return false;
    return a->rank == b->rank;
}

static memory_shape *find(const memory_shared *s, const habitat_input *in) {
    memory_shape key = {.dims = in->dims, .rank = in->rank};
    uint32_t at = habitat_table_find(&s->table, hash_of(&key), same_shape, s->shapes, &key);
    return at == HABITAT_NONE ? NULL : &s->shapes[at];
}

/* The one of this shape, made if there is none; NULL when out of memory. */
static memory_shape *make(memory_shared *s, const habitat_input *in) {
    memory_shape *there = find(s, in);
    if (there)
        return there;
    memory_shape *grown =
        list_grow(s->shapes, s->count, &s->capacity, 16, HABITAT_NONE, sizeof *grown);
    if (!grown)
        return NULL;
    s->shapes = grown;
    s->shapes[s->count] = (memory_shape){.dims = in->dims, .rank = in->rank};
    if (!habitat_table_put(&s->table, hash_of(&s->shapes[s->count]), (uint32_t)s->count))
        return NULL;
    return &s->shapes[s->count++];
}

/* ---- what is noted ---- */

/* The backward node that an operation around others runs; NULL: it runs none. */
static const char *node_of(const habitat_operation *op) {
    static const char engine[] = "autograd::engine::evaluate_function: ";
    return strncmp(op->form->name, engine, sizeof engine - 1) ? NULL
                                                              : op->form->name + sizeof engine - 1;
}

static bool is_of_weight(const char *node, uint32_t rank) {
    if (rank == PRODUCT_RANK)
        return !strncmp(node, "Embedding", 9) || !strncmp(node, "TBackward", 9);
    return rank == 1 || strstr(node, "Convolution") != NULL;
}

/* What the engine itself adds stands right inside its call, not inside the node. */
static bool adds_gradients(const habitat_operation *all, const habitat_operation *op) {
    const char *node = op->parent == HABITAT_NONE ? NULL : node_of(&all[op->parent]);
    if (!node ||
        (strcmp(op->form->name, "aten::add") != 0 && strcmp(op->form->name, "aten::add_") != 0) ||
        op->form->input_count < 2) /* without shapes there are none */
        return false;
    const habitat_input *a = &op->form->inputs[0], *b = &op->form->inputs[1];
    if (!a->is_tensor || a->is_list || !a->rank || !b->is_tensor || b->is_list)
        return false;
    return work_same_dims(a, b) && is_of_weight(node, a->rank);
}

static bool looks_up(const habitat_operation *op) {
    const habitat_input *table = op->form->inputs;
    return !strcmp(op->form->name, "aten::embedding") && op->form->input_count &&
           table->is_tensor && !table->is_list && table->rank == PRODUCT_RANK;
}

bool memory_shared_note(const habitat_operation *operations, size_t count, memory_shared *out) {
    for (size_t i = 0; i < count; i++) {
        const habitat_operation *op = &operations[i];
        bool adds = op->iteration == 0 && adds_gradients(operations, op);
        if (!adds && !(op->iteration == 0 && looks_up(op)))
            continue;
        memory_shape *shape = make(out, op->form->inputs);
        if (!shape)
            return false;
        shape->added += adds;
    }
    return true;
}

bool memory_shared_meet(memory_shared *s, const habitat_operation *op, const habitat_input *weight,
                        size_t step) {
    memory_shape *shape = weight->rank ? find(s, weight) : NULL;
    if (!shape)
        return true;
    (*(looks_up(op) ? &shape->looked_up : &shape->taken))++;
    memory_meeting *grown =
        list_grow(s->meetings, s->meeting_count, &s->meeting_capacity, 16, SIZE_MAX, sizeof *grown);
    if (!grown)
        return false;
    s->meetings = grown;
    s->meetings[s->meeting_count++] = (memory_meeting){(size_t)(shape - s->shapes), step};
    return true;
}

/* ---- what follows ---- */

static double elements_of(const memory_shape *s) {
    double elements = 1;
    for (uint32_t i = 0; i < s->rank; i++)
        elements *= (double)s->dims[i];
    return elements;
}

/* How often weights of a shape were met after their first time. */
static uint32_t again(const memory_shape *s) {
    uint32_t met = s->looked_up + s->taken;
    return met > s->added ? s->added : met ? met - 1 : 0;
}

double memory_shared_again(const memory_shared *s) {
    double sum = 0;
    for (size_t i = 0; i < s->count; i++)
        sum += again(&s->shapes[i]) * elements_of(&s->shapes[i]);
    return sum;
}

/* The meetings of a shape that come first: their backward operations come last. */
static void sum_shape(const memory_shared *s, size_t shape, memory_step *steps, size_t count) {
    uint32_t left = again(&s->shapes[shape]);
    double elements = elements_of(&s->shapes[shape]);
    for (size_t i = 0; i < s->meeting_count && left; i++) {
        const memory_meeting *m = &s->meetings[i];
        if (m->shape != shape || m->step >= count || steps[m->step].weights < elements)
            continue;
        steps[m->step].weights -= elements;
        steps[m->step].summed += elements;
        left--;
    }
}

void memory_shared_sum(const memory_shared *s, memory_step *steps, size_t count) {
    for (size_t i = 0; i < s->count; i++)
        if (again(&s->shapes[i]))
            sum_shape(s, i, steps, count);
}

double memory_shared_maybe(const memory_shared *s) {
    double sum = 0;
    for (size_t i = 0; i < s->count; i++) {
        const memory_shape *shape = &s->shapes[i];
        uint32_t both = shape->looked_up < shape->taken ? shape->looked_up : shape->taken;
        sum += (both ? 1 : 0) * elements_of(shape);
    }
    return sum;
}

void memory_shared_free(memory_shared *s) {
    free(s->shapes);
    free(s->meetings);
    habitat_table_free(&s->table);
    *s = (memory_shared){0};
}
