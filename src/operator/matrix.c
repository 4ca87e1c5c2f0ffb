/* Matrix products on matrix units: tf32, fp16, bf16, fp8.
 *
 * A kernel cuts the output into tiles, one an SM at a time, and k into parts where tiles are few;
 * the library takes the cut that is quickest. Units are paced by their peak and by what the cache
 * delivers; the whole by the rate that the board's power sustains, which does not care how full
 * the last wave is. docs/modelling.md#analytic-times has the formulas and the sources of constants.
 */
#include <math.h>

#include "base/constants_operators.h"
#include "gpu/generation.h"
#include "operator/views.h"

/* clang-format off */
#define MATRIX_FEATURES(F) \
    F("waves 256x128", RATES, tile[0][0]) \
    F("filling 256x128", RATES, tile[0][1]) \
    F("use 256x128", RATES, tile[0][2]) \
    F("waves 128x256", RATES, tile[1][0]) \
    F("filling 128x256", RATES, tile[1][1]) \
    F("use 128x256", RATES, tile[1][2]) \
    F("waves 128x128", RATES, tile[2][0]) \
    F("filling 128x128", RATES, tile[2][1]) \
    F("use 128x128", RATES, tile[2][2]) \
    F("waves 128x64", RATES, tile[3][0]) \
    F("filling 128x64", RATES, tile[3][1]) \
    F("use 128x64", RATES, tile[3][2]) \
    F("waves 64x128", RATES, tile[4][0]) \
    F("filling 64x128", RATES, tile[4][1]) \
    F("use 64x128", RATES, tile[4][2]) \
    F("waves 64x64", RATES, tile[5][0]) \
    F("filling 64x64", RATES, tile[5][1]) \
    F("use 64x64", RATES, tile[5][2]) \
    F("compute/memory", RATES, operator_log(compute / memory, -5, 5)) \
    F("tile loss", RATES, operator_log(compute / power, 0, 5)) \
    F("log2 k", RATES, operator_log2(k, 4, 16)) \
    F("multiples", RATES, whole_multiples(n, 8, 64) + whole_multiples(k, 8, 64)) \
    F("variant", RATES, query->variant == HABITAT_VARIANT_SGLANG) \
    F("block scales", RATES, query->variant == HABITAT_VARIANT_BLOCK_SCALED) \
    F("alignment", RATES, log2(alignment)) \
    F("log2 m", GPU, operator_log2(m, 0, 16)) \
    F("log2 n", GPU, operator_log2(n, 0, 16)) \
    F("footprint/L2", GPU, operator_log(footprint / gpu->l2_bytes, -3, 3)) \
    F("log time", GPU, operator_log(base / 4e-6, -2, 5)) \
    F("a transposed", GPU, s->trans_a) \
    F("b transposed", GPU, s->trans_b)

/* Of 8-bit products, beside those. */
#define QUANTISED_FEATURES(F) \
    F("quantising/product", RATES, operator_log(quantising / product, -4, 3)) \
    F("tensorrt", RATES, query->variant == HABITAT_VARIANT_TRTLLM)
#define FP8_FEATURES(F) MATRIX_FEATURES(F) QUANTISED_FEATURES(F)
/* clang-format on */
OPERATOR_FEATURES(operator_matrix_features, MATRIX_FEATURES);
OPERATOR_FEATURES(operator_fp8_features, FP8_FEATURES);

/* Tiles of the libraries' kernels; the first six are described to the trees. */
static const double tiles[][2] = {{256, 128}, {128, 256}, {128, 128}, {128, 64},
                                  {64, 128},  {64, 64},   {256, 64},  {64, 256},
                                  {64, 32},   {32, 64},   {16, 64}};
enum { TILES = sizeof tiles / sizeof *tiles, TILES_DESCRIBED = 6 };
static const double splits[] = {1, 2, 3, 4, 6, 8, 16};
enum { SPLITS = sizeof splits / sizeof *splits };

static double fourth(double x) {
    return x * x * x * x;
}

double operator_powered(double tiled_s, double power_s) {
    double x = fourth(tiled_s / power_s);
    return power_s * sqrt(sqrt(sqrt(1 + x * x)));
}

