/* Fused attention: softmax(Q K^T) V in one kernel, forward and backward.
 *
 * Flop: the matrix products of the query-key pairs that are really looked at, 2 (d + dv) a pair
 * forward and 2 (3 d + 2 dv) backward: the scores again, and the gradients of V, P, Q and K. The
 * softmax itself is not counted. With a causal mask only the pairs on and under the diagonal count,
 * about half; PyTorch's own counter counts them all. Bytes: every operand once, gradients and the
 * row statistics included; the scores never leave the chip. */
#include "work/attention.h"

#include <math.h>
#include <string.h>

#include "work/rule.h"

enum causal_kind { CAUSAL_ARGUMENT, CAUSAL_MASK_TYPE };

/* Where the arguments are; -1: there is none. q, k, v follow each other. */
static const struct attention_signature {
    int8_t q, bias, dropout, causal;
    int8_t sequences;  /* cumulative lengths: the batch is packed, lengths are in device memory */
    int8_t heads_last; /* 0: (B, H, L, D); 1: (B, L, H, D) */
    int8_t grad_mask;  /* bool list: which gradients; the 4th is the bias's */
    enum causal_kind causal_kind;
    bool bottom_right; /* the causal mask ends in the last key, not on the diagonal */
} signatures[] = {
    [WORK_ATTENTION_SDPA] = {0, 3, 4, 5, -1, 0, -1, CAUSAL_ARGUMENT, false},
    [WORK_ATTENTION_SDPA_FLASH] = {0, -1, 3, 4, -1, 0, -1, CAUSAL_ARGUMENT, false},
    [WORK_ATTENTION_SDPA_FLASH_BACKWARD] = {1, -1, 10, 11, 6, 0, -1, CAUSAL_ARGUMENT, false},
    [WORK_ATTENTION_SDPA_EFFICIENT] = {0, 3, 5, 6, -1, 0, -1, CAUSAL_ARGUMENT, false},
    [WORK_ATTENTION_SDPA_EFFICIENT_BACKWARD] = {1, 4, 9, 11, -1, 0, 10, CAUSAL_ARGUMENT, false},
    [WORK_ATTENTION_SDPA_CUDNN] = {0, 3, 5, 6, -1, 0, -1, CAUSAL_ARGUMENT, false},
    [WORK_ATTENTION_SDPA_CUDNN_BACKWARD] = {1, 8, 13, 14, 9, 0, -1, CAUSAL_ARGUMENT, false},
    [WORK_ATTENTION_SDPA_OVERRIDEABLE] = {0, 3, 4, 5, -1, 0, -1, CAUSAL_ARGUMENT, false},
    [WORK_ATTENTION_SDPA_OVERRIDEABLE_BACKWARD] = {1, 4, 12, 13, 8, 0, 5, CAUSAL_ARGUMENT, false},
    [WORK_ATTENTION_SDPA_CPU] = {0, 5, 3, 4, -1, 0, -1, CAUSAL_ARGUMENT, false},
    [WORK_ATTENTION_SDPA_CPU_BACKWARD] = {1, 8, 6, 7, -1, 0, -1, CAUSAL_ARGUMENT, false},
    [WORK_ATTENTION_CUDNN] = {0, 3, 9, 10, 4, 0, -1, CAUSAL_ARGUMENT, false},
    [WORK_ATTENTION_FLASH] = {0, -1, 7, 8, 3, 1, -1, CAUSAL_ARGUMENT, true},
    [WORK_ATTENTION_FLASH_BACKWARD] = {1, -1, 10, 11, 6, 1, -1, CAUSAL_ARGUMENT, true},
    [WORK_ATTENTION_EFFICIENT] = {0, 3, 8, 9, 4, 1, -1, CAUSAL_MASK_TYPE, false},
    [WORK_ATTENTION_EFFICIENT_BACKWARD] = {1, 4, 11, 14, 6, 1, -1, CAUSAL_MASK_TYPE, false},
    [WORK_ATTENTION_LIBRARY] = {0, -1, 3, 5, -1, 1, -1, CAUSAL_ARGUMENT, true},
    [WORK_ATTENTION_LIBRARY_BACKWARD] = {1, -1, 9, 11, -1, 1, -1, CAUSAL_ARGUMENT, true},
};

