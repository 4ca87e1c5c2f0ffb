/* How large the gradients of a training step are. `habitat record` lists the parameters. An export
 * of torch.profiler does not, but with shapes it shows each gradient when autograd adds it to its
 * parameter: as many elements in the same format, in the order of the backward pass.
 *
 * A step may have several backward passes. One whose gradients come again in a later one gathers
 * them (gradient accumulation): they are the same parameters. Otherwise they are others (several
 * networks in one step). */
#include "trace/gradients.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/names.h"

#define ELEMENTS_MOST ((uint64_t)1 << 50) /* more are no parameter */

static const char word[] = "AccumulateGrad";

bool trace_adds_gradient(const habitat_operation *all, uint32_t i) {
    uint32_t parent = all[i].parent;
    return all[i].form->kind == HABITAT_OPERATION_FRAMEWORK && all[i].iteration != HABITAT_NONE &&
           strstr(all[i].form->name, word) &&
           (parent == HABITAT_NONE || !strstr(all[parent].form->name, word));
}

void trace_gradients_free(trace_gradients *g) {
    free(g->own);
}

const char *trace_gradients_source_name(trace_gradients_source source) {
    return source == TRACE_GRADIENTS_NOTED    ? "noted"
           : source == TRACE_GRADIENTS_SHAPES ? "shapes"
                                              : NULL;
}

/* ---- what is shown ---- */

/* Something that happens in a step: a gradient is done, or an operation of a forward pass begins.
 */
typedef struct moment {
    uint64_t at_ns;
    uint32_t operation; /* with the gradient's shape, or HABITAT_NONE */
    bool gradient;
} moment;

static int by_time(const void *x, const void *y) {
    const moment *a = x, *b = y;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    return a->operation < b->operation ? -1 : a->operation > b->operation;
}

static bool has_shape(const habitat_operation *op) {
    const habitat_op_form *form = op->form;
    return form->input_count && form->inputs[0].is_tensor && !form->inputs[0].is_list &&
           habitat_dtype_bytes(form->inputs[0].dtype) > 0;
}

/* The operation itself or one inside it, which has the gradient's shape: those follow it in the
 * list, each behind its parent. */
static uint32_t find_shape(const habitat_operation *all, size_t count, uint32_t i) {
    for (uint32_t k = i;
         k < count && (k == i || (all[k].parent != HABITAT_NONE && all[k].parent >= i)); k++)
        if (has_shape(&all[k]) && strstr(all[k].form->name, word))
            return k;
    return HABITAT_NONE;
}

/* Layers that are computed again in the backward pass belong to it. */
static bool is_backward(const habitat_operation *all, uint32_t i) {
    for (; i != HABITAT_NONE; i = all[i].parent)
        if (name_is_engine(all[i].form->name))
            return true;
    return false;
}

/* The last iteration that shows gradients, or NONE. shown: there is one. */
static uint32_t choose_last(const habitat_operation *all, size_t count, bool *shown) {
    uint32_t last = HABITAT_NONE;
    for (uint32_t i = 0; i < count; i++)
        if (trace_adds_gradient(all, i) && (last == HABITAT_NONE || all[i].iteration > last))
            last = all[i].iteration;
    *shown = last != HABITAT_NONE;
    return last;
}

/* The same; NONE where a gradient of it has no shape. */
static uint32_t choose_iteration(const habitat_operation *all, size_t count, bool *shown) {
    uint32_t last = choose_last(all, count, shown);
    for (uint32_t i = 0; i < count && last != HABITAT_NONE; i++)
        if (all[i].iteration == last && trace_adds_gradient(all, i) &&
            find_shape(all, count, i) == HABITAT_NONE)
            return HABITAT_NONE;
    return last;
}

/* All moments of the iteration in their order. out: shape (2 count). */
static size_t list_moments(const habitat_operation *all, size_t count, uint32_t iteration,
                           moment *out) {
    size_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t forward = all[i].forward;
        if (all[i].iteration != iteration)
            continue;
        if (trace_adds_gradient(all, i))
            out[found++] =
                (moment){all[i].start_ns + all[i].duration_ns, find_shape(all, count, i), true};
        else if (forward != HABITAT_NONE && !is_backward(all, forward))
            out[found++] = (moment){all[forward].start_ns, HABITAT_NONE, false};
    }
    qsort(out, found, sizeof *out, by_time);
    return found;
}

/* ---- the parameters ---- */

static habitat_parameter parameter_of(const habitat_operation *op) {
    const habitat_input *input = &op->form->inputs[0];
    habitat_parameter out = {input->dtype, 1};
    for (uint32_t d = 0; d < input->rank; d++) {
        uint64_t size = input->dims[d] > 0 ? (uint64_t)input->dims[d] : 1;
        out.elements = size > ELEMENTS_MOST / out.elements ? ELEMENTS_MOST : out.elements * size;
    }
    return out;
}

static int by_size(const void *x, const void *y) {
    const habitat_parameter *a = x, *b = y;
    if (a->dtype != b->dtype)
        return a->dtype < b->dtype ? -1 : 1;
    return a->elements < b->elements ? -1 : a->elements > b->elements;
}

