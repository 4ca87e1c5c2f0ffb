/* Fused attention in 16 bit: blocks of query rows walk along keys and values, matrix units and
 * vector units side by side. docs/modelling.md#analytic-times has the formulas and the sources of
 * constants. */
#include <math.h>

#include "base/constants_operators.h"
#include "gpu/generation.h"
#include "operator/views.h"
#include "work/attention.h"

/* clang-format off */
#define ATTENTION_FEATURES(F) \
    F("padding", RATES, operator_log(w.head / head * ceil(w.q_len / rows) * rows / w.q_len, 0, 4)) \
    F("waves", RATES, operator_log(waves, -5, 7)) \
    F("filling", RATES, waves / ceil(waves)) \
    F("longest/mean", RATES, operator_log(w.kv_len / mean_keys(&w, rows), 0, 4)) \
    F("compute/memory", RATES, operator_log(busy / memory, -3, 5)) \
    F("log2 length", RATES, operator_log2(w.kv_len, 4, 14)) \
    F("queries a key head", RATES, operator_log2(s->heads / s->kv_heads, 0, 8)) \
    F("causal", RATES, s->causal) \
    F("variant", RATES, query->variant) \
    F("rows of a block", RATES, rows) \
    F("head size", GPU, head) \
    F("vector share", GPU, vectors / (products + vectors))
/* clang-format on */
OPERATOR_FEATURES(operator_attention_features, ATTENTION_FEATURES);

/* Rows of queries a block holds: kernels for short sequences hold few. */
static const double block_rows[] = {16, 64, 128};
enum { BLOCKS = sizeof block_rows / sizeof *block_rows };

/* Inner loops of a library against the quickest: TensorRT-LLM's are one for all GPUs until 10.0,
 * for which it has kernels of their own. */
static double slower_by(const habitat_model_query *query, const operator_gpu *gpu) {
    bool own = sm_is_blackwell(gpu->compute_capability);
    return query->variant == HABITAT_VARIANT_TRTLLM && !own ? fitted_trtllm_loop_factor : 1;
}

/* Head sizes that kernels are built for. */
static double padded_head(double head) {
    static const double sizes[] = {64, 96, 128, 192, 256, 512};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (head <= sizes[i])
            return sizes[i];
    return 128 * ceil(head / 128);
}

/* 40 of the 64 byte a cycle that an SM's path to the cache is built for; clusters load once for
 * two. With them the end of one block also overlaps the beginning of the next. */
static operator_kernel_costs block_costs(const operator_gpu *gpu) {
    bool clusters = operator_has_clusters(gpu);
    return (operator_kernel_costs){
        .sm_bytes_per_s = operator_path_bytes_per_cycle(gpu, hardware_sm_path_bytes_per_cycle) *
                          gpu->clock_hz * (clusters ? 2 : 1),
        .tile_s = clusters ? fitted_tile_end_clusters_s : fitted_tile_end_s,
        .wave = clusters ? fitted_partial_wave_clusters : fitted_partial_wave,
    };
}

/* What all blocks of one cut have in common. */
typedef struct walk {
    double heads, q_len, head; /* head size as padded */
    double kv_len;             /* keys that some query sees */
    double visible;            /* keys that a query sees, on average */
    bool causal;
    double slower; /* factor of the library's inner loop */
} walk;

/* Keys that a block of `rows` queries looks at, mean over the blocks. */
static double mean_keys(const walk *w, double rows) {
    double whole = hardware_attention_key_tile * ceil(w->kv_len / hardware_attention_key_tile);
    if (!w->causal)
        return whole;
    return fmin(w->visible - .5 + rows / 2 + hardware_attention_key_tile, whole);
}

static double products_per_key(const walk *w, const operator_gpu *gpu, double rows) {
    return 4 * rows * w->head * gpu->sm_count /
           (fitted_attention_unit_share * gpu->units_flop_per_s);
}