double attention_pairs(const habitat_attention_shape *s) {
    double q = s->q_len, kv = s->kv_len, below = q <= kv ? q * (q + 1) / 2 : kv * (kv + 1) / 2;
    if (!s->causal)
        return q * kv;
    if (s->bottom_right)
        return q <= kv ? q * (kv - q) + below : below;
    return q <= kv ? below : below + (q - kv) * kv;
}

double attention_keys_seen(const habitat_attention_shape *s) {
    return s->causal && !s->bottom_right ? fmin(s->q_len, s->kv_len) : s->kv_len;
}

static double attention_flop(const habitat_attention_shape *s, bool backward) {
    double pairs = s->batch * s->heads * attention_pairs(s);
    return backward ? pairs * 2 * (3 * s->head_dim + 2 * s->v_head_dim)
                    : pairs * 2 * (s->head_dim + s->v_head_dim);
}

/* Elements of q, k, v, the output, and the row statistics. */
typedef struct attention_sizes {
    double q, k, v, out, rows;
} attention_sizes;

static attention_sizes sizes_of(const habitat_attention_shape *s) {
    attention_sizes n;
    n.q = s->batch * s->heads * s->q_len * s->head_dim;
    n.k = s->batch * s->kv_heads * s->kv_len * s->head_dim;
    n.v = s->batch * s->kv_heads * s->kv_len * s->v_head_dim;
    n.rows = s->batch * s->heads * s->q_len;
    n.out = n.rows * s->v_head_dim;
    return n;
}

/* Bytes of operands of the given sizes; the row statistics are fp32. */
static void attention_bytes(const attention_sizes *n, double q_k_v_bytes, bool backward,
                            habitat_work *work) {
    double statistics = work_size(n->rows, HABITAT_DTYPE_FP32);
    double out = work_size(n->out, work->dtype);
    if (backward) { /* reads q, k, v, the output, its gradient; writes three gradients */
        work->read_bytes = q_k_v_bytes + 2 * out + statistics;
        work->write_bytes = work_size(n->q + n->k + n->v, work->dtype);
    } else {
        work->read_bytes = q_k_v_bytes;
        work->write_bytes = out + statistics;
    }
}

habitat_status habitat_work_attention(const habitat_attention_shape *shape, habitat_dtype dtype,
                                      habitat_pass pass, habitat_work *out) {
    if (!shape || !out)
        return HABITAT_E_ARG;
    const double sizes[] = {shape->batch,  shape->heads,    shape->kv_heads,  shape->q_len,
                            shape->kv_len, shape->head_dim, shape->v_head_dim};
    if (!work_can_be_made(dtype, pass, sizes, sizeof sizes / sizeof *sizes))
        return HABITAT_E_ARG;
    habitat_work work = {.op_class = HABITAT_CLASS_ATTENTION,
                         .pass = pass,
                         .known = true,
                         .varying = true,
                         .dtype = dtype};
    work.shape.attention = *shape;
    attention_sizes n = sizes_of(shape);
    bool backward = pass == HABITAT_PASS_BACKWARD;
    work.flop = attention_flop(shape, backward);
    attention_bytes(&n, work_size(n.q + n.k + n.v, dtype), backward, &work);
    work_set_kind(&work, "attention");
    if (!isfinite(work.flop) || !isfinite(work.read_bytes))
        return HABITAT_E_ARG;
    *out = work;
    return HABITAT_OK;
}