bool operator_has_clusters(const operator_gpu *gpu) {
    return sm_has_clusters(gpu->compute_capability);
}

/* All SMs together draw less from the cache than each path is built for. Parts for graphics, which
 * share the design of the 8.6, have less than half an SM of what data-centre parts since 8.0 have.
 */
double operator_path_bytes_per_cycle(const operator_gpu *gpu, double most) {
    unsigned capability = gpu->compute_capability;
    if (capability == 0 || sm_has_clusters(capability))
        return most;
    if (capability < SM_AMPERE)
        return fmin(most, hardware_volta_path_bytes_per_cycle);
    return capability > SM_AMPERE ? fmin(most, hardware_graphics_path_bytes_per_cycle) : most;
}

/* Caches of data-centre parts from 8.0 on lie in two halves, each of which keeps what its own SMs
 * read: products, read by all SMs, lie in both. Parts for graphics since then have one cache. */
static double cache_share(const operator_gpu *gpu) {
    bool one = gpu->compute_capability > SM_AMPERE && !operator_has_clusters(gpu);
    return (one ? 2 : 1) * fitted_product_cache_share;
}

/* The end of a tile: sums that lie in a memory of their own are written while the next tile is
 * multiplied. */
static double tile_end(const operator_gpu *gpu, bool clusters) {
    if (!clusters)
        return fitted_product_tile_end_s;
    return gpu->compute_capability >= hardware_tensor_memory_capability
               ? 0
               : fitted_tile_end_clusters_s;
}

/* 32 of the 64 byte a cycle that an SM's path to the cache is built for, or what all SMs together
 * get; clusters load once for several. With them the end of one tile also overlaps the beginning of
 * the next. */
operator_kernel_costs operator_product_costs(const operator_gpu *gpu, bool clusters) {
    return (operator_kernel_costs){
        .sm_bytes_per_s =
            gpu->clock_hz *
            (clusters ? hardware_cluster_path_bytes_per_cycle
                      : operator_path_bytes_per_cycle(gpu, hardware_product_path_bytes_per_cycle)),
        .tile_s = tile_end(gpu, clusters),
        .wave = clusters ? fitted_product_wave_clusters : 1,
    };
}

/* Alignment of rows in memory [byte], at most 16: of both operands as they are stored, and of the
 * result. 8-bit kernels take aligned rows alone. An operand stored transposed, as both are for the
 * gradient of a weight, has rows along the result and not along the sum. */
static double alignment_of(const habitat_gemm_shape *s, double element) {
    const double rows[] = {s->trans_a ? s->m : s->k, s->trans_b ? s->k : s->n, s->n};
    double bytes = 16;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        while (bytes > element && fmod(rows[i] * element, bytes) != 0)
            bytes /= 2;
    return bytes;
}

static bool is_tf32_on_hopper(const operator_gpu *gpu, double element) {
    return element == 4 && gpu->compute_capability >= SM_HOPPER &&
           gpu->compute_capability < SM_BLACKWELL;
}

/* Hopper's units take TF32 operands along k alone: others are turned on the way, and a product of
 * two such, the gradient of a weight, runs at half the pace. 16-bit operands are taken either way.
 */
static double layout_share(const operator_gpu *gpu, const habitat_gemm_shape *s, double element) {
    if (!is_tf32_on_hopper(gpu, element) || s->trans_b)
        return 1;
    return s->trans_a ? fitted_tf32_both_turned : fitted_tf32_one_turned;
}

double operator_unit_rate(const operator_gpu *gpu, double element, double alignment) {
    double rate = gpu->units_flop_per_s / gpu->sm_count;
    double half = alignment < 4 ? .5 : 1;
    if (alignment >= 16)
        return rate;
    return half * fmin(rate, fitted_unaligned_flop_per_cycle * 2 / element * gpu->clock_hz);
}

/* What a way of measuring holds of the sustained rate, and the length of one product from which on
 * it holds less: it is repeated, and the power limit acts. */
typedef struct power_state {
    double share, tires_s;
} power_state;

