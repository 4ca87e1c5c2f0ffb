/* Element-wise and row operations, and fused attention. */
#include <math.h>
#include <string.h>

#include "model/operator_views.h"

const operator_input operator_elementwise_inputs[OPERATOR_ELEMENTWISE_INPUTS] = {
    {"inputs", false},  {"kind", false},          {"log2 bytes", false},
    {"bytes/L2", true}, {"flop/byte rate", true},
};

/* Kinds by how much they compute: sums and products 0, quotients 1, powers 2, comparisons 3,
 * functions with an exponential 4. */
static float elementwise_kind(const char *kind) {
    static const struct {
        const char *part;
        float code;
    } kinds[] = {{"div", 1},  {"pow", 2},  {"relu", 3},   {"gelu", 4},
                 {"tanh", 4}, {"silu", 4}, {"sigmoid", 4}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(kind, kinds[i].part))
            return strcmp(kinds[i].part, "relu") == 0 || !strstr(kind, "gelu") ? kinds[i].code : 4;
    return 0;
}

double operator_look_elementwise(const habitat_model_query *query, operator_class c,
                                 const operator_gpu *gpu, float *inputs) {
    (void)c;
    const habitat_work *w = query->work;
    double bytes = w->read_bytes + w->write_bytes;
    inputs[0] = (float)fmin(round(w->read_bytes / w->write_bytes), 4);
    inputs[1] = elementwise_kind(w->kind);
    inputs[2] = operator_log2(bytes, 20, 30);
    inputs[3] = operator_log(bytes / gpu->l2_bytes, -4, 6);
    inputs[4] = (float)log(gpu->flop_per_s / gpu->bytes_per_s);
    return bytes / gpu->bytes_per_s;
}

/* ---- softmax, layer norm
 * ------------------------------------------------------------------------ */

const operator_input operator_rows_inputs[OPERATOR_ROWS_INPUTS] = {
    {"bytes/L2", false},      {"log2 rows", false},     {"log2 columns", false},
    {"multiple of 4", false}, {"rows/SM", false},       {"rows in flight/L2", false},
    {"warps' use", false},    {"blocks' use", false},   {"at most 1024", false},
    {"power of two", false},  {"flop/byte rate", true},
};

double operator_look_rows(const habitat_model_query *query, operator_class c,
                          const operator_gpu *gpu, float *inputs) {
    (void)c;
    double rows = query->work->shape.rows.rows, columns = query->work->shape.rows.columns;
    double element = (double)habitat_dtype_bytes(query->work->dtype);
    double bytes = 2 * element * rows * columns;
    double units = gpu->sm_count * gpu->lanes_per_sm / 64;
    float *x = inputs;
    *x++ = operator_log(bytes / gpu->l2_bytes, -4, 6);
    *x++ = operator_log2(rows, 0, 20);
    *x++ = operator_log2(columns, 0, 14);
    *x++ = fmod(columns, 4) == 0;
    *x++ = operator_log(rows / gpu->sm_count, -4, 8);
    *x++ = operator_log(columns * element * units * 4 / gpu->l2_bytes, -8, 4);
    *x++ = (float)(columns / (32 * ceil(columns / 32)));
    *x++ = (float)(columns / (1024 * ceil(columns / 1024)));
    *x++ = columns <= 1024;
    *x++ = (float)(columns / exp2(ceil(log2(columns))));
    *x++ = (float)log(gpu->flop_per_s / gpu->bytes_per_s);
    return bytes / gpu->bytes_per_s;
}

/* ---- fused attention
 * ---------------------------------------------------------------------------- */

const operator_input operator_attention_inputs[OPERATOR_ATTENTION_INPUTS] = {
    {"padding", false},
    {"waves", false},
    {"filling", false},
    {"longest/mean", false},
    {"compute/memory", false},
    {"log2 length", false},
    {"queries a key head", false},
    {"causal", false},
    {"variant", false},
    {"head size", true},
    {"vector share", true},
};

/* Head sizes that kernels are built for. */
static double padded_head(double head) {
    static const double sizes[] = {64, 96, 128, 192, 256, 512};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (head <= sizes[i])
            return sizes[i];
    return 128 * ceil(head / 128);
}

double operator_look_attention(const habitat_model_query *query, operator_class c,
                               const operator_gpu *gpu, float *inputs) {
    (void)c;
    const habitat_attention_shape *s = &query->work->shape.attention;
    const double tile = 128, vector_share = .3, l2_bytes_per_s_per_sm = 24 * 1.7e9;
    double head = s->head_dim, padded = padded_head(head), heads = s->batch * s->heads;
    double q_tiles = ceil(s->q_len / tile), k_tiles = ceil(s->kv_len / tile);
    double tiles = s->causal ? q_tiles * (k_tiles - (q_tiles - 1) / 2) : q_tiles * k_tiles;
    if (tiles < q_tiles) /* a causal mask with fewer keys than queries */
        tiles = q_tiles;
    double waves = heads * q_tiles / gpu->sm_count;
    /* Vector work an element of the score matrix: one exponential at 16 an SM and cycle, and some
     * eight plain operations; part of it runs beside the matrix units. */
    double vector_cycles = vector_share * (1.0 / 16 + 8 / gpu->lanes_per_sm);
    double elements = heads * tiles * tile * tile;
    double products = 4 * elements * padded / gpu->flop_per_s;
    double vectors = elements * vector_cycles / (gpu->sm_count * gpu->clock_hz);
    double compute = products + vectors;
    double longest =
        (4 * padded / (gpu->flop_per_s / gpu->sm_count) + vector_cycles / gpu->clock_hz) *
        s->kv_len * tile;
    bool appends = s->causal && query->timing == HABITAT_TIMING_SERVING;
    double q_bytes = 4 * s->batch * head * s->heads * s->q_len;
    double kv_bytes = 4 * s->batch * head * s->kv_heads * s->kv_len;
    double bytes = q_bytes + kv_bytes * (appends ? 3 : 1), footprint = q_bytes + kv_bytes;
    double miss = operator_miss_share(footprint, gpu->l2_bytes, .9, 1);
    double memory =
        fmax(bytes * miss / gpu->bytes_per_s, bytes / (gpu->sm_count * l2_bytes_per_s_per_sm));
    double busy = fmax(compute, longest);
    float *x = inputs;
    *x++ = operator_log(
        padded / head * tiles * tile * tile / (s->q_len * s->kv_len * (s->causal ? .5 : 1)), 0, 4);
    *x++ = operator_log(waves, -5, 7);
    *x++ = (float)(waves / ceil(waves));
    *x++ = operator_log(longest / fmax(compute, memory), -4, 4);
    *x++ = operator_log(busy / memory, -3, 5);
    *x++ = operator_log2(s->kv_len, 4, 14);
    *x++ = operator_log2(s->heads / s->kv_heads, 0, 8);
    *x++ = s->causal;
    *x++ = (float)query->variant;
    *x++ = (float)head;
    *x++ = (float)(vectors / compute);
    return busy + memory;
}
