/* How many elements an operation makes: as its rule says, from the sizes of what goes in, the work
 * rules' count of what is written, or the gradient that its backward operation is given. */
#include "memory/call.h"

#include <math.h>

#include "work/args.h"
#include "work/rnn_way.h"

enum { INDEX_BYTES = 8, OPERANDS = 3 };

static double largest_in(const memory_call *c) {
    double largest = c->host_elements;
    for (uint32_t i = 0; i < c->count; i++)
        largest = fmax(largest, c->w->tensors.all[c->taken[i]].elements);
    return largest;
}

static double joined(const memory_call *c) {
    double sum = 0;
    for (uint32_t i = 0; i < c->count; i++)
        sum += c->w->tensors.all[c->taken[i]].elements;
    return sum;
}

static double spatial(const habitat_conv_shape *s) {
    double product = 1;
    for (uint32_t i = 0; i < s->dims; i++)
        product *= s->out[i];
    return product;
}

/* Elements that the work rules say are written; NaN unknown. */
static double counted(const memory_call *c) {
    habitat_work work;
    if (habitat_operation_work(c->op, &work) != HABITAT_OK || !work.known)
        return NAN;
    switch (work.op_class) {
    case HABITAT_CLASS_GEMM:
    case HABITAT_CLASS_BMM:
        return work.shape.gemm.b * work.shape.gemm.m * work.shape.gemm.n;
    case HABITAT_CLASS_CONV:
        return work.shape.conv.batch * work.shape.conv.c_out * spatial(&work.shape.conv);
    case HABITAT_CLASS_ATTENTION:
        return work.shape.attention.batch * work.shape.attention.heads *
               work.shape.attention.q_len * work.shape.attention.v_head_dim;
    case HABITAT_CLASS_RNN:
        return work.shape.rnn.steps * work.shape.rnn.batch * rnn_state(&work.shape.rnn) *
               (work.shape.rnn.bidirectional ? 2 : 1);
    default: {
        double index = c->rule->flags & KEEPS_INDICES ? INDEX_BYTES : 0;
        return work.write_bytes / ((double)habitat_dtype_bytes(work.dtype) + index);
    }
    }
}

/* Of a product with a sparse matrix: its rows, and the columns of what follows it. */
static double sparse_product(const memory_call *c) {
    const habitat_input *matrix = work_tensor(c->op, c->sparse_input),
                        *other = work_tensor(c->op, c->sparse_input + 1);
    return matrix && other ? work_dim(matrix, -2) * work_dim(other, -1) : (double)NAN;
}

/* Of a formula by elements: of the sizes that its operands are expanded to. NaN: that is none. */
static double expanded(const memory_call *c) {
    work_dims all = {.rank = 0};
    if (c->rule->result != RESULT_LIKE || c->rule->weights || !c->count)
        return NAN;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const habitat_input *in = work_tensor(c->op, i);
        work_dims dims;
        if (in && (!work_dims_of(in, &dims) || !work_broadcast(&all, &dims)))
            return NAN;
    }
    return work_dims_product(&all);
}

double memory_result_elements(const memory_call *c) {
    if (c->sparse)
        return sparse_product(c);
    double shown =
        c->rule->result == RESULT_GRADIENT ? c->w->links.result[memory_call_index(c)] : (double)NAN;
    double elements = isfinite(shown) ? shown
                      : c->rule->result == RESULT_WORK || c->rule->result == RESULT_GRADIENT
                          ? counted(c)
                      : c->rule->result == RESULT_JOINED ? joined(c)
                      : c->rule->result == RESULT_SCALAR ? 1
                                                         : fmax(largest_in(c), expanded(c));
    return isfinite(elements) ? elements : largest_in(c);
}
