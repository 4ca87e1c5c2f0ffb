/* Recurrent layers as the library runs them (docs/modelling.md#recurrent-layers): the products with
 * the inputs of all steps at once, and then
 *   step by step    a product with the state, whose weights mostly stay in the cache. Layers and
 *                   directions run side by side, so that of the latency of their steps only a part
 *                   adds up;
 *   persistent      one kernel, whose SMs keep the weights and read the whole state each step;
 *   narrow          one kernel, each block with all the weights, for its own sequences.
 * Which of them: work/rnn_way.h. */
#include <math.h>

#include "base/constants_operators.h"
#include "gpu/generation.h"
#include "operator/views.h"
#include "work/rnn_way.h"

/* clang-format off */
#define RNN_FEATURES(F) \
    F("gates", RATES, s->gates) \
    F("backward", RATES, l.backward) \
    F("16 bit", RATES, l.element == 2) \
    F("matrix units", RATES, matrix) \
    F("layers", RATES, fmin(s->layers, 8)) \
    F("directions", RATES, l.directions) \
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
    F("step compute/memory", RATES, operator_log(l.compute / fmax(l.cache, l.memory), -5, 5)) \
    F("persistent", RATES, l.way == RNN_PERSISTENT) \
    F("narrow", RATES, l.way == RNN_NARROW) \
    F("tf32", RATES, matrix && l.element > 2) \
    F("steps' work", RATES, operator_log(p.steps / p.latency, -5, 5)) \
    F("products' share", RATES, p.products / base) \
    F("weights/registers", RATES, operator_log(l.weights / (gpu->sm_count * hardware_register_bytes_per_sm), -5, 5)) \
    F("weights/L2", GPU, operator_log(l.weights * s->layers / gpu->l2_bytes, -5, 5)) \
    F("log2 units", GPU, log2(l.units)) \
    F("flop/byte rate", GPU, log(rate / gpu->bytes_per_s)) \
    F("log step time", GPU, operator_log(work / step_latency_s, -5, 6))
/* clang-format on */
OPERATOR_FEATURES(operator_rnn_features, RNN_FEATURES);

static const operator_tile step_tiles[] = {{64, 64, .6}, {32, 128, .6}, {32, 32, .4}};
enum { STEP_TILES_DESCRIBED = 2 };
static const operator_tile product_tiles[] = {
    {128, 128, .95}, {128, 64, .8}, {64, 64, .65}, {32, 32, .4}};

/* Fitted to the rows of one GPU, those without launches, by least mean |log(t/a)|, each way,
 * unit and pass by itself; judged on another: docs/decisions/0280. */
typedef struct step_costs {
    double latency_s; /* of one step, whatever its size */
    double shared;    /* of it, what another layer or direction adds */
    double compute;   /* of the tiles' time */
    double traffic;   /* of weights and gates that are in the cache */
    double products;  /* of the tiles' time */
} step_costs;
enum { UNIT_PLAIN, UNIT_TF32, UNIT_16, UNITS };
static const step_costs step_by_step[UNITS][2] = {
    [UNIT_PLAIN] = {{5.27e-06, 0.0369, 0.673, 2.89, 1.43}, {8.36e-06, 0.217, 0.189, 4.86, 1.45}},
    [UNIT_TF32] = {{6.74e-06, 0.335, 1.47, 1, 1.47}, {1.07e-05, 0.273, 3.17, 0.383, 1.97}},
    [UNIT_16] = {{4.93e-06, 0.446, 0.822, 1.2, 2.62}, {5.32e-06, 0.428, 1.87, 1.09, 1.97}},
};

/* Times the work of a step, and of the products, where rows of the state are not aligned to the 16
 * byte that matrix units read at once: forward, backward. */
enum { ALIGNED_BYTES = 16, UNALIGNED_PRODUCTS = 2 };
static const double unaligned[UNITS][2] = {
    [UNIT_PLAIN] = {1, 1}, [UNIT_TF32] = {3, 1.5}, [UNIT_16] = {3, 3}};
/* Rows that launch each step are of libraries that differ by compute capability: those before 7.0
 * do not cut the sums of a gradient, and with 32 sequences those of 6.x have a kernel that takes
 * each term of its sums six times as long. Nothing that is asked does: docs/decisions/0380. */
