/* Matrix products: 2 m n k flop a matrix (8 for complex numbers), operands read once, result
 * written once. The addition of a bias is not counted as flop, its bytes are. */
#include "work/rule.h"

#include <math.h>

static bool size_ok(double value) {
    return value > 0 && value < 1e18;
}

static double gemm_flop(const habitat_gemm_shape *s, habitat_dtype dtype) {
    return 2 * s->b * s->m * s->n * s->k * (work_is_complex(dtype) ? 4 : 1);
}

habitat_status habitat_work_gemm(const habitat_gemm_shape *shape, habitat_dtype dtype,
                                 habitat_work *out) {
    if (!shape || !out || !habitat_dtype_bytes(dtype))
        return HABITAT_E_ARG;
    if (!size_ok(shape->b) || !size_ok(shape->m) || !size_ok(shape->n) || !size_ok(shape->k))
        return HABITAT_E_ARG;
    bool batched = shape->b > 1;
    habitat_work work = {.op_class = batched ? HABITAT_CLASS_BMM : HABITAT_CLASS_GEMM,
                         .known = true,
                         .varying = true,
                         .dtype = dtype};
    work.shape.gemm = *shape;
    work.flop = gemm_flop(shape, dtype);
    double bias = shape->bias ? shape->n : 0;
    work.read_bytes =
        work_size(shape->b * (shape->m * shape->k + shape->k * shape->n) + bias, dtype);
    work.write_bytes = work_size(shape->b * shape->m * shape->n, dtype);
    work_set_kind(&work, batched ? "bmm" : shape->bias ? "addmm" : "mm");
    if (!isfinite(work.flop))
        return HABITAT_E_ARG;
    *out = work;
    return HABITAT_OK;
}

/* The last two dimensions are stored column by column. */
static bool stored_transposed(const habitat_input *t) {
    if (!t || !t->strides || t->rank < 2)
        return false;
    return t->strides[t->rank - 2] == 1 && t->strides[t->rank - 1] != 1;
}

/* Sizes of a x b as matmul defines it: vectors, matrices and broadcast batches. */
static bool product_shape(const habitat_input *a, const habitat_input *b, bool b_transposed,
                          habitat_gemm_shape *s) {
    if (!a || !b || a->rank < 1 || b->rank < 1 || a->rank > WORK_RANK_MAX ||
        b->rank > WORK_RANK_MAX)
        return false;
    double b_rows = b->rank == 1 ? work_dim(b, 0) : work_dim(b, b_transposed ? -1 : -2);
    double b_columns = b->rank == 1 ? 1 : work_dim(b, b_transposed ? -2 : -1);
    s->m = a->rank == 1 ? 1 : work_dim(a, -2);
    s->k = work_dim(a, -1);
    s->n = b_columns;
    if (s->k != b_rows)
        return false;
    work_dims batch = {0}, other = {0};
    if (a->rank > 2)
        for (batch.rank = 0; batch.rank < (uint32_t)a->rank - 2; batch.rank++)
            batch.size[batch.rank] = (double)a->dims[batch.rank];
    if (b->rank > 2)
        for (other.rank = 0; other.rank < (uint32_t)b->rank - 2; other.rank++)
            other.size[other.rank] = (double)b->dims[other.rank];
    if (!work_broadcast(&batch, &other))
        return false;
    s->b = work_dims_product(&batch);
    if (b->rank <= 2) { /* the batch folds into the rows: one product */
        s->m *= s->b;
        s->b = 1;
    }
    s->trans_a = stored_transposed(a);
    s->trans_b = stored_transposed(b) != b_transposed;
    return true;
}

static bool outer_shape(const habitat_input *a, const habitat_input *b, habitat_gemm_shape *s) {
    if (!a || !b)
        return false;
    *s = (habitat_gemm_shape){.b = 1, .m = work_elements(a), .n = work_elements(b), .k = 1};
    return true;
}

