/* Embeddings, gathers and scatters: the rows that are picked, their indices, and the result.
 *
 * Which rows repeat is in the data, not in the shapes: as many are counted as there are indices, at
 * most the whole table. Flop: the additions of gradients and of scatter_add. */
#include "work/rule.h"

#include <math.h>

#include "base/constants_kernels.h"

static void finish(habitat_work *out, const habitat_input *values, double elements, double flop,
                   double read_bytes, double write_bytes) {
    out->dtype = values->dtype;
    out->shape.rows.rows = 1;
    out->shape.rows.columns = elements;
    out->flop = flop * work_flop_factor(values->dtype, 2);
    out->read_bytes = read_bytes;
    out->write_bytes = write_bytes;
}

static bool is_outermost(double dim, const habitat_input *self) {
    return dim == 0 || -dim == self->rank;
}

/* Whole rows are copied in pieces of 16 bytes, a block a row, where they consist of such. */
static void picks_rows(habitat_work *out, const habitat_input *table, double rows) {
    double row_bytes = work_size(out->shape.rows.columns, out->dtype) / rows;
    if (rows > 1 && fmod(row_bytes, hardware_row_piece_bytes) == 0 && work_contiguous(table))
        out->shape.rows.rows = rows;
}

static double at_most(double picked_bytes, const habitat_input *table) {
    return fmin(picked_bytes, work_bytes(table));
}

static void embedding(const work_call *call, habitat_work *out) {
    const habitat_input *table = work_tensor(call->op, 0), *index = work_tensor(call->op, 1);
    if (!table || !index || table->rank != 2)
        return;
    double picked = work_elements(index) * work_dim(table, 1);
    double rows = picked;
    if (call->rule->variant == WORK_INDEX_EMBEDDING_BAG) { /* one row out of each bag */
        const habitat_input *offsets = work_tensor(call->op, 2);
        if (!offsets)
            return;
        rows =
            (index->rank == 2 ? work_dim(index, 0) : work_elements(offsets)) * work_dim(table, 1);
    }
    finish(out, table, rows, picked > rows ? picked : 0,
           at_most(work_size(picked, table->dtype), table) + work_bytes(index),
           work_size(rows, table->dtype));
    if (call->rule->variant == WORK_INDEX_EMBEDDING)
        picks_rows(out, table, work_elements(index));
}

/* grad, indices, rows of the table: the rows that were used are written; the table of zeros is
 * filled by an operation of its own (aten::zero_). Of bags each place has its bag's gradient. */
static void embedding_backward(const work_call *call, habitat_work *out) {
    const habitat_input *grad = work_tensor(call->op, 0), *index = work_tensor(call->op, 1);
    bool bags = call->rule->variant == WORK_INDEX_BAG_BACKWARD;
    double rows = work_number(call->op, bags ? 5 : 2);
    if (bags && isnan(rows)) /* _embedding_bag_backward has the offsets as well */
        rows = work_number(call->op, 6);
    if (!grad || !index || !(rows > 0))
        return;
    double places = work_elements(index), width = work_dim(grad, -1);
    double elements = fmin(rows, places) * width;
    finish(out, grad, width, places * width,
           work_size(places * width, grad->dtype) + work_bytes(index),
           work_size(elements, grad->dtype));
    out->shape.rows.rows = places;
}

/* self, dim, index: whole slices along one dimension. */
static void select_slices(const work_call *call, habitat_work *out) {
    const habitat_input *self = work_tensor(call->op, 0), *index = work_tensor(call->op, 2);
    double dim = work_number(call->op, 1);
    double length = self && !isnan(dim) ? work_dim_at(self, dim) : NAN;
    if (!self || !index || !(length > 0))
        return;
    double picked = work_elements(self) / length * work_elements(index);
    finish(out, self, picked, 0, at_most(work_size(picked, self->dtype), self) + work_bytes(index),
           work_size(picked, self->dtype));
    if (is_outermost(dim, self))
        picks_rows(out, self, work_elements(index));
}

/* One index for each row, shown as one for each of its elements. */
static bool is_of_rows(const habitat_input *index, const habitat_input *self, double dim) {
    bool rows =
        index->strides && index->rank > 1 && index->rank == self->rank && is_outermost(dim, self);
    for (uint32_t i = 1; rows && i < index->rank; i++)
        rows = (index->strides[i] == 0 || index->dims[i] == 1) && index->dims[i] == self->dims[i];
    return rows;
}