/* Source: rates by length of each framework's rows on four GPUs (docs/decisions/0232). vLLM's keep
 * theirs at any length, SGLang's fall from 0.4 ms on, TensorRT-LLM's from 3 ms on. The shares were
 * chosen with rows of all four in view; the decision says what they are without each. */
static power_state power_state_of(const habitat_model_query *query) {
    static const power_state short_run = {1, INFINITY};
    static const power_state serving[] = {
        [HABITAT_VARIANT_DEFAULT] = {1.05, INFINITY}, /* vLLM */
        [HABITAT_VARIANT_SGLANG] = {.95, 4e-4},
        [HABITAT_VARIANT_TRTLLM] = {1, 3e-3},
    };
    if (query->timing != HABITAT_TIMING_SERVING)
        return short_run;
    return serving[query->variant <= HABITAT_VARIANT_TRTLLM ? query->variant
                                                            : HABITAT_VARIANT_DEFAULT];
}

/* Seconds that the power limit allows. A GPU that holds little of its peak in short runs holds less
 * of it yet in long ones. */
static double power_time(const habitat_model_query *query, const operator_gpu *gpu, double flop) {
    power_state state = power_state_of(query);
    double time = flop / gpu->flop_per_s;
    double least = fmin(fitted_tired_share * gpu->flop_per_s / gpu->peak_flop_per_s, state.share);
    double tired = log(time / state.tires_s) / log(fitted_tired_within);
    tired = fmin(fmax(tired, 0), 1);
    return time / (state.share * pow(least / state.share, tired));
}

/* The library's kernels with clusters are of 16 and 8 bit. In TF32 Hopper runs older ones: each SM
 * loads for itself, through all of its path, and waits for the end of each tile and wave. */
static operator_kernel_costs costs_of(const operator_gpu *gpu, double element, double alignment) {
    bool aligned = operator_has_clusters(gpu) && alignment >= 16;
    bool alone = is_tf32_on_hopper(gpu, element);
    operator_kernel_costs costs = operator_product_costs(gpu, aligned && !alone);
    if (aligned && alone)
        costs.sm_bytes_per_s = gpu->clock_hz * hardware_whole_path_bytes_per_cycle;
    return costs;
}

/* Seconds of the quickest cut. */
static double tiled_time(const operator_gpu *gpu, const habitat_gemm_shape *s, double element,
                         double alignment) {
    double b = s->b, m = s->m, n = s->n, k = s->k;
    const operator_kernel_costs costs = costs_of(gpu, element, alignment);
    double unit_flop_per_s =
        fmin(operator_unit_rate(gpu, element, alignment),
             layout_share(gpu, s, element) * operator_unit_rate(gpu, element, 16));
    double best = INFINITY, sums = b * m * n * 8 / (gpu->sm_count * hardware_l2_bytes_per_s_per_sm);
    for (size_t i = 0; i < TILES; i++) {
        double r = tiles[i][0], q = tiles[i][1];
        double compute = 2 * r * q / unit_flop_per_s;
        double load = (r + q) * element / costs.sm_bytes_per_s;
        double step = sqrt(sqrt(fourth(compute) + fourth(load)));
        double count = b * ceil(m / r) * ceil(n / q);
        double end = costs.tile_s * r * q / (128 * 128);
        for (size_t j = 0; j < SPLITS && (j == 0 || k >= chosen_product_least_part * splits[j]);
             j++) {
            double waves = count * splits[j] / gpu->sm_count;
            waves = fmax(waves + costs.wave * (ceil(waves) - waves), costs.wave);
            double time = waves * (step * k / splits[j] + end);
            if (j > 0)
                time += fitted_product_split_s + sums * splits[j];
            best = fmin(best, time);
        }
    }
    return best;
}

/* Turning the 16-bit operand into 8 bit, which measured times of 8-bit products contain: kernels
 * beyond the first, and cycles of issue an element and a row, one SM working alone. */
typedef struct quantiser {
    double start_s, element_cycles, row_cycles;
} quantiser;

/* Source: training rows of three GPUs; with each left out in turn the numbers come out
 * alike (docs/decisions/0301). vLLM has a scale for each row and a block of threads for each; 128
 * by 128 scales are of that framework, too; TensorRT-LLM runs several kernels. */
