/* Softmax along rows, forward and backward.
 *
 * Rows up to a limit are held in the registers of one warp (two rows where they are short), padded
 * to a power of two; longer ones are a block each. A row costs its SM cycles of issue, and the
 * shortest call lasts as long as one row. Cycles were fitted on training shapes of one GPU. */
#include <math.h>

#include "base/constants.h"
#include "operator/views.h"

/* clang-format off */
#define WARM_ROWS_FEATURES(F) \
    ROW_SHAPE_FEATURES(F) \
    F("element bytes", RATES, element) \
    F("issue/memory", RATES, operator_log(parts->issue / parts->memory, -4, 4)) \
    F("longest/memory", RATES, operator_log(parts->longest / parts->memory, -4, 4)) \
    F("backward", RATES, w->pass != HABITAT_PASS_FORWARD) \
    F("flop/byte rate", GPU, log(gpu->flop_per_s / gpu->bytes_per_s))
/* clang-format on */
OPERATOR_FEATURES(operator_warm_rows_features, WARM_ROWS_FEATURES);

void operator_rows_describe(const habitat_model_query *query, const operator_gpu *gpu,
                            const operator_rows_parts *parts, float *inputs) {
    const habitat_work *w = query->work;
    double rows = w->shape.rows.rows, columns = w->shape.rows.columns;
    double element = (double)habitat_dtype_bytes(w->dtype), bytes = 2 * element * rows * columns;
    double units = gpu->sm_count * gpu->lanes_per_sm / 64;
    float *x = inputs;
    WARM_ROWS_FEATURES(OPERATOR_FEATURE_VALUE)
}

/* Cycles of one row: of issue on its SM, and from start to end. */
typedef struct row_cycles {
    double warp_columns;                /* longest row that a warp holds */
    double warp_row, warp_step;         /* issue: a row, and 32 padded columns of it */
    double block_row, block_step;       /* the same of a block */
    double warp_longest, block_longest; /* from start to end: 32 padded columns; 1024 columns */
    double passes, footprint, starts;   /* tensors moved and held; kernels after the first */
} row_cycles;

static const row_cycles forward = {2048, 14.1, 8.73, 700, 22.4, 106, 200, 2, 2, 0};
/* The gradient times the result is a kernel of its own, whose result the second one reads. */
static const row_cycles backward = {1024, 7.15, 9.04, 213, 5.86, 17.9, 425, 6, 4, 1};

double operator_look_softmax(const habitat_model_query *query, operator_class c,
                             const operator_gpu *gpu, float *inputs) {
    (void)c;
    const habitat_work *w = query->work;
    const row_cycles *k = w->pass == HABITAT_PASS_FORWARD ? &forward : &backward;
    double rows = w->shape.rows.rows, columns = w->shape.rows.columns;
    double tensor = (double)habitat_dtype_bytes(w->dtype) * rows * columns;
    double padded = exp2(ceil(log2(columns)));
    bool warp = columns <= k->warp_columns;
    double issue = warp ? k->warp_row + k->warp_step * padded / 32
                        : k->block_row + k->block_step * columns / 32;
    double longest = warp ? k->warp_longest * padded / 32 : k->block_longest * ceil(columns / 1024);
    operator_rows_parts parts = {
        .memory = operator_memory_time(gpu, k->footprint * tensor, k->passes * tensor),
        .issue = rows / gpu->sm_count * issue / gpu->clock_hz,
        .longest = longest / gpu->clock_hz};
    operator_rows_describe(query, gpu, &parts, inputs);
    bool eager = query->timing == HABITAT_TIMING_EAGER; /* starts hide behind the call's own cost */
    return cbrt(pow(parts.memory, 3) + pow(parts.issue, 3)) + parts.longest +
           (eager ? 0 : k->starts * fitted_softmax_second_start_s);
}
