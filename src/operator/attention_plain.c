/* Attention in fp32. Where queries and keys have as many heads it is one fused kernel (forward: a
 * block some rows of queries; backward: a block some keys), else two products and a softmax over a
 * score matrix in memory. Shares and costs were fitted on training shapes of one GPU. */
#include <math.h>

#include "operator/views.h"
#include "work/attention.h"

/* clang-format off */
#define ATTENTION_PLAIN_FEATURES(F) \
    F("fused", RATES, one) \
    F("backward", RATES, backward) \
    F("causal", RATES, s->causal) \
    F("log2 length", RATES, operator_log2(length, 4, 14)) \
    F("waves", RATES, operator_log(waves, -5, 7)) \
    F("filling", RATES, waves / ceil(waves)) \
    F("longest/mean", RATES, operator_log(fmax(longest, 1e-9) / seconds, -4, 1)) \
    F("compute/memory", RATES, operator_log(seconds / (bytes / gpu->bytes_per_s), -1, 6)) \
    F("log2 head", RATES, operator_log2(s->head_dim, 3, 9)) \
    F("log2 bytes", RATES, operator_log2(bytes, 20, 34))
/* clang-format on */
OPERATOR_FEATURES(operator_attention_plain_features, ATTENTION_PLAIN_FEATURES);

/* One fused kernel. Rates are shares of the sustained fp32 rate. */
typedef struct fused_costs {
    double tile_q, tile_k;
    double share;         /* with every SM full */
    double longest;       /* of one block: times its work at an SM's whole rate */
    double block_s;       /* a block, of an SM's time */
    double start_s, norm; /* exponent that joins throughput and longest block */
} fused_costs;

static const fused_costs fused[2][2] = {
    {{64, 64, .7, 1.69, 1.46e-6, 1.9e-6, 1}, {32, 128, .92, 1.075, 1.46e-6, 1.9e-6, 1}},
    {{64, 64, .71, 1.9, 7e-6, 7.9e-6, 1.3}, {64, 64, .7, 1.35, 7e-6, 7.9e-6, 1.3}}};

/* Tiles of the score matrix that are not all masked: those on and under the diagonal of the square
 * in its corner, and all beside it; bottom-right, queries above the square see nothing. */
static double tiles_of(const habitat_attention_shape *s, const fused_costs *k) {
    double q_tiles = ceil(s->q_len / k->tile_q), k_tiles = ceil(s->kv_len / k->tile_k);
    if (!s->causal)
        return q_tiles * k_tiles;
    double step = k->tile_q / k->tile_k, whole = fmin(q_tiles, k_tiles / step);
    double below = whole * (whole * step + 1) / 2;
    if (s->bottom_right)
        return below + whole * (k_tiles - whole * step);
    return below + (q_tiles - whole) * k_tiles;
}

/* Tiles that one block goes through, each `longest` of a tile's time. Backward a block has some
 * keys and goes through the queries that see the first of them: all, or under a bottom-right mask
 * at most as many as there are keys. And blocks of one head add to the same gradient of a query,
 * one after the other. */
static double longest_walk(const habitat_attention_shape *s, const fused_costs *k, bool backward) {
    double keys = ceil(attention_keys_seen(s) / k->tile_k);
    double seeing = s->causal && s->bottom_right ? fmin(s->q_len, s->kv_len) : s->q_len;
    return backward ? fmax(k->longest * ceil(seeing / k->tile_q), keys) : k->longest * keys;
}

/* Blocks of one head. */
static double blocks_of(const habitat_attention_shape *s, const fused_costs *k, bool backward) {
    return backward ? ceil(attention_keys_seen(s) / k->tile_k) : ceil(s->q_len / k->tile_q);
}

static double fused_time(const habitat_attention_shape *s, const fused_costs *k, bool backward,
                         const operator_gpu *gpu, double *longest) {
    double heads = s->batch * s->heads, blocks = blocks_of(s, k, backward);
    double flop = backward ? 10 : 4;
    double tile = flop * k->tile_q * k->tile_k * s->head_dim / (gpu->flop_per_s / gpu->sm_count);
    double all = heads * (tiles_of(s, k) * tile / k->share + blocks * k->block_s) / gpu->sm_count;
    *longest = longest_walk(s, k, backward) * tile;
    return pow(pow(all, k->norm) + pow(*longest, k->norm), 1 / k->norm) + k->start_s;
}

/* In separate kernels: traffic in score matrices, without and with a mask, and in queries. */
static const struct separate_costs {
    double share[2]; /* of the products: heads to 64, beyond */
    double scores[2], queries, start_s, mask_s;
} separate[2] = {{{.46, .63}, {3.76, 7.3}, 13.3, 20.5e-6, 9.2e-6},
                 {{.665, .8}, {3.4, 4.2}, 16.9, 25.7e-6, .7e-6}};

static double separate_time(const habitat_attention_shape *s, bool backward, double flop,
                            const operator_gpu *gpu) {
    const struct separate_costs *k = &separate[backward];
    double scores = s->batch * s->heads * s->q_len * s->kv_len;
    double queries = 4 * s->batch * s->heads * s->q_len * s->head_dim;
    double products = flop * scores * s->head_dim / (gpu->flop_per_s * k->share[s->head_dim > 64]);
    double bytes = 4 * scores * k->scores[s->causal] + k->queries * queries;
    double footprint = 4 * scores * 8 + k->queries * queries / 3;
    return products + operator_memory_time(gpu, footprint, bytes) + k->start_s +
           (s->causal ? k->mask_s : 0);
}

/* Of keys and values that no query sees; backward their gradients, too. */
static double unseen_bytes(const habitat_attention_shape *s, double seen, bool backward) {
    return (backward ? 8 : 4) * s->batch * s->kv_heads * (s->kv_len - seen) *
           (s->head_dim + s->v_head_dim);
}

double operator_look_attention_plain(const habitat_model_query *query, operator_class c,
                                     const operator_gpu *gpu, float *inputs) {
    (void)c;
    const habitat_work *w = query->work;
    const habitat_attention_shape *s = &w->shape.attention;
    bool backward = w->pass != HABITAT_PASS_FORWARD, one = s->heads == s->kv_heads;
    const fused_costs *k = &fused[backward][s->head_dim > 64];
    double bytes = w->read_bytes + w->write_bytes, longest = 0;
    double length = one ? attention_keys_seen(s) : s->kv_len; /* in separate kernels all are read */
    bytes -= unseen_bytes(s, length, backward);
    double seconds = one ? fused_time(s, k, backward, gpu, &longest)
                         : separate_time(s, backward, backward ? 8 : 4, gpu);
    double waves = s->batch * s->heads * blocks_of(s, k, backward) / gpu->sm_count;
    float *x = inputs;
    ATTENTION_PLAIN_FEATURES(OPERATOR_FEATURE_VALUE)
    return seconds;
}