typedef struct launched_costs {
    double compute, traffic;     /* as above */
    double cycles, cycles_of_32; /* of a term of a sum, whatever the tile */
    bool cuts_sums;
} launched_costs;
static launched_costs launched_of(uint32_t capability, const step_costs *asked, bool backward) {
    if (capability >= SM_VOLTA)
        return (launched_costs){asked->compute, fitted_rnn_launched_traffic, fitted_rnn_term_cycles,
                                fitted_rnn_term_cycles, true};
    return (launched_costs){
        backward ? fitted_rnn_uncut_backward : fitted_rnn_uncut_forward,
        fitted_rnn_launched_traffic, fitted_rnn_term_cycles,
        capability >= SM_PASCAL ? fitted_rnn_pascal_term_cycles : fitted_rnn_term_cycles, false};
}

typedef struct persistent_costs {
    double step_s, sequence_s;
    double traffic, products; /* as above */
} persistent_costs;
static const persistent_costs persistent[2] = {{9.76e-07, 4.9e-08, 1.1, 0.846},
                                               {2.51e-06, 5.38e-08, 0.749, 2.6}};

typedef struct narrow_costs {
    double step_cycles, bytes_per_cycle; /* of weights, those in registers */
    double spilled;                      /* times that, of what is not */
    double products;                     /* as above */
} narrow_costs;
static const narrow_costs narrow[2][2] = {
    [0] = {{762, 64.6, 4.55, 1.36}, {1.74e+03, 73.4, 4.55, 0.811}},  /* fp32 */
    [1] = {{1.86e+03, 57.5, 1.95, 0.7}, {3.46e+03, 136, 1.95, 0.7}}, /* fp16 */
};

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

/* What is computed, whichever way. */
typedef struct layers {
    const habitat_rnn_shape *shape;
    const operator_gpu *gpu;
    rnn_way way;
    double element, directions, units;
    double products; /* of all steps at once [s] */
    double weights;  /* of one layer [byte] */
    double compute, cache,
        memory; /* of one step of one layer: its sums, its traffic from each [s] */
    size_t unit;
    bool backward;
    bool launched;  /* measured with the launches of its steps inside */
    bool unaligned; /* rows of the state, for matrix units */
} layers;

static layers layers_of(const habitat_model_query *query, const operator_gpu *gpu) {
    const habitat_rnn_shape *s = &query->work->shape.rnn;
    bool matrix = operator_arithmetic(query) != HABITAT_DTYPE_FP32;
    layers l = {.shape = s,
                .gpu = gpu,
                .element = (double)habitat_dtype_bytes(query->work->dtype),
                .directions = s->bidirectional ? 2 : 1,
                .units = matrix ? gpu->sm_count : gpu->sm_count * gpu->lanes_per_sm / 64,
                .backward = query->work->pass != HABITAT_PASS_FORWARD,
                .launched = query->timing == HABITAT_TIMING_EAGER};
    rnn_device device = {gpu->compute_capability, gpu->sm_count};
    double width = s->gates * s->hidden, rows = s->batch * s->steps, rate = gpu->flop_per_s;
    double state = rnn_state(s), projection = s->projected * s->hidden;
    l.way = rnn_way_of(s, query->work->dtype, l.backward, &device);
    l.unit = !matrix ? UNIT_PLAIN : l.element > 2 ? UNIT_TF32 : UNIT_16;
    l.unaligned =
        l.unit != UNIT_PLAIN && !l.launched && fmod(state * l.element, ALIGNED_BYTES) != 0;
    for (unsigned layer = 0; layer < 64 && layer < s->layers; layer++) {
        double in = layer > 0 ? state * l.directions : s->input;
        l.products += BEST(product_tiles, rows, width * l.directions, in, 1, l.units, rate);
        if (l.backward) /* the weights' gradient of inputs and states */
            l.products += BEST(product_tiles, width, in + state, rows, l.directions, l.units, rate);
        if (l.backward && projection > 0)
            l.products += BEST(product_tiles, state, s->hidden, rows, l.directions, l.units, rate);
    }
    l.weights = l.element * (width * state + projection) * l.directions;
    double moved = l.element * s->batch * l.directions * (2 * width + 4 * s->hidden);
    double miss = operator_miss_share(l.weights * s->layers, gpu->l2_bytes, fitted_rnn_cache_share,
                                      fitted_rnn_cache_softness);
    l.cache = (l.weights + moved) / (gpu->sm_count * hardware_l2_bytes_per_s_per_sm);
    l.memory = fitted_rnn_traffic_factor * (l.weights + moved) * miss / gpu->bytes_per_s;
    l.compute = l.backward ? BEST(step_tiles, s->batch, state, width, l.directions, l.units, rate)
                           : BEST(step_tiles, s->batch, width, state, l.directions, l.units, rate);
    if (projection > 0)
        l.compute +=
            l.backward ? BEST(step_tiles, s->batch, s->hidden, state, l.directions, l.units, rate)
                       : BEST(step_tiles, s->batch, state, s->hidden, l.directions, l.units, rate);
    return l;
}

