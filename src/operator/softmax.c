/* Softmax and its logarithm along rows, forward and backward.
 *
 * Rows up to a limit are held in the registers of one warp (two rows where they are short), padded
 * to a power of two; longer ones are a block each. A block issues the cycles of the kernel that
 * one GPU ran: it holds its row in registers, then in shared memory where rows are aligned to 16
 * byte, else it reads the row three times. What moves is the same for all three: readings after the
 * first come from the cache, as long as the rows of all blocks in flight fit. A row costs its SM
 * cycles of issue, and the shortest call lasts as long as one row. Cycles were fitted on training
 * shapes of one GPU, what is read again on those of six. */
#include <math.h>
#include <string.h>

#include "base/constants_operators.h"
#include "operator/views.h"

/* clang-format off */
#define WARM_ROWS_FEATURES(F) \
    ROW_SHAPE_FEATURES(F) \
    F("element bytes", RATES, element) \
    F("issue/memory", RATES, operator_log(parts->issue / parts->memory, -4, 4)) \
    F("longest/memory", RATES, operator_log(parts->longest / parts->memory, -4, 4)) \
    F("backward", RATES, w->pass != HABITAT_PASS_FORWARD) \
    F("flop/byte rate", GPU, log(gpu->flop_per_s / gpu->bytes_per_s))

/* Of softmax and layer norm, beside those. */
#define OWN_FEATURES(F) \
    F("logarithm", RATES, is_logarithm(w)) \
    F("rows of 16 byte", RATES, fmod(row_bytes, VECTOR_BYTES) == 0) \
    F("row in flight/L2", RATES, operator_log(in_flight(gpu, row_bytes) / gpu->l2_bytes, -6, 4))
#define ROW_KERNEL_FEATURES(F) WARM_ROWS_FEATURES(F) OWN_FEATURES(F)
/* clang-format on */
enum { VECTOR_BYTES = 16, BLOCK_THREADS = 1024 };

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

OPERATOR_FEATURES(operator_row_kernel_features, ROW_KERNEL_FEATURES);

static bool is_logarithm(const habitat_work *w) {
    return strstr(w->kind, "log_softmax") != NULL;
}

/* Bytes of the rows that blocks work on at one time, one block of 1024 threads an SM. */
static double in_flight(const operator_gpu *gpu, double row_bytes) {
    return gpu->sm_count * BLOCK_THREADS * fmax(VECTOR_BYTES, row_bytes / BLOCK_THREADS);
}

void operator_row_kernel_describe(const habitat_model_query *query, const operator_gpu *gpu,
                                  const operator_rows_parts *parts, float *inputs) {
    operator_rows_describe(query, gpu, parts, inputs);
    const habitat_work *w = query->work;
    double row_bytes = (double)habitat_dtype_bytes(w->dtype) * w->shape.rows.columns;
    float *x = inputs + operator_warm_rows_features.count;
    OWN_FEATURES(OPERATOR_FEATURE_VALUE)
}

/* Cycles of one row: of issue on its SM, and from start to end. */
typedef struct row_cycles {
    double warp_columns;                /* longest row that a warp holds */
    double warp_row, warp_step;         /* issue: a row, and 32 padded columns of it */
    double warp_longest, block_longest; /* from start to end: 32 padded columns; 1024 columns */
    double traffic;                     /* over the least */
} row_cycles;

static const row_cycles forward = {2048, 12, 9.7, 75, 136, 1.15};
static const row_cycles backward = {1024, 7.15, 9.04, 17.9, 425, 1};

/* Issue of a block: a row, and a column of it. */
typedef struct block_cycles {
    double row, column;
} block_cycles;

/* Up to six or seven columns a thread of 1024, up to nine; in shared memory; three readings. */
static const block_cycles in_registers = {950, .575}, in_more_registers = {1550, .82},
                          in_shared_memory = {4100, .2}, not_held = {5750, .295},
                          of_gradients = {213, .183};

static const double register_columns[2] = {6144, 7168}; /* of the logarithm: it needs one less */
enum { MOST_REGISTER_COLUMNS = 9216, SHARED_BYTES = 48000 };

static block_cycles cycles_of(const habitat_work *w) {
    double columns = w->shape.rows.columns;
    double bytes = (double)habitat_dtype_bytes(w->dtype) * columns;
    if (w->pass != HABITAT_PASS_FORWARD)
        return of_gradients;
    if (columns <= MOST_REGISTER_COLUMNS)
        return columns <= register_columns[is_logarithm(w)] ? in_registers : in_more_registers;
    return bytes < SHARED_BYTES && fmod(bytes, VECTOR_BYTES) == 0 ? in_shared_memory : not_held;
}

/* Two more readings of what has left the cache, of every row that a block takes. Rows that blocks
 * hold were measured on GPUs alone whose cache serves all that is in flight: there nothing is read
 * again. On GPUs of less cache rows of every length were, by a library whose blocks hold none. */
static double read_again(const habitat_work *w, const operator_gpu *gpu) {
    double bytes = (double)habitat_dtype_bytes(w->dtype) * w->shape.rows.columns;
    return 2 * operator_miss_share(in_flight(gpu, bytes), gpu->l2_bytes,
                                   fitted_softmax_flight_share, fitted_softmax_flight_softness);
}

/* Tensors moved and held, and kernels after the first. The gradient of softmax times its result is
 * a kernel of its own, whose result the second one reads. */
typedef struct row_traffic {
    double passes, footprint, starts;
} row_traffic;

static row_traffic traffic_of(const habitat_work *w, const operator_gpu *gpu, bool warp) {
    if (w->pass == HABITAT_PASS_FORWARD)
        return (row_traffic){2 + (warp ? 0 : read_again(w, gpu)), 2, 0};
    return is_logarithm(w) ? (row_traffic){3, 3, 0} : (row_traffic){6, 4, 1};
}

double operator_look_softmax(const habitat_model_query *query, operator_class c,
                             const operator_gpu *gpu, float *inputs) {
    (void)c;
    const habitat_work *w = query->work;
    bool is_forward = w->pass == HABITAT_PASS_FORWARD;
    const row_cycles *k = is_forward ? &forward : &backward;
    double rows = w->shape.rows.rows, columns = w->shape.rows.columns;
    double tensor = (double)habitat_dtype_bytes(w->dtype) * rows * columns;
    double padded = exp2(ceil(log2(columns)));
    bool warp = columns <= k->warp_columns, logarithm = is_forward && is_logarithm(w);
    block_cycles block = cycles_of(w);
    double issue =
        warp
            ? (k->warp_row + k->warp_step * padded / 32) * (logarithm ? fitted_log_softmax_warp : 1)
            : (block.row + block.column * columns) * (logarithm ? fitted_log_softmax_block : 1);
    double longest = warp ? k->warp_longest * padded / 32 : k->block_longest * ceil(columns / 1024);
    row_traffic moved = traffic_of(w, gpu, warp);
    operator_rows_parts parts = {
        .memory =
            k->traffic * operator_memory_time(gpu, moved.footprint * tensor, moved.passes * tensor),
        .issue = rows / gpu->sm_count * issue / gpu->clock_hz,
        .longest = longest / gpu->clock_hz};
    operator_row_kernel_describe(query, gpu, &parts, inputs);
    bool eager = query->timing == HABITAT_TIMING_EAGER; /* starts hide behind the call's own cost */
    return cbrt(pow(parts.memory, 3) + pow(parts.issue, 3)) + parts.longest +
           (eager ? 0 : moved.starts * fitted_softmax_second_start_s);
}