/* One exponential at 16 an SM and cycle, and the plain operations. */
static double vectors_per_key(const operator_gpu *gpu, double rows) {
    return rows *
           (1.0 / hardware_exponentials_per_cycle +
            fitted_attention_vector_steps / gpu->lanes_per_sm) /
           gpu->clock_hz;
}

/* Seconds of all blocks of `rows` queries at the peak of the units. */
static double blocks_time(const walk *w, const operator_gpu *gpu, double rows) {
    const operator_kernel_costs costs = block_costs(gpu);
    double products = products_per_key(w, gpu, rows), vectors = vectors_per_key(gpu, rows);
    double step =
        pow(pow(products, fitted_attention_overlap) + pow(vectors, fitted_attention_overlap),
            1 / fitted_attention_overlap);
    step = w->slower * fmax(step, 4 * w->head / costs.sm_bytes_per_s);
    double end = costs.tile_s;
    double waves = w->heads * ceil(w->q_len / rows) / gpu->sm_count;
    waves = fmax(waves + costs.wave * (ceil(waves) - waves), 1);
    double longest =
        step * hardware_attention_key_tile * ceil(w->kv_len / hardware_attention_key_tile) + end;
    return fmax(waves * (step * mean_keys(w, rows) + end), longest);
}

static double best_time(const walk *w, const operator_gpu *gpu, double *rows) {
    double best = INFINITY;
    for (size_t i = 0; i < BLOCKS; i++) {
        double time = blocks_time(w, gpu, block_rows[i]);
        if (time < best) {
            best = time;
            *rows = block_rows[i];
        }
    }
    return best;
}

/* Serving frameworks' causal calls append keys and values to a cache first; TensorRT-LLM's also
 * rearranges the queries. */
static double memory_time(const habitat_model_query *query, const operator_gpu *gpu) {
    const habitat_attention_shape *s = &query->work->shape.attention;
    bool appends = s->causal && query->timing == HABITAT_TIMING_SERVING;
    bool rearranges = appends && query->variant == HABITAT_VARIANT_TRTLLM;
    double q_bytes = 4 * s->batch * s->head_dim * s->heads * s->q_len;
    double kv_bytes = 4 * s->batch * s->head_dim * s->kv_heads * attention_keys_seen(s);
    double bytes = q_bytes * (rearranges ? fitted_trtllm_query_factor : 1) +
                   kv_bytes * (appends ? fitted_attention_append_factor : 1);
    double miss =
        operator_miss_share(q_bytes + kv_bytes, gpu->l2_bytes, fitted_attention_cache_share,
                            fitted_attention_cache_softness);
    return fmax(bytes * miss / (fitted_attention_memory_overlap * gpu->bytes_per_s),
                bytes / (gpu->sm_count * hardware_l2_bytes_per_s_per_sm));
}

double operator_look_attention(const habitat_model_query *query, operator_class c,
                               const operator_gpu *gpu, float *inputs) {
    (void)c;
    const habitat_attention_shape *s = &query->work->shape.attention;
    double head = s->head_dim, rows = 128;
    walk w = {.heads = s->batch * s->heads,
              .q_len = s->q_len,
              .kv_len = attention_keys_seen(s),
              .visible = attention_pairs(s) / s->q_len,
              .head = padded_head(head),
              .causal = s->causal,
              .slower = slower_by(query, gpu)};
    double tiled = best_time(&w, gpu, &rows), memory = memory_time(query, gpu);
    double elements = w.heads * w.q_len * mean_keys(&w, 128);
    double power = 4 * w.head * elements / (fitted_power_share * gpu->flop_per_s);
    double busy = operator_powered(tiled, power);
    double waves = w.heads * ceil(w.q_len / rows) / gpu->sm_count;
    double products = products_per_key(&w, gpu, 1), vectors = vectors_per_key(gpu, 1);
    float *x = inputs;
    ATTENTION_FEATURES(OPERATOR_FEATURE_VALUE)
    return busy + memory;
}
