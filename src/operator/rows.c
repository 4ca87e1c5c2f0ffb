/* Softmax and layer norm as eager calls measured them. */
#include <math.h>

#include "operator/views.h"

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
