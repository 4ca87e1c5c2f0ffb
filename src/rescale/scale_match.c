/* Two recordings of one model: which group of the one is which of the other.
 *
 * Both run the same script, so that their operations come in the same order, with the same names in
 * the same modules; now and then one has a few more (a library that changes a layout). The lists
 * are walked together; where they part, the nearest place where both agree again is looked for.
 * Two operations are the same where each of their sizes is as it was, or grew as the batch did. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_scaling.h"
#include "base/error.h"
#include "rescale/scale.h"
#include "workload/recorded_format.h"

enum { LOOK_AHEAD = 64, AGREE = 3 };

typedef struct walk {
    const habitat_workload *w;
    const habitat_operation *ops;
    size_t op_count;
    uint32_t *groups; /* shape (count): groups with an operation, by its start */
    size_t count;
} walk;

static const habitat_operation *op_at(const walk *a, size_t i) {
    return a->w->groups[a->groups[i]].operation;
}

typedef struct place {
    uint64_t start_ns;
    uint32_t group;
} place;

static int by_start(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->group < y->group ? -1 : x->group > y->group;
}

bool scale_order(const habitat_workload *w, uint32_t *out, size_t *count) {
    place *places = calloc(w->group_count + 1, sizeof *places);
    size_t found = 0;
    if (!places)
        return false;
    for (size_t g = 0; g < w->group_count; g++)
        if (w->groups[g].operation)
            places[found++] = (place){w->groups[g].operation->start_ns, (uint32_t)g};
    qsort(places, found, sizeof *places, by_start);
    for (size_t i = 0; i < found; i++)
        out[i] = places[i].group;
    free(places);
    *count = found;
    return true;
}

static bool set_up(const habitat_workload *w, walk *out) {
    *out = (walk){.w = w, .groups = calloc(w->group_count + 1, sizeof *out->groups)};
    out->ops = habitat_trace_operations(w->trace, &out->op_count);
    return out->groups && scale_order(w, out->groups, &out->count);
}

static const char *name_of(const walk *a, uint32_t op) {
    return op < a->op_count ? a->ops[op].form->name : "";
}

/* A walk is of a recording: its operations are the trace's own. */
static uint32_t module_of(const walk *a, const habitat_operation *op) {
    return habitat_trace_module(a->w->trace, (uint32_t)(op - a->ops));
}

static bool same(const walk *a, size_t i, const walk *b, size_t j) {
    if (i >= a->count || j >= b->count)
        return i >= a->count && j >= b->count;
    const habitat_operation *x = op_at(a, i), *y = op_at(b, j);
    return strcmp(x->form->name, y->form->name) == 0 &&
           strcmp(name_of(a, x->parent), name_of(b, y->parent)) == 0 &&
           strcmp(name_of(a, module_of(a, x)), name_of(b, module_of(b, y))) == 0;
}

static bool agree(const walk *a, size_t i, const walk *b, size_t j) {
    for (size_t k = 0; k < AGREE; k++)
        if (!same(a, i + k, b, j + k))
            return k > 0 && (i + k >= a->count || j + k >= b->count);
    return true;
}

/* The nearest (i, j) from here on where both agree; false where there is none in sight. */
static bool find_again(const walk *a, size_t *i, const walk *b, size_t *j) {
    for (size_t distance = 1; distance <= LOOK_AHEAD; distance++)
        for (size_t of_a = 0; of_a <= distance; of_a++)
            if (agree(a, *i + of_a, b, *j + distance - of_a)) {
                *i += of_a;
                *j += distance - of_a;
                return true;
            }
    return false;
}

/* The iteration that begins with group `from`. */
static walk iteration_from(const walk *a, size_t from) {
    walk one = *a;
    size_t to = from;
    while (to < a->count && op_at(a, to)->iteration == op_at(a, from)->iteration)
        to++;
    one.groups += from;
    one.count = to - from;
    return one;
}

static void match_iteration(const walk *a, const walk *b, uint32_t *out) {
    for (size_t i = 0, j = 0; i < a->count && j < b->count; i++, j++) {
        if (!same(a, i, b, j) && !find_again(a, &i, b, &j))
            continue;
        if (i < a->count && j < b->count)
            out[a->groups[i]] = b->groups[j];
    }
}

/* What scaling added to a recording has no twin in another; groups of the recording come first.
 * The other may have fewer iterations, or more: they begin again. */
