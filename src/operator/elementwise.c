/* Element-wise operations, forward and backward, and copies: memory traffic, from the L2 cache
 * while tensors fit, and the arithmetic of functions that cost more than their traffic. */
#include <math.h>
#include <string.h>

#include "base/constants_operators.h"
#include "operator/views.h"

/* Power: of two times that go on side by side the longer counts nearly alone. */
enum { OVERLAP = 4 };

double operator_memory_time(const operator_gpu *gpu, double footprint, double bytes) {
    double l2_bytes_per_s = fitted_l2_bytes_per_cycle * gpu->sm_count * gpu->clock_hz;
    double miss = operator_miss_share(footprint, gpu->l2_bytes, fitted_row_cache_share,
                                      fitted_row_cache_softness);
    return bytes * (miss / gpu->bytes_per_s + (1 - miss) / fmax(l2_bytes_per_s, gpu->bytes_per_s));
}

double operator_warm_share(const operator_gpu *gpu, double footprint) {
    return 1 - operator_miss_share(footprint, gpu->l2_bytes, fitted_row_cache_share,
                                   fitted_row_cache_softness);
}

/* clang-format off */
#define ELEMENTWISE_FEATURES(F) \
    F("inputs", RATES, fmin(round(w->read_bytes / w->write_bytes), 4)) \
    F("kind", RATES, elementwise_kind(w)) \
    F("log2 bytes", RATES, operator_log2(bytes, 20, 30)) \
    F("eager", RATES, query->timing == HABITAT_TIMING_EAGER) \
    F("warm", RATES, operator_warm_share(gpu, bytes)) \
    F("element bytes", RATES, habitat_dtype_bytes(w->dtype)) \
    F("compute/memory", RATES, operator_log(compute / memory, -3, 3)) \
    F("bytes/L2", GPU, operator_log(bytes / gpu->l2_bytes, -4, 6)) \
    F("flop/byte rate", GPU, log(gpu->flop_per_s / gpu->bytes_per_s))
/* clang-format on */
OPERATOR_FEATURES(operator_elementwise_features, ELEMENTWISE_FEATURES);

/* Kinds by how much they compute: sums and products 0, quotients 1, powers 2, comparisons 3,
 * functions with an exponential 4. */
static float elementwise_kind(const habitat_work *w) {
    static const struct {
        const char *part;
        float code;
    } kinds[] = {{"gelu", 4}, {"div", 1},  {"pow", 2},    {"relu", 3},
                 {"tanh", 4}, {"silu", 4}, {"sigmoid", 4}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(w->kind, kinds[i].part))
            return kinds[i].code;
    return 0;
}

bool operator_is_function(const habitat_work *work) {
    float kind = elementwise_kind(work);
    return work->op_class == HABITAT_CLASS_ELEMENTWISE && (kind == 2 || kind == 4);
}

/* Lane cycles an element of the error function, forward and backward; 16-bit tensors are converted
 * on the way. Others hide behind their traffic. */
static double lane_cycles(const habitat_work *w) {
    bool half = habitat_dtype_bytes(w->dtype) < 4, backward = w->pass != HABITAT_PASS_FORWARD;
    if (!strstr(w->kind, "gelu"))
        return 0;
    return backward ? 49 : half ? 39 : 21;
}

double operator_look_elementwise(const habitat_model_query *query, operator_class c,
                                 const operator_gpu *gpu, float *inputs) {
    (void)c;
    const habitat_work *w = query->work;
    double bytes = w->read_bytes + w->write_bytes;
    double elements = w->write_bytes / (double)habitat_dtype_bytes(w->dtype);
    double memory = operator_memory_time(gpu, bytes, bytes);
    double cycles = lane_cycles(w);
    double compute = elements * cycles / (gpu->sm_count * gpu->lanes_per_sm * gpu->clock_hz);
    float *x = inputs;
    ELEMENTWISE_FEATURES(OPERATOR_FEATURE_VALUE)
    return pow(pow(memory, OVERLAP) + pow(compute, OVERLAP), 1. / OVERLAP) +
           (cycles > 0 ? fitted_gelu_start_s : 0);
}
