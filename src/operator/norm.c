/* Layer norm along rows and batch norm along channels, forward and backward (training).
 *
 * Layer norm: a block a row; rows whose length is no multiple of 4 go through slower kernels. Its
 * backward pass adds sums down the columns. Batch norm: a block a channel, so that few channels
 * leave most SMs idle. Cycles were fitted on training shapes of one GPU. */
#include <math.h>
#include <string.h>

#include "base/constants_operators.h"
#include "operator/views.h"

/* Of rows in vectors of 4 and of others. */
typedef struct norm_cycles {
    double row, column;     /* issue on its SM */
    double longest;         /* a column, from start to end */
    double memory, start_s; /* traffic over what is moved; beyond the cost of any kernel */
} norm_cycles;

static const norm_cycles forward[2] = {{294, .282, 1.9, 1.02, .86e-6},
                                       {1264, .902, 1.03, 1.57, 2.1e-6}};
static const norm_cycles backward[2] = {{231, .424, 1.19, 1.24, 2.7e-6},
                                        {253, .815, 1.88, .72, 3.0e-6}};

enum { ROW_THREADS = 128, VECTOR = 4 };

/* PyTorch's kernel for whole rows reads vectors, forward in all formats but fp64. */
static bool in_vectors(const habitat_work *w) {
    bool format = w->pass != HABITAT_PASS_FORWARD || w->dtype != HABITAT_DTYPE_FP64;
    return format && fmod(w->shape.rows.columns, VECTOR) == 0;
}

/* Tensors moved forward: a block reads its row for the statistics and again for the result, from
 * the cache as long as the rows in flight fit; rows in no vectors go through two kernels. */
static double forward_tensors(const habitat_work *w, const operator_gpu *gpu) {
    double columns = w->shape.rows.columns, element = (double)habitat_dtype_bytes(w->dtype);
    if (!in_vectors(w))
        return 3;
    double in_flight = gpu->sm_count * gpu->threads_per_sm / ROW_THREADS * columns * element;
    return 2 + operator_miss_share(in_flight, gpu->l2_bytes, fitted_norm_flight_share,
                                   fitted_norm_flight_softness);
}

/* Sums of the weights' and bias' gradients down the columns: 32 columns a block, unless the rows
 * are so many that blocks share them. */
static double column_sums(const operator_gpu *gpu, double rows, double columns, double tensors) {
    double blocks = ceil(columns / 32);
    if (rows > hardware_norm_most_rows && columns / 32 < gpu->sm_count / 2)
        return fitted_norm_shared_traffic * tensors;
    double walk = rows * fitted_norm_row_cycles *
                  fmax(1, blocks / gpu->sm_count * fitted_norm_block_share) / gpu->clock_hz;
    return fmax(fitted_norm_sums_traffic * tensors, walk);
}

double operator_look_layer_norm(const habitat_model_query *query, operator_class c,
                                const operator_gpu *gpu, float *inputs) {
    (void)c;
    const habitat_work *w = query->work;
    bool is_forward = w->pass == HABITAT_PASS_FORWARD;
    double rows = w->shape.rows.rows, columns = w->shape.rows.columns;
    const norm_cycles *k = (is_forward ? forward : backward) + !in_vectors(w);
    double tensor = (double)habitat_dtype_bytes(w->dtype) * rows * columns;
    double held = is_forward ? 2 : 3, moved = is_forward ? forward_tensors(w, gpu) : 3;
    operator_rows_parts parts = {
        .memory = k->memory * operator_memory_time(gpu, held * tensor, moved * tensor),
        .issue = rows / gpu->sm_count * (k->row + k->column * columns) / gpu->clock_hz,
        .longest = k->longest * columns / gpu->clock_hz};
    operator_row_kernel_describe(query, gpu, &parts, inputs);
    double seconds = cbrt(pow(parts.memory, 3) + pow(parts.issue, 3)) + parts.longest;
    if (!is_forward)
        seconds +=
            column_sums(gpu, rows, columns, operator_memory_time(gpu, 3 * tensor, 2 * tensor));
    bool eager = query->timing == HABITAT_TIMING_EAGER; /* starts hide behind the call's own cost */
    return seconds + (eager ? 0 : k->start_s);
}

/* Cycles an element of a channel, from the cache and beyond it from memory; of a channel; waves
 * that come whole, and the least; kernels' starts. Of cuDNN, which takes fp32 and fp16, and of
 * PyTorch's own kernels, which take bf16. */
static const struct channel_cycles {
    double element, missed, channel, whole_waves, least_waves, start_s;
} channel_cycles[2][2] = {{{.564, .184, 1848, 1, 1.45, 0}, {1.02, .158, 1988, 1, 1.39, 2.5e-6}},
                          {{.442, .7, 1553, 2, 2.2, 0}, {.816, .54, 990, 2, 2.6, 0}}};

/* cuDNN's kernels of fp16 are those of fp32: the inputs are of the kernel that runs. */
static void describe_channels(const habitat_model_query *query, const operator_gpu *gpu,
                              const operator_rows_parts *parts, float *inputs) {
    habitat_work work = *query->work;
    habitat_model_query runs = *query;
    if (work.dtype == HABITAT_DTYPE_FP16)
        work.dtype = HABITAT_DTYPE_FP32;
    runs.work = &work;
    operator_rows_describe(&runs, gpu, parts, inputs);
}

double operator_look_batch_norm(const habitat_model_query *query, operator_class c,
                                const operator_gpu *gpu, float *inputs) {
    (void)c;
    const habitat_work *w = query->work;
    bool backwards = w->pass != HABITAT_PASS_FORWARD;
    double channels = w->shape.rows.rows, elements = w->shape.rows.columns;
    double element = (double)habitat_dtype_bytes(w->dtype), tensor = element * channels * elements;
    const struct channel_cycles *k = &channel_cycles[backwards][w->dtype == HABITAT_DTYPE_BF16];
    double footprint = (backwards ? 3 : 2) * tensor, passes = backwards ? 5 : 3;
    double waves = ceil(channels / gpu->sm_count / k->whole_waves) * k->whole_waves;
    double missed = 1 - operator_warm_share(gpu, footprint);
    double cycles = elements * (k->element + k->missed * missed) + k->channel;
    operator_rows_parts parts = {.memory = operator_memory_time(gpu, footprint, passes * tensor),
                                 .issue = fmax(waves, k->least_waves) * cycles / gpu->clock_hz,
                                 .longest = cycles / gpu->clock_hz};
    describe_channels(query, gpu, &parts, inputs);
    return hypot(parts.memory, parts.issue) + k->start_s;
}
