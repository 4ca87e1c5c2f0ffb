/* Rows of sparse gradients at another batch size. A table of rows (embeddings) may have a gradient
 * of those rows alone that were asked for: as many rows as places in the table were looked up,
 * and once equal ones are summed (coalesced), as many as different rows were among them. The
 * optimiser works on these rows, so that its time grows with the batch, other than for weights.
 *
 * A profiler records a sparse tensor with the shape of its table, and the number of its rows
 * nowhere. But what works on its values has it as a size, beside the table or inside a sparse
 * operation: [100000, 64], [4012], [4012, 64]. Nothing is done unless a backward pass makes sparse
 * gradients. docs/formulas.md#another-batch-size-or-precision */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "rescale/scale.h"
#include "work/args.h"
#include "work/distinct.h"

/* A table, and how often it is looked up. */
typedef struct table {
    const habitat_input *shape; /* rows first */
    double lookups, wanted;     /* as recorded; at the other batch size */
} table;

/* Rows of a gradient of tables of one shape. */
typedef struct gradient {
    const habitat_input *shape;
    int64_t rows, wanted;
} gradient;

struct scale_sparse {
    const habitat_workload *w;
    const habitat_operation *ops;
    size_t op_count;
    table *tables;
    size_t table_count, table_room;
    gradient *gradients;
    size_t gradient_count, gradient_room;
};

/* ---- operations ---- */

static bool has(const char *text, const char *part) {
    return strstr(text, part) != NULL;
}

static double elements(const habitat_input *in) {
    double product = 1.0;
    for (uint32_t d = 0; d < in->rank; d++)
        product *= (double)in->dims[d];
    return product;
}

static bool same_width(const habitat_input *a, const habitat_input *b) {
    return a->rank == b->rank && a->rank >= 2 &&
           !memcmp(a->dims + 1, b->dims + 1, (a->rank - 1) * sizeof *a->dims);
}

static bool same_shape(const habitat_input *a, const habitat_input *b) {
    return same_width(a, b) && a->dims[0] == b->dims[0];
}

static bool makes_sparse(const habitat_operation *op) {
    return has(op->form->name, "sparse_backward");
}

static bool looks_up(const habitat_operation *op) {
    return !strcmp(op->form->name, "aten::embedding") ||
           !strncmp(op->form->name, "aten::_embedding_bag", 20);
}

static bool is_of_sparse(const habitat_operation *op) {
    return has(op->form->name, "sparse") || has(op->form->name, "coalesce");
}

static const habitat_operation *parent_of(const scale_sparse *s, const habitat_operation *op) {
    return op->parent < s->op_count ? &s->ops[op->parent] : NULL;
}

/* ---- tables ---- */

/* Passes over one table of as many places are one entry; the table may be asked more than once. */
static bool add_table(scale_sparse *s, const habitat_input *shape, double lookups, double wanted) {
    for (size_t i = 0; i < s->table_count; i++)
        if (same_shape(s->tables[i].shape, shape) && s->tables[i].lookups == lookups)
            return true;
    table *list = list_grow(s->tables, s->table_count, &s->table_room, 32, SIZE_MAX, sizeof *list);
    if (!list)
        return false;
    s->tables = list;
    s->tables[s->table_count++] = (table){shape, lookups, wanted};
    return true;
}

static bool collect_tables(scale_sparse *s, const scale_sizes *sizes, uint64_t batch,
                           scale_operation *room) {
    bool fine = true;
    for (size_t i = 0; fine && i < s->op_count; i++) {
        const habitat_operation *op = &s->ops[i];
        const habitat_input *shape = looks_up(op) ? work_tensor_with_dims(op, 0) : NULL;
        if (!shape || shape->rank < 2 || !work_tensor_with_dims(op, 1) ||
            !scale_copy_operation(op, room))
            continue;
        double lookups = elements(work_tensor_with_dims(op, 1));
        scale_by_shapes(sizes, batch, room);
        fine = !(lookups >= 1.0) || add_table(s, shape, lookups, elements(&room->inputs[1]));
    }
    return fine;
}

/* The table that `rows` rows of a gradient are of: of those of its shape the one with the fewest
 * lookups that may have as many different rows, else that with the most (several passes). */
static const table *table_of(const scale_sparse *s, const habitat_input *shape, int64_t rows) {
    const table *best = NULL;
    for (size_t i = 0; i < s->table_count; i++) {
        const table *t = &s->tables[i];
        if (!same_shape(t->shape, shape))
            continue;
        bool holds = t->lookups >= (double)rows, held = best && best->lookups >= (double)rows;
        if (!best || (holds != held ? holds : (t->lookups < best->lookups) == holds))
            best = t;
    }
    return best;
}

static int64_t rows_wanted(const table *t, int64_t rows) {
    double wanted = (double)rows * t->wanted / t->lookups;
    if ((double)rows < t->lookups) /* equal ones are summed */
        wanted = distinct_rows((double)t->shape->dims[0], t->lookups, (double)rows, t->wanted);
    return wanted < 1.0 ? 1 : wanted < 0x1p52 ? llround(wanted) : rows;
}

/* ---- rows of gradients ---- */