static void gather(const work_call *call, habitat_work *out) {
    const habitat_input *self = work_tensor(call->op, 0), *index = work_tensor(call->op, 2);
    if (!self || !index)
        return;
    double picked = work_elements(index);
    finish(out, self, picked, 0, at_most(work_size(picked, self->dtype), self) + work_bytes(index),
           work_size(picked, self->dtype));
    if (is_of_rows(index, self, work_number(call->op, 1)))
        picks_rows(out, self, work_dim(index, 0));
}

/* Neighbours that are added to neighbours: a slice for each index that is shown as one for each of
 * its elements, else each by itself. One slice: nothing says how the indices lie. */
static double slices_added(const work_call *call, const habitat_input *self,
                           const habitat_input *index) {
    if (!index->strides || !self->strides)
        return 1;
    bool rows = is_of_rows(index, self, work_number(call->op, 1)) && work_contiguous(self);
    return rows ? work_dim(index, 0) : work_elements(index);
}

/* self, dim, index, src. Out of place the rest of self is copied. */
static void scatter(const work_call *call, habitat_work *out) {
    const habitat_input *self = work_tensor(call->op, 0), *index = work_tensor(call->op, 2);
    const habitat_input *src = work_tensor(call->op, 3);
    uint32_t variant = call->rule->variant;
    if (!self || !index || (variant == WORK_INDEX_ADD && !src))
        return;
    bool adds = variant != WORK_INDEX_SCATTER;
    double moved = variant == WORK_INDEX_ADD ? work_elements(src) : work_elements(index);
    double moved_bytes = at_most(work_size(moved, self->dtype), self);
    double read = work_bytes(index) + (src ? work_size(moved, src->dtype) : 0);
    if (call->in_place)
        finish(out, self, moved, adds ? moved : 0, read + (adds ? moved_bytes : 0), moved_bytes);
    else
        finish(out, self, work_elements(self), adds ? moved : 0, read + work_bytes(self),
               work_size(work_elements(self), self->dtype));
    if (variant == WORK_INDEX_SCATTER_ADD)
        out->shape.rows.rows = slices_added(call, self, index);
}

/* self, mask, source: places of the mask are summed up first (int64), then as many elements are
 * taken from the source as it has. Out of place the rest of self is copied. */
static void masked_scatter(const work_call *call, habitat_work *out) {
    const habitat_input *self = work_tensor(call->op, 0), *mask = work_tensor(call->op, 1);
    const habitat_input *source = work_tensor(call->op, 2);
    if (!self || !mask || !source)
        return;
    double elements = work_elements(self), moved = fmin(work_elements(source), elements);
    double sums = work_size(elements, HABITAT_DTYPE_INT64);
    double read = 2 * work_size(elements, mask->dtype) + sums + work_size(moved, source->dtype);
    finish(out, self, elements, 0, read + (call->in_place ? 0 : work_bytes(self)),
           sums + work_size(call->in_place ? moved : elements, self->dtype));
}

/* Shape that the index tensors of a list broadcast to; how many there are. False if a mask of truth
 * values may be among them: its result depends on the data. GPUs' recordings say no format of them.
 */
static bool index_list(const habitat_input *list, const habitat_input *self, work_dims *shape) {
    *shape = (work_dims){0};
    const int64_t *group = list->dims;
    bool numbers = list->dtype == HABITAT_DTYPE_INT64 || list->dtype == HABITAT_DTYPE_INT32;
    for (uint32_t i = 0; i < list->list_count; i++) {
        int64_t rank = group[0];
        if (rank < 0 || rank > WORK_RANK_MAX)
            return false;
        work_dims dims = {.rank = (uint32_t)rank};
        bool like_self =
            !numbers && rank > 0 && rank <= (int64_t)self->rank && list->list_count == 1;
        for (int64_t j = 0; j < rank; j++) {
            dims.size[j] = (double)group[1 + j];
            like_self = like_self && group[1 + j] == self->dims[j];
        }
        if (like_self || !work_broadcast(shape, &dims))
            return false;
        group += 1 + rank;
    }
    return list->list_count > 0 && list->list_count <= self->rank;
}