static const quantiser *quantiser_of(const habitat_model_query *query) {
    static const quantiser of[] = {
        [HABITAT_VARIANT_DEFAULT] = {3e-6, .33, 1500},
        [HABITAT_VARIANT_SGLANG] = {3e-6, .15, 0},
        [HABITAT_VARIANT_TRTLLM] = {9e-6, .25, 0},
        [HABITAT_VARIANT_BLOCK_SCALED] = {4e-6, .15, 100},
    };
    bool known = query->variant < sizeof of / sizeof *of && of[query->variant].start_s > 0;
    return &of[known ? query->variant : HABITAT_VARIANT_DEFAULT];
}

/* Two bytes read and one written an element. */
double operator_quantising_s(const habitat_model_query *query, const operator_gpu *gpu, double rows,
                             double columns) {
    const quantiser *q = quantiser_of(query);
    double bytes = 3 * rows * columns;
    double cycles = rows * (q->row_cycles + q->element_cycles * columns) / gpu->sm_count;
    return q->start_s + operator_memory_time(gpu, bytes, bytes) + cycles / gpu->clock_hz;
}

static void describe_tiles(double b, double m, double n, double units, float out[][3]) {
    for (size_t i = 0; i < TILES_DESCRIBED; i++) {
        const operator_tile tile = {tiles[i][0], tiles[i][1], 1};
        operator_tile_inputs(&tile, b, m, n, units, -5, 5, out[i]);
    }
}

static double whole_multiples(double value, double a, double b) {
    return (fmod(value, a) == 0) + (fmod(value, b) == 0);
}

double operator_look_matrix(const habitat_model_query *query, operator_class c,
                            const operator_gpu *gpu, float *inputs) {
    habitat_gemm_shape row = operator_as_row(&query->work->shape.gemm);
    const habitat_gemm_shape *s = &row;
    double b = s->b, m = s->m, n = s->n, k = s->k;
    bool fp8 = c == OPERATOR_GEMM_FP8;
    double element = fp8 ? 1 : (double)habitat_dtype_bytes(query->work->dtype);
    double weights = element * b * n * k;
    double moved = (fp8 ? 2 : element) * b * (m * k + m * n);
    double bytes = weights + moved;
    bool serving = query->timing == HABITAT_TIMING_SERVING;
    double copies = serving ? 6 : 1; /* of the weights; of one framework's other operand, too */
    double inputs_copies = serving && query->variant == HABITAT_VARIANT_SGLANG ? 6 : 1;
    double operand = (fp8 ? 2 : element) * b * m * k;
    double footprint = copies * weights + moved + (inputs_copies - 1) * operand;
    double miss = operator_miss_share(footprint, gpu->l2_bytes, cache_share(gpu),
                                      fitted_product_cache_softness);
    double memory = fmax(bytes * miss / (fitted_product_dram_share * gpu->bytes_per_s),
                         bytes / (gpu->sm_count * hardware_l2_bytes_per_s_per_sm));
    double alignment = fp8 ? 16 : alignment_of(s, element);
    double power = power_time(query, gpu, 2 * b * m * n * k);
    double tiled = tiled_time(gpu, s, element, alignment);
    double compute = operator_powered(tiled, power);
    double base = cbrt(compute * compute * compute + memory * memory * memory);
    float tile[TILES_DESCRIBED][3];
    describe_tiles(b, m, n, gpu->sm_count, tile);
    float *x = inputs;
    MATRIX_FEATURES(OPERATOR_FEATURE_VALUE)
    return base;
}

double operator_look_fp8(const habitat_model_query *query, operator_class c,
                         const operator_gpu *gpu, float *inputs) {
    const habitat_gemm_shape *s = &query->work->shape.gemm;
    double product = operator_look_matrix(query, c, gpu, inputs);
    double quantising = operator_quantising_s(query, gpu, s->b * s->m, s->k);
    float *x = inputs + operator_matrix_features.count;
    QUANTISED_FEATURES(OPERATOR_FEATURE_VALUE)
    return product + quantising;
}
