/* Softmax and layer norm as eager calls measured them. */
#include <math.h>

#include "operator/views.h"

/* clang-format off */
#define ROWS_FEATURES(F) \
    F("bytes/L2", RATES, operator_log(bytes / gpu->l2_bytes, -4, 6)) \
    F("log2 rows", RATES, operator_log2(rows, 0, 20)) \
    F("log2 columns", RATES, operator_log2(columns, 0, 14)) \
    F("multiple of 4", RATES, fmod(columns, 4) == 0) \
    F("rows/SM", RATES, operator_log(rows / gpu->sm_count, -4, 8)) \
    F("rows in flight/L2", RATES, operator_log(columns * element * units * 4 / gpu->l2_bytes, -8, 4)) \
    F("warps' use", RATES, columns / (32 * ceil(columns / 32))) \
    F("blocks' use", RATES, columns / (1024 * ceil(columns / 1024))) \
    F("at most 1024", RATES, columns <= 1024) \
    F("power of two", RATES, columns / exp2(ceil(log2(columns)))) \
    F("flop/byte rate", GPU, log(gpu->flop_per_s / gpu->bytes_per_s))
/* clang-format on */
OPERATOR_FEATURES(operator_rows_features, ROWS_FEATURES);

double operator_look_rows(const habitat_model_query *query, operator_class c,
                          const operator_gpu *gpu, float *inputs) {
    (void)c;
    double rows = query->work->shape.rows.rows, columns = query->work->shape.rows.columns;
    double element = (double)habitat_dtype_bytes(query->work->dtype);
    double bytes = 2 * element * rows * columns;
    double units = gpu->sm_count * gpu->lanes_per_sm / 64;
    float *x = inputs;
    ROWS_FEATURES(OPERATOR_FEATURE_VALUE)
    return bytes / gpu->bytes_per_s;
}
