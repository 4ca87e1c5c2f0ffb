/* A number for everything that decides a question's answer but the GPU. */
#include <string.h>

#include "question/measurement.h"
#include "work/class.h"

static uint64_t mix(uint64_t hash, const void *data, size_t size) {
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

static uint64_t mix_doubles(uint64_t hash, const double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double v = values[i] == 0 ? 0 : values[i]; /* -0 */
        hash = mix(hash, &v, sizeof v);
    }
    return hash;
}

uint64_t question_hash(const habitat_model_query *query) {
    const habitat_work *w = query->work;
    uint64_t hash = UINT64_C(14695981039346656037);
    uint8_t small[] = {(uint8_t)w->op_class,   (uint8_t)w->pass,           (uint8_t)w->known,
                       (uint8_t)w->dtype,      (uint8_t)query->arithmetic, (uint8_t)query->timing,
                       (uint8_t)query->variant};
    hash = mix(hash, small, sizeof small);
    hash = mix(hash, w->kind, strnlen(w->kind, sizeof w->kind));
    hash = mix_doubles(hash, (double[]){w->flop, w->read_bytes, w->write_bytes}, 3);
    switch (class_of(w->op_class)->shape) {
    case CLASS_SHAPE_GEMM: {
        const habitat_gemm_shape *s = &w->shape.gemm;
        return mix_doubles(hash, (double[]){s->b, s->m, s->n, s->k, s->bias}, 5);
    }
    case CLASS_SHAPE_CONV: {
        const habitat_conv_shape *s = &w->shape.conv;
        hash = mix_doubles(
            hash,
            (double[]){s->dims, s->batch, s->c_in, s->c_out, s->groups, s->transposed, s->bias}, 7);
        for (uint32_t i = 0; i < s->dims && i < HABITAT_CONV_DIMS_MAX; i++)
            hash = mix_doubles(hash,
                               (double[]){s->in[i], s->out[i], s->kernel[i], s->stride[i],
                                          s->padding[i], s->dilation[i]},
                               6);
        return s->channels_last ? mix(hash, "last", 4) : hash;
    }
    case CLASS_SHAPE_ATTENTION: {
        const habitat_attention_shape *s = &w->shape.attention;
        return mix_doubles(hash,
                           (double[]){s->batch, s->heads, s->kv_heads, s->q_len, s->kv_len,
                                      s->head_dim, s->causal},
                           7);
    }
    case CLASS_SHAPE_RNN: {
        const habitat_rnn_shape *s = &w->shape.rnn;
        return mix_doubles(hash,
                           (double[]){s->gates, s->batch, s->steps, s->input, s->hidden, s->layers,
                                      s->bidirectional},
                           7);
    }
    default:
        return mix_doubles(hash, (double[]){w->shape.rows.rows, w->shape.rows.columns}, 2);
    }
}

habitat_model_query question_of(const habitat_measurement *row) {
    return (habitat_model_query){.work = &row->work,
                                 .arithmetic = row->arithmetic,
                                 .timing = row->timing,
                                 .variant = row->variant};
}