static bool attention_shape(const struct attention_signature *at, const habitat_input *q,
                            const habitat_input *k, const habitat_input *v,
                            habitat_attention_shape *s) {
    if (!q || !k || !v || q->rank < 3 || q->rank > 4 || k->rank != q->rank || v->rank != q->rank)
        return false;
    int heads = at->heads_last ? -2 : -3, length = at->heads_last ? -3 : -2;
    s->batch = q->rank == 4 ? work_dim(q, 0) : 1;
    s->heads = work_dim(q, heads);
    s->kv_heads = work_dim(k, heads);
    s->q_len = work_dim(q, length);
    s->kv_len = work_dim(k, length);
    s->head_dim = work_dim(q, -1);
    s->v_head_dim = work_dim(v, -1);
    return work_dim(k, -1) == s->head_dim && work_dim(v, length) == s->kv_len;
}

/* aten::_native_multi_head_attention: query, key, value, embed_dim, heads, qkv weight and bias,
 * projection weight and bias: four linear layers around the attention of fused heads. */
static void native_multi_head(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    const habitat_input *q = work_tensor(op, 0), *k = work_tensor(op, 1);
    double width = work_number(op, 3), heads = work_number(op, 4);
    if (!q || !k || q->rank != 3 || k->rank != 3 || !(heads > 0) || !(width > 0))
        return;
    habitat_attention_shape s = {.batch = work_dim(q, 0),
                                 .heads = heads,
                                 .kv_heads = heads,
                                 .q_len = work_dim(q, 1),
                                 .kv_len = work_dim(k, 1),
                                 .head_dim = width / heads,
                                 .v_head_dim = width / heads};
    out->shape.attention = s;
    out->dtype = q->dtype;
    double q_rows = s.batch * s.q_len, kv_rows = s.batch * s.kv_len;
    out->flop = attention_flop(&s, false) + 2 * width * width * (2 * q_rows + 2 * kv_rows);
    out->read_bytes = 0;
    bool self = op->form->inputs[0].dims == op->form->inputs[1].dims;
    for (uint32_t i = 0; i < op->form->input_count && i <= 9; i++)
        if (!(self && (i == 1 || i == 2)))
            out->read_bytes += work_bytes(work_tensor(op, i));
    out->write_bytes = work_size(q_rows * width, q->dtype);
}

void work_do_attention(const work_call *call, habitat_work *out) {
    if (call->rule->variant == WORK_ATTENTION_NATIVE_MHA) {
        native_multi_head(call, out);
        return;
    }
    const struct attention_signature *at = &signatures[call->rule->variant];
    const habitat_operation *op = call->op;
    uint32_t first = (uint32_t)at->q;
    const habitat_input *q = work_tensor(op, first), *k = work_tensor(op, first + 1);
    const habitat_input *v = work_tensor(op, first + 2);
    habitat_attention_shape shape = {0};
    double causal = work_number(op, (uint32_t)at->causal);
    if (!attention_shape(at, q, k, v, &shape) || isnan(causal))
        return;
    shape.causal = causal != 0;
    shape.bottom_right =
        at->causal_kind == CAUSAL_MASK_TYPE /* 0 none, 1 top-left, 2 bottom-right */
            ? causal == 2
            : shape.causal && at->bottom_right;
    shape.dropout = work_number(op, (uint32_t)at->dropout) > 0;
    out->shape.attention = shape;
    out->dtype = q->dtype;
    if (at->sequences >= 0) {
        const habitat_input *lengths = work_tensor(op, (uint32_t)at->sequences);
        if (lengths && work_elements(lengths) > 2) /* [0, l1, l1 + l2, ..]: values not recorded */
            return;
    }
    bool backward = out->pass == HABITAT_PASS_BACKWARD;
    const habitat_input *bias = at->bias >= 0 ? work_tensor(op, (uint32_t)at->bias) : NULL;
    attention_sizes n = sizes_of(&shape);
    out->flop = attention_flop(&shape, backward);
    attention_bytes(&n, work_bytes(q) + work_bytes(k) + work_bytes(v), backward, out);
    out->read_bytes += work_bytes(bias);
    work_list mask;
    if (backward && bias && at->grad_mask >= 0 &&
        work_numbers(op, (uint32_t)at->grad_mask, &mask) && mask.count == 4 && mask.value[3] != 0)
        out->write_bytes += work_bytes(bias);
}
