/* Softmax and layer norm as eager calls measured them. */
#include <math.h>

#include "operator/views.h"

/* clang-format off */
#define ROWS_FEATURES(F) \
    ROW_SHAPE_FEATURES(F) \
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
