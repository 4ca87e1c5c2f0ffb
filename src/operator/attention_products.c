/* The matrix products inside an attention that no fused kernel computes. */
#include "operator/operator.h"

/* One product: the batch of the scores' heads, rows, columns, and what is summed over. */
static bool add(const habitat_work *attention, double rows, double columns, double summed,
                habitat_work *out) {
    const habitat_attention_shape *s = &attention->shape.attention;
    habitat_gemm_shape shape = {.b = s->batch * s->heads, .m = rows, .n = columns, .k = summed};
    return habitat_work_gemm(&shape, attention->dtype, out) == HABITAT_OK;
}

size_t operator_attention_products(const habitat_model_query *query,
                                   habitat_work out[OPERATOR_ATTENTION_PRODUCTS_MAX]) {
    const habitat_work *w = query->work;
    const habitat_attention_shape *s = &w->shape.attention;
    if (operator_class_of(query) != OPERATOR_ATTENTION_PLAIN || s->heads == s->kv_heads)
        return 0;
    bool done = false;
    if (w->pass == HABITAT_PASS_FORWARD) {
        done = add(w, s->q_len, s->kv_len, s->head_dim, &out[0]) && /* scores */
               add(w, s->q_len, s->v_head_dim, s->kv_len, &out[1]); /* sums of values */
        return done ? 2 : 0;
    }
    done = add(w, s->kv_len, s->v_head_dim, s->q_len, &out[0]) && /* gradients of the values, */
           add(w, s->q_len, s->kv_len, s->v_head_dim, &out[1]) && /* of the scores, */
           add(w, s->q_len, s->head_dim, s->kv_len, &out[2]) &&   /* queries */
           add(w, s->kv_len, s->head_dim, s->q_len, &out[3]);     /* and keys */
    return done ? 4 : 0;
}