/* (total, k) x (groups, k, n): every row meets one of the matrices. (m, total) x (total, n), the
 * gradient of the matrices: each group makes one from its part of k. */
static bool grouped_shape(const habitat_input *a, const habitat_input *b, const habitat_input *ends,
                          habitat_gemm_shape *s) {
    if (!a || !b || a->rank != 2)
        return false;
    if (b->rank == 2 && ends && a->dims[1] == b->dims[0]) {
        double groups = work_elements(ends);
        *s = (habitat_gemm_shape){
            .b = groups, .m = work_dim(a, 0), .n = work_dim(b, 1), .k = work_dim(a, 1) / groups};
        return groups > 0;
    }
    if (b->rank != 3 || a->dims[1] != b->dims[1])
        return false;
    *s =
        (habitat_gemm_shape){.b = 1, .m = work_dim(a, 0), .n = work_dim(b, 2), .k = work_dim(a, 1)};
    return true;
}

/* A sparse matrix is recorded with the sizes of a whole one and without strides, which all other
 * tensors of its operation have: how many numbers it holds is not known. docs/decisions/0492 */
static bool is_sparse(const habitat_operation *op, const habitat_input *t) {
    bool others = false;
    for (uint32_t i = 0; i < op->form->input_count; i++) {
        const habitat_input *other = work_tensor(op, i);
        others |= other && other->rank > 0 && other->strides;
    }
    return t && t->rank == 2 && !t->strides && others;
}

void work_do_gemm(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    uint32_t variant = call->rule->variant;
    bool added =
        variant == WORK_GEMM_ADDMM || variant == WORK_GEMM_ADDR || variant == WORK_GEMM_SUMMED;
    const habitat_input *c = added ? work_tensor(op, 0) : NULL;
    const habitat_input *a = work_tensor(op, added ? 1 : 0), *b = work_tensor(op, added ? 2 : 1);
    habitat_gemm_shape *s = &out->shape.gemm;
    if (variant == WORK_GEMM_LINEAR)
        c = work_tensor(op, 2);
    if (variant == WORK_GEMM_SCALED)
        c = work_tensor(op, 4);
    if (added && work_number(op, 3) == 0)
        c = NULL; /* beta is 0: not read */
    bool fits = variant == WORK_GEMM_OUTER || variant == WORK_GEMM_ADDR ? outer_shape(a, b, s)
                : variant == WORK_GEMM_GROUPED
                    ? grouped_shape(a, b, work_tensor(op, 2), s)
                    : product_shape(a, b, variant == WORK_GEMM_LINEAR, s);
    if (!fits || is_sparse(op, a) || is_sparse(op, b))
        return;
    s->bias = c != NULL;
    s->copied = c && c->rank == 2 && out->op_class == HABITAT_CLASS_GEMM &&
                variant == WORK_GEMM_ADDMM && !call->in_place; /* at::addmm_out_cuda_impl() */
    out->dtype = a->dtype;
    if (out->op_class == HABITAT_CLASS_GEMM && s->b > 1)
        out->op_class = HABITAT_CLASS_BMM;
    habitat_dtype result = a->dtype;
    double batches = variant == WORK_GEMM_SUMMED ? 1 : s->b;
    if (variant == WORK_GEMM_SCALED) {
        habitat_dtype given = work_dtype_argument(op, 6);
        result = given != HABITAT_DTYPE_UNKNOWN ? given : HABITAT_DTYPE_BF16;
    } else if (work_category(a->dtype) == 1 && a->dtype == HABITAT_DTYPE_INT8) {
        result = HABITAT_DTYPE_INT32; /* _int_mm */
    }
    out->flop = gemm_flop(s, a->dtype);
    out->read_bytes = work_bytes(a) + work_bytes(b) + work_bytes(c);
    if (variant == WORK_GEMM_SCALED)
        out->read_bytes += work_bytes(work_tensor(op, 2)) + work_bytes(work_tensor(op, 3));
    out->write_bytes = work_size(batches * s->m * s->n, result);
}
