/* Sums by PyTorch's reduction kernel (aten/src/ATen/native/cuda/Reduce.cuh), which shares them out
 * by shape: docs/decisions/0452, 0480. */
#include "kernels/sums.h"

#include <math.h>
#include <string.h>

#include "base/constants_kernels.h"
#include "base/constants_operators.h"
#include "formula/rates.h"
#include "gpu/gpu.h"
#include "kernels/grid.h"
#include "work/kinds.h"

/* How a reduction is shared out. */
typedef struct sharing {
    double values;         /* that a thread takes, one after the other */
    double blocks, warps;  /* launched, of the whole GPU */
    double parts, gathers; /* blocks that share a sum; how many of them a thread gathers */
} sharing;

/* Cycles of kernels by the way that their threads go: to the first value and from the last; of a
 * round of four values of a thread, from the cache and from memory; of a round of a warp, of those
 * that share a multiprocessor. */
typedef struct pace {
    double start, near, missed, issue;
} pace;

/* setReduceConfig(): `along` memory the threads beside each other take a sum together, else sums
 * beside each other, `vector` each. */
static sharing share_out(double sums, double each, double vector, bool along,
                         const habitat_gpu *gpu) {
    double threads = hardware_sum_threads / vector, lanes = 32;
    double beside = grid_power_of_two(fmin(along ? each : sums / vector, threads));
    double below = grid_power_of_two(fmin(along ? sums : each, threads));
    double width = fmin(beside, lanes), height = fmin(below, threads / width);
    width = fmin(beside, threads / height);
    double values = along ? ceil(each / width) : each, taken = along ? 1 : width * vector;
    bool together = values >= fmin(hardware_sum_least_rows * height, hardware_sum_long_rows);
    if (together)
        values = ceil(values / height);
    else
        taken *= height;
    double blocks = ceil(sums / taken), parts = 1;
    double on_sm =
        gpu->limits.threads_per_sm > 0 ? gpu->limits.threads_per_sm : hardware_threads_per_sm;
    double resident = gpu->sm_count * floor(on_sm / (width * height));
    if (together && values >= hardware_sum_long_rows && blocks <= resident)
        parts = fmax(fmin(ceil(resident / blocks), ceil(values / hardware_sum_least_rows)),
                     ceil(values / hardware_sum_long_rows));
    return (sharing){.values = ceil(values / parts),
                     .blocks = blocks * parts,
                     .warps = blocks * parts * width * height / lanes,
                     .parts = parts,
                     .gathers = ceil(parts / (along ? width * height : height))};
}

static double time_s(const sharing *s, const pace *p, const habitat_work *work,
                     const habitat_gpu *gpu, double roof_s) {
    double missed =
        gpu->l2_bytes > 0 ? fmin(work->read_bytes / (fitted_sum_held * gpu->l2_bytes), 1) : 1;
    double rounds = ceil(s->values / hardware_sum_vector);
    double waited = rounds * (p->near + (p->missed - p->near) * missed);
    double issued = rounds * fmax(s->warps / gpu->sm_count, 1) * p->issue;
    double gathered =
        s->parts > 1 ? fitted_sum_gather_cycles + s->gathers * fitted_sum_part_cycles : 0;
    double memory = roof_s * missed * gpu->boost_clock_hz;
    return (p->start + gathered + hypot(hypot(waited, issued), memory)) / gpu->boost_clock_hz;
}

double sums_by_column_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s) {
    const pace by_column = {fitted_sum_start_cycles, fitted_sum_near_cycles,
                            fitted_sum_missed_cycles, fitted_sum_issue_cycles};
    double sums = work->shape.rows.rows, vector = hardware_sum_vector;
    while (fmod(sums, vector) != 0)
        vector /= 2;
    sharing s = share_out(sums, work->shape.rows.columns, vector, false, gpu);
    return time_s(&s, &by_column, work, gpu, roof_s);
}

/* Where the pixels of an image end the places of the next are worked out anew, value by value. */
double sums_of_bias_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s) {
    const pace by_image = {fitted_bias_start_cycles, fitted_bias_near_cycles,
                           fitted_bias_missed_cycles, fitted_bias_issue_cycles};
    sharing s = share_out(work->shape.rows.rows, work->shape.rows.columns, 1, true, gpu);
    return time_s(&s, &by_image, work, gpu, roof_s);
}

/* ---- other sizes or formats ---- */

static bool is_floating(habitat_dtype dtype) {
    return dtype == HABITAT_DTYPE_FP64 || dtype == HABITAT_DTYPE_FP32 ||
           dtype == HABITAT_DTYPE_FP16 || dtype == HABITAT_DTYPE_BF16;
}

static bool is_sum(const habitat_work *work) {
    return work->op_class == HABITAT_CLASS_REDUCE && work->known && is_floating(work->dtype) &&
           (work_kind_is(work->kind, WORK_SUM) || work_kind_is(work->kind, WORK_MEAN));
}

/* A sum over all but the second dimension of several images, as recorded and then. */
static bool of_images(const habitat_workload_group *group, const habitat_work *after) {
    const habitat_operation *op = group->operation;
    const habitat_input *x = op && op->form->input_count ? &op->form->inputs[0] : NULL;
    const habitat_rows_shape *was = &group->work->shape.rows;
    if (!x || !x->is_tensor || x->rank < 3 || (double)x->dims[1] != was->rows)
        return false;
    double images = (double)x->dims[0];
    return images > 1 && images * after->shape.rows.columns > was->columns;
}

double sums_growth(const habitat_workload_group *group, const habitat_work *after,
                   const habitat_gpu *gpu) {
    const habitat_work *before = group->work;
    double bytes_per_s = habitat_memory_rate(gpu, true);
    if (!is_sum(before) || !is_sum(after) || before->shape.rows.rows != after->shape.rows.rows ||
        !(before->shape.rows.rows > 1) || !gpu->compute_capability || !(gpu->l2_bytes > 0) ||
        !gpu->sm_count || !(bytes_per_s > 0) || !(before->by_column || of_images(group, after)))
        return NAN;
    double (*of)(const habitat_work *, const habitat_gpu *, double) =
        before->by_column ? sums_by_column_s : sums_of_bias_s;
    double floor_s = hardware_kernel_floor_cycles / gpu->boost_clock_hz;
    double was_s = (before->read_bytes + before->write_bytes) / bytes_per_s;
    double will_s = (after->read_bytes + after->write_bytes) / bytes_per_s;
    return (floor_s + of(after, gpu, will_s)) / (floor_s + of(before, gpu, was_s));
}