habitat_status scale_match(const habitat_workload *w, const habitat_workload *other,
                           uint32_t *out) {
    walk a = {0}, b = {0};
    bool ok = set_up(w->recorded ? w->recorded : w, &a);
    ok = set_up(other, &b) && ok;
    memset(out, 0xff, w->group_count * sizeof *out);
    for (size_t i = 0, j = 0; ok && b.count && i < a.count; j = j < b.count ? j : 0) {
        walk x = iteration_from(&a, i), y = iteration_from(&b, j);
        match_iteration(&x, &y, out);
        i += x.count;
        j += y.count;
    }
    free(a.groups);
    free(b.groups);
    return ok ? HABITAT_OK : HABITAT_E_MEMORY;
}

/* ---- are they of one step? ---- */

/* Graphs of one batch size and another have not quite as many edges for each node. */
static bool is_near(double x, double y) {
    return fabs(x - y) <= chosen_twin_sizes * fmax(x, y);
}

static bool grows_alike(const habitat_operation *x, uint64_t x_batch, const habitat_operation *y,
                        uint64_t y_batch) {
    if (x->form->input_count != y->form->input_count)
        return false;
    for (uint32_t i = 0; i < x->form->input_count; i++) {
        const habitat_input *a = &x->form->inputs[i], *b = &y->form->inputs[i];
        if (a->rank != b->rank || a->is_list != b->is_list)
            return false;
        for (uint32_t d = 0; !a->is_list && d < a->rank; d++)
            if (a->dims[d] != b->dims[d] && !is_near((double)a->dims[d] * (double)y_batch,
                                                     (double)b->dims[d] * (double)x_batch))
                return false;
    }
    return true;
}

static habitat_status count_twins(const habitat_workload *w, const habitat_workload *other,
                                  scale_twins *out) {
    uint32_t *twin = calloc(w->group_count + 1, sizeof *twin);
    habitat_status status = twin ? scale_match(w, other, twin) : HABITAT_E_MEMORY;
    for (size_t g = 0; status == HABITAT_OK && g < w->group_count; g++) {
        const habitat_operation *op = w->groups[g].operation;
        if (!op || !op->form->input_count || scale_leaves(w, &w->groups[g]))
            continue;
        out->operations++;
        out->found +=
            twin[g] != HABITAT_NONE &&
            grows_alike(op, w->batch_size, other->groups[twin[g]].operation, other->batch_size);
    }
    free(twin);
    return status;
}

/* Elements of all parameters; 0 where the recording does not list them. */
static uint64_t weights_of(const habitat_workload *w) {
    const habitat_trace_memory *memory = &habitat_trace_get_info(w->trace)->memory;
    uint64_t sum = 0;
    for (size_t i = 0; i < memory->parameter_count; i++)
        sum += memory->parameters[i].elements;
    return sum;
}

/* Tensors in fp32: TF32 changes their arithmetic, not the operations. */
static bool is_single(recorded_format format) {
    return format.precision == HABITAT_PRECISION_FP32 || format.precision == HABITAT_PRECISION_TF32;
}

/* Another precision has other operations (casts) and other formats. */
static bool is_same_format(recorded_format a, recorded_format b) {
    bool known = (a.precision || a.half) && (b.precision || b.half);
    return !known || (is_single(a) && is_single(b)) ||
           (a.precision == b.precision && a.half == b.half);
}

habitat_status scale_check_twins(const habitat_workload *w, const habitat_workload *other,
                                 scale_twins *out, habitat_error *err) {
    static const char advice[] =
        "give the same script in the same precision at another batch size, or none";
    uint64_t weights = weights_of(w), others = weights_of(other);
    scale_twins twins = {0};
    if (weights && others && weights != others)
        return habitat_fail(err, HABITAT_E_ARG,
                            "the second recording is of another model, of %llu weights and not "
                            "%llu; %s",
                            (unsigned long long)others, (unsigned long long)weights, advice);
    recorded_format format = w->format, others_format = other->format;
    if (!is_same_format(format, others_format))
        return habitat_fail(
            err, HABITAT_E_ARG, "the second recording is in %s, and this one in %s; %s",
            recorded_format_words(others_format), recorded_format_words(format), advice);
    if (count_twins(w, other, &twins) != HABITAT_OK)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (2 * twins.found < twins.operations)
        return habitat_fail(err, HABITAT_E_ARG,
                            "the second recording is of another step: %zu of %zu operations are "
                            "found in it again; %s",
                            twins.found, twins.operations, advice);
    *out = twins;
    return HABITAT_OK;
}