static bool add_gradient(scale_sparse *s, const habitat_input *shape, int64_t rows) {
    const table *t = rows >= 1 && rows != shape->dims[0] ? table_of(s, shape, rows) : NULL;
    for (size_t i = 0; t && i < s->gradient_count; i++)
        if (s->gradients[i].rows == rows && same_width(s->gradients[i].shape, shape))
            return true;
    if (!t)
        return true;
    gradient *list =
        list_grow(s->gradients, s->gradient_count, &s->gradient_room, 64, SIZE_MAX, sizeof *list);
    if (!list)
        return false;
    s->gradients = list;
    s->gradients[s->gradient_count++] = (gradient){t->shape, rows, rows_wanted(t, rows)};
    return true;
}

/* A table among the inputs of an operation, or of the sparse ones that it is inside of. */
static const habitat_input *table_beside(const scale_sparse *s, const habitat_operation *op) {
    for (bool own = true; op; own = false, op = parent_of(s, op))
        for (uint32_t i = 0; (own || is_of_sparse(op)) && i < op->form->input_count; i++)
            for (size_t k = 0; work_tensor_with_dims(op, i) && k < s->table_count; k++)
                if (same_shape(work_tensor_with_dims(op, i), s->tables[k].shape))
                    return s->tables[k].shape;
    return NULL;
}

/* Values have a row each, places stand in one row: [4012, 64], [1, 4012], [4012]. */
static bool add_rows(scale_sparse *s, const habitat_operation *op) {
    const habitat_input *shape = table_beside(s, op);
    bool fine = true;
    for (uint32_t i = 0; fine && shape && i < op->form->input_count; i++)
        if (work_tensor_with_dims(op, i) && same_width(work_tensor_with_dims(op, i), shape))
            fine = add_gradient(s, shape, work_tensor_with_dims(op, i)->dims[0]);
    return fine;
}

static bool collect_rows(scale_sparse *s) {
    bool fine = true;
    for (size_t g = 0; fine && g < s->w->group_count; g++)
        if (s->w->groups[g].operation && scale_sees_parameters(s->w, &s->w->groups[g]))
            fine = add_rows(s, s->w->groups[g].operation);
    return fine;
}

void scale_sparse_free(scale_sparse *s) {
    if (!s)
        return;
    free(s->tables);
    free(s->gradients);
    free(s);
}

habitat_status scale_sparse_create(const habitat_workload *w, const scale_sizes *sizes,
                                   uint64_t batch, scale_operation *room, scale_sparse **out) {
    size_t count = 0;
    bool shown = false;
    const habitat_operation *ops = habitat_trace_operations(w->trace, &count);
    for (size_t i = 0; i < count && !shown; i++)
        shown = makes_sparse(&ops[i]);
    if (!shown)
        return HABITAT_OK;
    scale_sparse *made = calloc(1, sizeof *made);
    if (!made)
        return HABITAT_E_MEMORY;
    *out = made;
    *made = (scale_sparse){.w = w, .ops = ops, .op_count = count};
    return collect_tables(made, sizes, batch, room) && collect_rows(made) ? HABITAT_OK
                                                                          : HABITAT_E_MEMORY;
}

/* ---- one operation ---- */

static const gradient *gradient_of(const scale_sparse *s, int64_t rows,
                                   const habitat_input *width_of) {
    for (size_t i = 0; i < s->gradient_count; i++)
        if (s->gradients[i].rows == rows &&
            (!width_of || same_width(s->gradients[i].shape, width_of)))
            return &s->gradients[i];
    return NULL;
}

static void resize(const scale_sparse *s, scale_operation *out, uint32_t i, uint32_t d,
                   const habitat_input *width_of) {
    const gradient *found = gradient_of(s, out->inputs[i].dims[d], width_of);
    if (found)
        scale_set_dim(out, i, d, found->wanted);
}

void scale_sparse_resize(const scale_sparse *s, scale_operation *out, const habitat_operation *op) {
    const habitat_input *shape = table_beside(s, op);
    for (uint32_t i = 0; i < op->form->input_count; i++) {
        const habitat_input *in = work_tensor_with_dims(op, i);
        if (!in || (shape && same_shape(in, shape)))
            continue;
        if (in->rank >= 2 && gradient_of(s, in->dims[0], in))
            resize(s, out, i, 0, in);
        else if (shape && in->rank <= 2 && (in->rank == 1 || in->dims[0] == 1))
            resize(s, out, i, in->rank - 1, NULL);
    }
}

/* What sparse tensors alone go into has no size that grows. Coalescing sorts all places. */
double scale_sparse_ratio(const scale_sparse *s, const habitat_operation *op) {
    const habitat_operation *sparse = op;
    const habitat_input *shape = table_beside(s, op);
    double before = 0.0, after = 0.0;
    while (sparse && !is_of_sparse(sparse))
        sparse = parent_of(s, sparse);
    if (!sparse || !shape)
        return 1.0;
    if (has(sparse->form->name, "coalesce")) {
        const table *t = table_of(s, shape, INT64_MAX);
        return t->wanted / t->lookups;
    }
    for (size_t i = 0; i < s->gradient_count; i++) {
        if (!same_shape(s->gradients[i].shape, shape))
            continue;
        before += (double)s->gradients[i].rows;
        after += (double)s->gradients[i].wanted;
    }
    return before > 0.0 ? after / before : 1.0;
}