/* self, [indices], (values, accumulate): integer indices of the leading dimensions. */
static void index_by_list(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    const habitat_input *self = work_tensor(op, 0);
    work_dims shape;
    if (!self || op->form->input_count < 2)
        return;
    out->dtype = self->dtype;
    const habitat_input *list = &op->form->inputs[1];
    if (!list->is_list || !list->dims || !index_list(list, self, &shape))
        return;
    double picked = work_dims_product(&shape);
    for (uint32_t i = list->list_count; i < self->rank; i++)
        picked *= work_dim(self, (int)i);
    double indices = work_size(work_dims_product(&shape) * list->list_count, HABITAT_DTYPE_INT64);
    double bytes = work_size(picked, self->dtype);
    if (call->rule->variant == WORK_INDEX_LIST) {
        finish(out, self, picked, 0, at_most(bytes, self) + indices, bytes);
        if (list->list_count == 1)
            picks_rows(out, self, work_dims_product(&shape));
        return;
    }
    const habitat_input *values = work_tensor(op, 2);
    double accumulate = work_number(op, 3);
    if (!values || isnan(accumulate))
        return;
    double written = at_most(bytes, self);
    double read = work_bytes(values) + indices + (accumulate != 0 ? written : 0);
    if (call->in_place)
        finish(out, self, picked, accumulate != 0 ? picked : 0, read, written);
    else
        finish(out, self, work_elements(self), accumulate != 0 ? picked : 0,
               work_bytes(values) + indices + work_bytes(self),
               work_size(work_elements(self), self->dtype));
    double places = work_dims_product(&shape);
    if (accumulate != 0 && places > 0) { /* which are sorted, so that additions meet */
        out->shape.rows.rows = places;
        out->shape.rows.columns = picked / places;
    }
}

/* Neighbours that a point between pixels is made of: 2 along each dimension, 4 of a cubic one. */
static double neighbours(double mode, uint32_t dims) {
    double along = mode == 1 ? 1 : mode == 2 ? 4 : 2;
    return pow(along, dims);
}

/* (grad,) input, grid, interpolation (0 linear, 1 nearest, 2 cubic): every point of the grid is
 * sampled in each channel. Backward adds to the neighbours; the zeros before are aten::zero_'s. */
static void sample(const work_call *call, habitat_work *out) {
    bool backward = call->rule->variant == WORK_INDEX_SAMPLE_BACKWARD;
    uint32_t first = backward ? 1 : 0;
    const habitat_input *x = work_tensor(call->op, first), *grid = work_tensor(call->op, first + 1);
    double mode = work_number(call->op, first + 2);
    if (!x || !grid || isnan(mode) || x->rank < 3 || grid->rank != x->rank)
        return;
    double points = work_elements(grid) / work_dim(grid, -1), elements = points * work_dim(x, 1);
    double taken = elements * neighbours(mode, x->rank - 2);
    double seen_bytes = at_most(work_size(taken, x->dtype), x);
    double moved_bytes = work_size(elements, x->dtype);
    if (backward)
        finish(out, x, elements, 4 * taken, 2 * seen_bytes + moved_bytes + work_bytes(grid),
               seen_bytes + work_bytes(grid));
    else
        finish(out, x, elements, 2 * taken, seen_bytes + work_bytes(grid), moved_bytes);
}

void work_do_index(const work_call *call, habitat_work *out) {
    switch (call->rule->variant) {
    case WORK_INDEX_EMBEDDING:
    case WORK_INDEX_EMBEDDING_BAG:
        embedding(call, out);
        break;
    case WORK_INDEX_EMBEDDING_BACKWARD:
    case WORK_INDEX_BAG_BACKWARD:
        embedding_backward(call, out);
        break;
    case WORK_INDEX_SELECT:
        select_slices(call, out);
        break;
    case WORK_INDEX_GATHER:
        gather(call, out);
        break;
    case WORK_INDEX_SAMPLE:
    case WORK_INDEX_SAMPLE_BACKWARD:
        sample(call, out);
        break;
    case WORK_INDEX_MASKED:
        masked_scatter(call, out);
        break;
    case WORK_INDEX_LIST:
    case WORK_INDEX_PUT:
        index_by_list(call, out);
        break;
    default:
        scatter(call, out);
        break;
    }
}
