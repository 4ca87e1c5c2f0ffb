/* Weights that are not trained although a backward pass goes through them: adapters beside a
 * network that stays as it is.
 *
 * The backward operation of a product with weights makes up to two products of the gradient: with
 * the weights, for what went in, summed over what came out; and with what went in, for the weights,
 * summed over the rows. Where the second is not there the weights are frozen, and what went in is
 * not kept for them. docs/decisions/0498 */
#include "memory/call.h"

#include <string.h>

#include "work/args.h"

static bool is_inside(const memory_walk *w, size_t k, size_t i) {
    const habitat_operation *a = &w->operations[i], *b = &w->operations[k];
    return k == i ||
           (b->form->thread == a->form->thread && b->start_ns < a->start_ns + a->duration_ns);
}

/* The gradient that a node, or what the engine calls around it, is given. */
static const habitat_input *gradient_of(const memory_walk *w, size_t node) {
    for (size_t k = node; k < w->count && is_inside(w, k, node); k++)
        if (work_tensor(&w->operations[k], 0))
            return work_tensor(&w->operations[k], 0);
    return NULL;
}

/* Whether a node makes a product that is summed over the gradient's rows; shown: any product. Where
 * as many came out as there are rows nothing tells. */
static bool sums_over_rows(const memory_walk *w, size_t node, bool *shown) {
    const habitat_input *gradient = gradient_of(w, node);
    if (!gradient || gradient->rank != 2 || work_dim(gradient, 0) == work_dim(gradient, 1))
        return true;
    for (size_t k = node; k < w->count && is_inside(w, k, node); k++) {
        const habitat_operation *o = &w->operations[k];
        const habitat_input *factor = work_tensor(o, 0);
        if (strcmp(o->form->name, "aten::mm") != 0 || !factor)
            continue;
        if (work_dim(factor, -1) == work_dim(gradient, 0))
            return true;
        *shown = true;
    }
    return false;
}

static bool is_product(const char *node) {
    return strstr(node, "MmBackward") || strstr(node, "AddmmBackward");
}

bool memory_is_frozen(const memory_walk *w, size_t i) {
    bool shown = false;
    for (size_t k = i; k < w->count && is_inside(w, k, i); k++) {
        uint32_t node = w->links.node[k];
        if (node != HABITAT_NONE && is_product(w->operations[node].form->name) &&
            sums_over_rows(w, node, &shown))
            return false;
    }
    return shown;
}