/* Whether all of `few` are among `many`. room: shape (few_count + many_count). */
static bool is_among(const habitat_parameter *few, size_t few_count, const habitat_parameter *many,
                     size_t many_count, habitat_parameter *room) {
    habitat_parameter *a = room, *b = room + few_count;
    size_t k = 0;
    memcpy(a, few, few_count * sizeof *a);
    memcpy(b, many, many_count * sizeof *b);
    qsort(a, few_count, sizeof *a, by_size);
    qsort(b, many_count, sizeof *b, by_size);
    for (size_t i = 0; i < few_count; i++, k++) {
        while (k < many_count && by_size(&b[k], &a[i]) < 0)
            k++;
        if (k == many_count || by_size(&b[k], &a[i]) != 0)
            return false;
    }
    return true;
}

/* From the last moment back: that is the order of the model. A backward pass ends where, before it,
 * a forward pass begins. out: shape (count); room: as long. Returns how many parameters. */
static size_t collect(const habitat_operation *all, const moment *moments, size_t count,
                      habitat_parameter *out, habitat_parameter *room) {
    size_t kept = 0;
    for (size_t i = count; i > 0;) {
        size_t found = kept;
        while (i > 0 && !moments[i - 1].gradient)
            i--;
        for (; i > 0 && moments[i - 1].gradient; i--)
            out[found++] = parameter_of(&all[moments[i - 1].operation]);
        if (!is_among(out + kept, found - kept, out, kept, room))
            kept = found;
    }
    return kept;
}

static habitat_status from_shapes(const habitat_operation *all, size_t count, uint32_t iteration,
                                  trace_gradients *out, habitat_error *err) {
    moment *moments = malloc((2 * count + 1) * sizeof *moments);
    size_t found = moments ? list_moments(all, count, iteration, moments) : 0;
    habitat_parameter *room = malloc((found + 1) * sizeof *room);
    out->own = malloc((found + 1) * sizeof *out->own);
    bool fine = moments && room && out->own;
    if (fine) {
        out->all = out->own;
        out->count = collect(all, moments, found, out->own, room);
        out->source = out->count ? TRACE_GRADIENTS_SHAPES : TRACE_GRADIENTS_NONE;
    }
    free(moments);
    free(room);
    return fine ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}

/* Formats that nobody knows the width of, and parameters of no elements alone, tell no sizes. */
static bool tells_sizes(const habitat_trace_memory *noted) {
    double bytes = 0.0;
    for (size_t i = 0; i < noted->parameter_count; i++) {
        const habitat_parameter *p = &noted->parameters[i];
        double each = (double)habitat_dtype_bytes(p->dtype);
        if (p->elements && each <= 0.0)
            return false;
        bytes += (double)p->elements * each;
    }
    return bytes > 0.0;
}

habitat_status trace_gradients_of(const habitat_trace *t, trace_gradients *out,
                                  habitat_error *err) {
    const habitat_trace_memory *noted = &habitat_trace_get_info(t)->memory;
    size_t count = 0;
    const habitat_operation *all = habitat_trace_operations(t, &count);
    *out = (trace_gradients){0};
    if (tells_sizes(noted)) {
        *out = (trace_gradients){.all = noted->parameters,
                                 .count = noted->parameter_count,
                                 .source = TRACE_GRADIENTS_NOTED,
                                 .shown = true};
        return HABITAT_OK;
    }
    uint32_t iteration = choose_iteration(all, count, &out->shown);
    return iteration == HABITAT_NONE ? HABITAT_OK : from_shapes(all, count, iteration, out, err);
}

/* ---- passes ---- */

/* Passes forward and back, each of as many operations and gradients as the others; 1 where they
 * differ, as of several networks, or there is one alone. */
static uint32_t alike(const moment *moments, size_t count) {
    size_t first_forward = 0, first_gradients = 0;
    uint32_t passes = 0;
    for (size_t i = 0; i < count; passes++) {
        size_t forward = 0, gradients = 0;
        for (; i < count && !moments[i].gradient; i++)
            forward++;
        for (; i < count && moments[i].gradient; i++)
            gradients++;
        first_forward = passes ? first_forward : forward;
        first_gradients = passes ? first_gradients : gradients;
        if (forward != first_forward || gradients != first_gradients)
            return 1;
    }
    return passes ? passes : 1;
}

/* Where nothing lists the parameters or the sizes of their gradients. */
static habitat_status from_moments(const habitat_operation *all, size_t count, uint32_t iteration,
                                   uint32_t *out, habitat_error *err) {
    moment *moments = malloc((2 * count + 1) * sizeof *moments);
    if (!moments)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    *out = alike(moments, list_moments(all, count, iteration, moments));
    free(moments);
    return HABITAT_OK;
}

habitat_status trace_backward_passes(const habitat_trace *t, uint32_t *out, habitat_error *err) {
    size_t count = 0, added = 0;
    const habitat_operation *all = habitat_trace_operations(t, &count);
    bool shown = false;
    trace_gradients found = {0};
    uint32_t last = choose_last(all, count, &shown);
    *out = 1;
    for (uint32_t i = 0; i < count && shown; i++)
        added += all[i].iteration == last && trace_adds_gradient(all, i);
    habitat_status status = trace_gradients_of(t, &found, err);
    /* some parameters may have no gradient */
    if (status == HABITAT_OK && found.count && added > found.count)
        *out = (uint32_t)((added + found.count / 2) / found.count);
    if (status == HABITAT_OK && !found.count && shown)
        status = from_moments(all, count, last, out, err);
    trace_gradients_free(&found);
    return status;
}
