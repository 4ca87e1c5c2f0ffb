/* Recurrent layers as the library runs them: the products with the inputs of all steps at once,
 * then step after step a product with the state, whose weights mostly stay in the cache. Layers run
 * a step behind each other and directions side by side, so that only the latency of steps adds up.
 * docs/modelling.md#recurrent-layers */
#include <math.h>

#include "base/constants.h"
#include "operator/views.h"

/* clang-format off */
#define RNN_FEATURES(F) \
    F("gates", RATES, s->gates) \
    F("backward", RATES, backward) \
    F("16 bit", RATES, element == 2) \
    F("matrix units", RATES, matrix) \
    F("layers", RATES, fmin(s->layers, 8)) \
    F("directions", RATES, directions) \
    F("log2 batch", RATES, operator_log2(s->batch, 0, 9)) \
    F("log2 steps", RATES, operator_log2(s->steps, 0, 11)) \
    F("log2 hidden", RATES, operator_log2(s->hidden, 5, 13)) \
    F("log2 input", RATES, operator_log2(s->input, 0, 13)) \
    F("multiples hidden", RATES, multiples(s->hidden)) \
    F("multiples input", RATES, multiples(s->input)) \
    F("multiples batch", RATES, multiples(s->batch)) \
    F("step waves 64x64", RATES, tile[0][0]) \
    F("step filling 64x64", RATES, tile[0][1]) \
    F("step use 64x64", RATES, tile[0][2]) \
    F("step waves 32x128", RATES, tile[1][0]) \
    F("step filling 32x128", RATES, tile[1][1]) \
    F("step use 32x128", RATES, tile[1][2]) \
    F("step compute/memory", RATES, operator_log(compute / memory, -5, 5)) \
    F("steps' work", RATES, operator_log(steps / latency, -5, 5)) \
    F("products' share", RATES, products / base) \
    F("weights/registers", RATES, operator_log(weights / (gpu->sm_count * hardware_register_bytes_per_sm), -5, 5)) \
    F("weights/L2", GPU, operator_log(weights * s->layers / gpu->l2_bytes, -5, 5)) \
    F("log2 units", GPU, log2(units)) \
    F("flop/byte rate", GPU, log(rate / gpu->bytes_per_s)) \
    F("log step time", GPU, operator_log(work / step_latency_s, -5, 6))
/* clang-format on */
OPERATOR_FEATURES(operator_rnn_features, RNN_FEATURES);

static const operator_tile step_tiles[] = {{64, 64, .6}, {32, 128, .6}, {32, 32, .4}};
enum { STEP_TILES_DESCRIBED = 2 };
static const operator_tile product_tiles[] = {
    {128, 128, .95}, {128, 64, .8}, {64, 64, .65}, {32, 32, .4}};

static double best_time(const operator_tile *tiles, size_t count, double m, double n, double k,
                        double parts, double units, double flop_per_s) {
    double best = INFINITY;
    for (size_t i = 0; i < count; i++)
        best = fmin(best, operator_tile_time(&tiles[i], parts, m, n, k, units, flop_per_s, .5));
    return best;
}
#define BEST(tiles, ...) best_time(tiles, sizeof tiles / sizeof *tiles, __VA_ARGS__)

static float multiples(double value) {
    return (float)((fmod(value, 8) == 0) + (fmod(value, 32) == 0) + (fmod(value, 128) == 0));
}

double operator_look_rnn(const habitat_model_query *query, operator_class c,
                         const operator_gpu *gpu, float *inputs) {
    (void)c;
    const habitat_rnn_shape *s = &query->work->shape.rnn;
    double element = (double)habitat_dtype_bytes(query->work->dtype);
    bool backward = query->work->pass != HABITAT_PASS_FORWARD;
    bool matrix = operator_arithmetic(query) != HABITAT_DTYPE_FP32;
    double units = matrix ? gpu->sm_count : gpu->sm_count * gpu->lanes_per_sm / 64;
    /* What a step takes whatever its size: a product and the gates after it. */
    double step_latency_s = (matrix ? fitted_rnn_step_matrix_s : fitted_rnn_step_plain_s) *
                            (backward ? fitted_rnn_step_backward_factor : 1);
    double directions = s->bidirectional ? 2 : 1, width = s->gates * s->hidden;
    double rows = s->batch * s->steps, rate = gpu->flop_per_s, products = 0;
    for (unsigned layer = 0; layer < 64 && layer < s->layers; layer++) {
        double in = layer > 0 ? s->hidden * directions : s->input;
        products += BEST(product_tiles, rows, width * directions, in, 1, units, rate);
        if (backward) /* the weights' gradient of inputs and states */
            products += BEST(product_tiles, width, in + s->hidden, rows, directions, units, rate);
    }
    double weights = element * width * s->hidden * directions;
    double moved = element * s->batch * directions * (2 * width + 4 * s->hidden);
    double miss = operator_miss_share(weights * s->layers, gpu->l2_bytes, .7, 1);
    double memory =
        fitted_rnn_traffic_factor * (weights + moved) *
        fmax(miss / gpu->bytes_per_s, 1 / (gpu->sm_count * hardware_l2_bytes_per_s_per_sm));
    double compute = backward
                         ? BEST(step_tiles, s->batch, s->hidden, width, directions, units, rate)
                         : BEST(step_tiles, s->batch, width, s->hidden, directions, units, rate);
    compute *= matrix ? fitted_rnn_matrix_factor : fitted_rnn_plain_factor;
    double work = sqrt(compute * compute + memory * memory);
    double latency = (s->steps + s->layers - 1) * step_latency_s;
    double steps = s->steps * s->layers * work;
    products *= fitted_rnn_products_factor;
    double base = latency + steps + products;
    float tile[STEP_TILES_DESCRIBED][3];
    for (size_t i = 0; i < STEP_TILES_DESCRIBED; i++)
        operator_tile_inputs(&step_tiles[i], directions, s->batch, width, units, -5, 5, tile[i]);
    float *x = inputs;
    RNN_FEATURES(OPERATOR_FEATURE_VALUE)
    return base;
}
