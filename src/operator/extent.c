/* The sizes of an operation, in the words of `habitat op`. */
#include "operator/extent.h"

#include <math.h>

#include "operator/views.h"
#include "work/class.h"

typedef struct list {
    operator_extent *at;
    size_t count;
} list;

static void add(list *l, const char *name, double value) {
    l->at[l->count++] = (operator_extent){name, value};
}

static void add_conv(list *l, const habitat_conv_shape *s) {
    double in = 1, out = 1, kernel = 1;
    for (uint32_t d = 0; d < s->dims; d++) {
        in *= s->in[d];
        out *= s->out[d];
        kernel *= s->kernel[d];
    }
    double root = s->dims ? 1.0 / s->dims : 1.0;
    add(l, "batch", s->batch);
    add(l, "in_channels", s->c_in);
    add(l, "out_channels", s->c_out);
    add(l, "groups", s->groups);
    add(l, "kernel", pow(kernel, root));
    add(l, "size", pow(in, root));
    add(l, "output size", pow(out, root));
}

static void add_attention(list *l, const habitat_attention_shape *s) {
    add(l, "heads of the batch", s->batch * s->heads);
    add(l, "length", s->q_len);
    add(l, "kv_length", s->kv_len);
    add(l, "head_dim", s->head_dim);
}

static void add_rnn(list *l, const habitat_rnn_shape *s) {
    add(l, "batch", s->batch);
    add(l, "steps", s->steps);
    add(l, "input", s->input);
    add(l, "hidden", s->hidden);
    add(l, "layers", s->layers);
}

static void add_gemm(list *l, const habitat_gemm_shape *asked) {
    habitat_gemm_shape row = operator_as_row(asked);
    const habitat_gemm_shape *s = &row;
    add(l, "b", s->b);
    add(l, "m", s->m);
    add(l, "n", s->n);
    add(l, "k", s->k);
}

/* Element-wise operations and copies have no shape but their bytes. */
static void add_rows(list *l, const habitat_work *work) {
    if (class_of(work->op_class)->by_element)
        return;
    add(l, "rows", work->shape.rows.rows);
    add(l, "columns", work->shape.rows.columns);
}

size_t operator_extents(const habitat_work *work, operator_extent out[OPERATOR_EXTENTS_MAX]) {
    list l = {out, 0};
    add(&l, "flop", work->flop);
    add(&l, "bytes read", work->read_bytes);
    add(&l, "bytes written", work->write_bytes);
    switch (class_of(work->op_class)->shape) {
    case CLASS_SHAPE_GEMM:
        add_gemm(&l, &work->shape.gemm);
        break;
    case CLASS_SHAPE_CONV:
        add_conv(&l, &work->shape.conv);
        break;
    case CLASS_SHAPE_ATTENTION:
        add_attention(&l, &work->shape.attention);
        break;
    case CLASS_SHAPE_RNN:
        add_rnn(&l, &work->shape.rnn);
        break;
    case CLASS_SHAPE_ROWS:
        add_rows(&l, work);
        break;
    }
    return l.count;
}