/* Seconds: what steps take whatever their size, their work, and the products of all steps. */
typedef struct parts {
    double latency, steps, products;
} parts;

/* Seconds of work in a step that is launched by itself. A block walks along its sum. */
static double launched_work(const layers *l, const step_costs *asked) {
    const habitat_rnn_shape *s = l->shape;
    launched_costs c = launched_of(l->gpu->compute_capability, asked, l->backward);
    double terms = rnn_state(s) * (l->backward && !c.cuts_sums ? s->gates : 1);
    double walk = terms * (s->batch == 32 ? c.cycles_of_32 : c.cycles) / l->gpu->clock_hz;
    return hypot(hypot(c.compute * l->compute, walk), fmax(c.traffic * l->cache, l->memory));
}

/* The same of a step inside of a graph, as all are that are asked about. */
static double graph_work(const layers *l, const step_costs *c) {
    return (l->unaligned ? unaligned[l->unit][l->backward] : 1) *
           hypot(c->compute * l->compute, fmax(c->traffic * l->cache, l->memory));
}

static parts stepped(const layers *l) {
    const habitat_rnn_shape *s = l->shape;
    const step_costs *c = &step_by_step[l->unit][l->backward];
    double beside = s->layers * l->directions - 1;
    double work = l->launched ? launched_work(l, c) : graph_work(l, c);
    double latency_s = c->latency_s * (1 + c->shared * beside);
    if (l->launched)
        latency_s = fmax(latency_s, fitted_rnn_launched_step_s);
    return (parts){.latency = s->steps * latency_s,
                   .steps = s->steps * s->layers * work,
                   .products = (l->unaligned ? UNALIGNED_PRODUCTS : 1) * c->products * l->products};
}

static parts in_persistent_kernel(const layers *l) {
    const habitat_rnn_shape *s = l->shape;
    const persistent_costs *c = &persistent[l->backward];
    double state_s = s->batch * s->hidden * l->element / hardware_l2_bytes_per_s_per_sm;
    return (parts){.latency = s->steps * c->step_s,
                   .steps = s->steps * (c->sequence_s * s->batch + c->traffic * state_s),
                   .products = c->products * l->products};
}

/* A block a sequence: more of them than SMs run one after the other. So do directions. Matrix units
 * take eight sequences at a time; others compute in fp32. */
static parts in_narrow_kernel(const layers *l) {
    const habitat_rnn_shape *s = l->shape;
    bool half = l->element <= 2 && fmod(s->batch, 8) == 0;
    const narrow_costs *c = &narrow[half][l->backward];
    double weights = (half ? 2 : 4) * s->gates * s->hidden * s->hidden;
    double waves = fmax(1, s->batch / l->gpu->sm_count);
    double spilled = fmax(0, weights - hardware_register_bytes_per_sm);
    double steps = s->steps * s->layers * l->directions * waves / l->gpu->clock_hz;
    return (parts){.latency = steps * c->step_cycles,
                   .steps = steps * (weights + c->spilled * spilled) / c->bytes_per_cycle,
                   .products = c->products * l->products};
}

static parts parts_of(const layers *l) {
    switch (l->way) {
    case RNN_PERSISTENT:
        return in_persistent_kernel(l);
    case RNN_NARROW:
        return in_narrow_kernel(l);
    default:
        return stepped(l);
    }
}

double operator_look_rnn(const habitat_model_query *query, operator_class c,
                         const operator_gpu *gpu, float *inputs) {
    (void)c;
    layers l = layers_of(query, gpu);
    parts p = parts_of(&l);
    const habitat_rnn_shape *s = l.shape;
    double base = p.latency + p.steps + p.products, rate = gpu->flop_per_s;
    double step_latency_s = step_by_step[l.unit][l.backward].latency_s;
    double work = hypot(l.compute, fmax(l.cache, l.memory));
    bool matrix = l.unit != UNIT_PLAIN;
    float tile[STEP_TILES_DESCRIBED][3];
    for (size_t i = 0; i < STEP_TILES_DESCRIBED; i++)
        operator_tile_inputs(&step_tiles[i], l.directions, s->batch, s->gates * s->hidden, l.units,
                             -5, 5, tile[i]);
    float *x = inputs;
    RNN_FEATURES(OPERATOR_FEATURE_VALUE)
    return base;
}
