/* Questions as keys: everything that decides a question's answer but the GPU, in one list, from
 * which both the hash and the comparison are made. */
#include "question/query.h"

#include <string.h>

#include "work/class.h"

enum { VALUES = 3 + 7 + 6 * HABITAT_CONV_DIMS_MAX };

typedef struct key {
    uint8_t small[7];
    bool channels_last, transposed[2]; /* the operands of a product, as they are stored */
    char kind[sizeof((habitat_work *)0)->kind];
    size_t kind_bytes, count;
    double values[VALUES]; /* shape (count) */
} key;

static void add(key *k, size_t count, const double *values) {
    for (size_t i = 0; i < count; i++)
        k->values[k->count++] = values[i] == 0 ? 0 : values[i]; /* -0 */
}

static void add_conv(key *k, const habitat_conv_shape *s) {
    add(k, 7, (double[]){s->dims, s->batch, s->c_in, s->c_out, s->groups, s->transposed, s->bias});
    for (uint32_t i = 0; i < s->dims && i < HABITAT_CONV_DIMS_MAX; i++)
        add(k, 6,
            (double[]){s->in[i], s->out[i], s->kernel[i], s->stride[i], s->padding[i],
                       s->dilation[i]});
    k->channels_last = s->channels_last;
}

static void add_shape(key *k, const habitat_work *w) {
    switch (class_of(w->op_class)->shape) {
    case CLASS_SHAPE_GEMM: {
        const habitat_gemm_shape *s = &w->shape.gemm;
        add(k, 5, (double[]){s->b, s->m, s->n, s->k, s->bias});
        k->transposed[0] = s->trans_a;
        k->transposed[1] = s->trans_b;
        break;
    }
    case CLASS_SHAPE_CONV:
        add_conv(k, &w->shape.conv);
        break;
    case CLASS_SHAPE_ATTENTION: {
        const habitat_attention_shape *s = &w->shape.attention;
        bool last = s->causal && s->bottom_right && s->q_len != s->kv_len;
        add(k, 7,
            (double[]){s->batch, s->heads, s->kv_heads, s->q_len, s->kv_len, s->head_dim,
                       s->causal + last});
        break;
    }
    case CLASS_SHAPE_RNN: {
        const habitat_rnn_shape *s = &w->shape.rnn;
        add(k, 7,
            (double[]){s->gates, s->batch, s->steps, s->input, s->hidden, s->layers,
                       s->bidirectional + 2 * s->packed});
        break;
    }
    default:
        add(k, 2, (double[]){w->shape.rows.rows, w->shape.rows.columns});
    }
}

static void key_of(const habitat_model_query *query, key *k) {
    const habitat_work *w = query->work;
    *k = (key){.small = {(uint8_t)w->op_class, (uint8_t)w->pass, (uint8_t)w->known,
                         (uint8_t)w->dtype, (uint8_t)query->arithmetic, (uint8_t)query->timing,
                         (uint8_t)query->variant},
               .kind_bytes = strnlen(w->kind, sizeof w->kind)};
    memcpy(k->kind, w->kind, k->kind_bytes);
    add(k, 3, (double[]){w->flop, w->read_bytes, w->write_bytes});
    add_shape(k, w);
}

/* FNV-1a. */
static uint64_t mix(uint64_t hash, const void *data, size_t size) {
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

/* How operands are stored is left out: products of the same sizes go to the same side of a split by
 * hash, so that none is judged by its twin. */
uint64_t question_hash(const habitat_model_query *query) {
    key k;
    key_of(query, &k);
    uint64_t hash = mix(UINT64_C(14695981039346656037), k.small, sizeof k.small);
    hash = mix(hash, k.kind, k.kind_bytes);
    hash = mix(hash, k.values, k.count * sizeof *k.values);
    return k.channels_last ? mix(hash, "last", 4) : hash;
}

bool question_same(const habitat_model_query *a, const habitat_model_query *b) {
    key x, y;
    key_of(a, &x);
    key_of(b, &y);
    return memcmp(x.small, y.small, sizeof x.small) == 0 && x.channels_last == y.channels_last &&
           x.transposed[0] == y.transposed[0] && x.transposed[1] == y.transposed[1] &&
           memcmp(x.kind, y.kind, sizeof x.kind) == 0 && x.count == y.count &&
           memcmp(x.values, y.values, x.count * sizeof *x.values) == 0; /* NaN equals NaN */
}

habitat_model_query question_of(const habitat_measurement *row) {
    return (habitat_model_query){.work = &row->work,
                                 .arithmetic = row->arithmetic,
                                 .timing = row->timing,
                                 .variant = row->variant};
}
