/* See unmodelled_times.h. Evidence: docs/formulas.md#operation. Numbers: base/constants_kernels.h.
 */
#include "kernels/unmodelled_times.h"

#include <math.h>
#include <string.h>

#include "base/constants_kernels.h"
#include "gpu/gpu.h"
#include "kernels/batch_norms.h"
#include "kernels/grid.h"
#include "kernels/resampled.h"
#include "kernels/scans.h"
#include "kernels/sorts.h"
#include "kernels/sums.h"
#include "work/table_gradient.h"
#include "work/kinds.h"

typedef struct pace {
    double share, begin_floors; /* of the roof, in the end; half of that after so many floors */
} pace;

static pace pace_of(const habitat_work *work) {
    switch (work->op_class) {
    case HABITAT_CLASS_REDUCE:
        return (pace){1, fitted_alone_late_floors};
    case HABITAT_CLASS_POOL:
        return (pace){fitted_alone_pool, fitted_alone_late_floors};
    case HABITAT_CLASS_LOSS:
        return (pace){fitted_alone_loss, fitted_alone_late_floors};
    case HABITAT_CLASS_NORM:
        return (pace){fitted_alone_norm, chosen_unknown_begin_floors};
    default:
        return (pace){1, chosen_unknown_begin_floors};
    }
}

/* Of the time x past the start f the roof needs M = u x^2 / (x + k f). */
static double paced_s(pace p, double roof_s, double floor_s) {
    double full_s = roof_s / p.share;
    return (full_s + sqrt(full_s * (full_s + 4 * p.begin_floors * floor_s))) / 2;
}

/* Copies that take each element by itself: casts to a wider format, and roll. INFINITY: all others,
 * which move as fast as memory does. */
static double copied_per_cycle(const habitat_work *work) {
    double elements = work->shape.rows.columns;
    if (work_kind_is(work->kind, WORK_ROLL))
        return fitted_rolled_per_cycle;
    bool widened = work->read_bytes == 2 * elements && work->write_bytes == 4 * elements;
    return widened ? fitted_widened_per_cycle : INFINITY;
}

/* Kernels without vectors are long programs, which begin later than others: the cycles of a whole
 * block, of which smaller ones need less (docs/decisions/0472). */
static double begun_s(double elements, double cycles, const habitat_gpu *gpu) {
    return fmin(1, elements / hardware_placed_block) * cycles / gpu->boost_clock_hz;
}

double unmodelled_widened_start_s(double elements, const habitat_gpu *gpu) {
    return begun_s(elements, fitted_widened_start_cycles, gpu);
}

/* Copies between tensors that lie in different order work out each place, whatever the format;
 * along another dimension neighbouring threads have no neighbours in memory, too
 * (docs/decisions/0525). */
static double reordered_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s) {
    bool turned = work_kind_is(work->kind, WORK_CLONE_TURNED);
    bool strided = work_kind_is(work->kind, WORK_CLONE_STRIDED);
    double a_cycle = turned ? fitted_turned_per_cycle : fitted_strided_per_cycle;
    double a_second = a_cycle * gpu->sm_count * gpu->boost_clock_hz;
    double share = turned ? fitted_alone_turned : 1;
    return (turned || strided) && a_second > 0
               ? hypot(work->shape.rows.columns / a_second, roof_s / share)
               : roof_s;
}

static double copy_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s,
                     double floor_s) {
    double elements = work->shape.rows.columns, a_cycle = copied_per_cycle(work);
    double least_s = paced_s(pace_of(work), reordered_s(work, gpu, roof_s), floor_s);
    if (!isfinite(a_cycle))
        return least_s;
    double begins_s = unmodelled_widened_start_s(elements, gpu);
    double places_s = elements / (a_cycle * gpu->sm_count * gpu->boost_clock_hz);
    return fmax(fmax(least_s, begins_s), places_s);
}

/* The gradient of a table: up to some rows one kernel that goes through them one by one, quicker
 * where few of its blocks share the row; more are sorted first, some thirty kernels. */
static double table_gradient_s(const habitat_work *work, double cycle_s, double roof_s,
                               double floor_s) {
    double wide = (work->shape.rows.columns - chosen_narrow_row) / chosen_narrow_row / 2;
    double saved = fitted_narrow_row_saved_cycles * fmin(fmax(1 - wide, 0), 1);
    if (!work_sorts_rows(work))
        return work->shape.rows.rows * (fitted_unsorted_row_cycles - saved) * cycle_s;
    return fitted_sorted_table_floors * floor_s + roof_s / fitted_alone_sorted_table;
}

/* Rows that are copied, a block each and for every 256 pieces of 16 bytes: so fast do blocks begin.
 */
static double rows_s(const habitat_work *work, const habitat_gpu *gpu, double cycle_s) {
    enum { PIECES = 256 };
    double rows = work->shape.rows.rows;
    double row_bytes = work->shape.rows.columns / rows * (double)habitat_dtype_bytes(work->dtype);
    double blocks = rows * ceil(row_bytes / (PIECES * hardware_row_piece_bytes));
    return rows > 1 ? blocks * fitted_row_block_cycles * cycle_s / gpu->sm_count : 0;
}

/* Atomic additions: each multiprocessor sends some a cycle, those that go to neighbours together,
 * and neighbouring places share a part of the cache that takes them one after the other. */
static double additions_s(const habitat_work *work, const habitat_gpu *gpu, double cycle_s) {
    double parts = fmax(1.0, work->write_bytes / hardware_atomic_part_bytes);
    double slices = work->shape.rows.rows, together = work->flop / slices;
    double sent = slices > 1 ? 1 / (1 / fitted_scattered_per_cycle +
                                    1 / (fitted_scattered_alone_per_cycle * together))
                             : fitted_additions_per_cycle;
    double a_cycle = fmin(sent * gpu->sm_count, fitted_additions_per_part * parts);
    bool weighted = work_kind_is(work->kind, WORK_UPSAMPLE); /* a product with each addition */
    return (weighted ? work->flop / 2 : work->flop) / a_cycle * cycle_s;
}

/* Gathers, scatters and the gradients of both. */
static double places_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s,
                       double floor_s) {
    bool of_bags = work_kind_is(work->kind, WORK_EMBEDDING_BAG);
    bool picks = !(work->flop > 0);
    bool of_rows = work_kind_is(work->kind, WORK_EMBEDDING) || (picks && work->shape.rows.rows > 1);
    pace reads = {of_rows ? 1.0 : fitted_alone_gather, chosen_unknown_begin_floors};
    double cycle_s = 1.0 / gpu->boost_clock_hz, least_s = paced_s(reads, roof_s, floor_s);
    double picked = work->shape.rows.columns;
    if (work_is_table_gradient(work))
        return table_gradient_s(work, cycle_s, roof_s, floor_s);
    if (of_rows || of_bags)
        return fmax(least_s, rows_s(work, gpu, cycle_s));
    if (picks)
        return fmax(least_s, picked * cycle_s / (fitted_picked_per_cycle * gpu->sm_count));
    if (work_kind_is(work->kind, WORK_INDEX_PUT))
        return fitted_sorted_places_floors * floor_s + roof_s / fitted_alone_sorted_places +
               work->shape.rows.rows * fitted_sorted_place_cycles * cycle_s / gpu->sm_count;
    return fmax(least_s, additions_s(work, gpu, cycle_s));
}

/* Pooling of images: a thread works out one element of the result, or of the gradient, and where it
 * and its windows lie; in every format alike. A gradient of maxima is cleared before. */
static double windows_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s,
                        double floor_s) {
    bool backward = work->pass == HABITAT_PASS_BACKWARD;
    double positions = work->shape.rows.rows, taps = work->shape.rows.columns;
    double elements = positions, cycles = fitted_window_cycles + taps * fitted_window_tap_cycles;
    double cleared_s = 0;
    if (backward) {
        elements = work->write_bytes / (double)habitat_dtype_bytes(work->dtype);
        cycles = fitted_mean_gradient_cycles +
                 positions * taps / elements * fitted_mean_gradient_window_cycles;
    }
    if (backward && work_kind_is(work->kind, WORK_MAX_POOL)) {
        cycles = fitted_maximum_gradient_cycles;
        cleared_s = floor_s + roof_s * work->write_bytes / (work->read_bytes + work->write_bytes);
    }
    double a_cycle_s = gpu->sm_count * gpu->boost_clock_hz;
    return cleared_s + fmax(roof_s, elements * cycles / a_cycle_s);
}

/* Losses of elements: each is worked out, and kept; then all are summed. The gradient is zeroed
 * before, and one number that all share keeps its kernel from loads of several elements. */
static bool is_loss_of_elements(const habitat_work *work) {
    static const char *const kinds[] = {"mse_loss", "smooth_l1_loss",   "huber_loss",
                                        "l1_loss",  "soft_margin_loss", "binary_cross_entropy"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (work->op_class == HABITAT_CLASS_LOSS && strcmp(work->kind, kinds[i]) == 0)
            return true;
    return false;
}

static double losses_s(const habitat_work *work, double roof_s, double floor_s) {
    double elements = work->shape.rows.columns * (double)habitat_dtype_bytes(work->dtype);
    double element_s = roof_s * elements / (work->read_bytes + work->write_bytes);
    pace each = {1, chosen_unknown_begin_floors}, sum = {1, fitted_loss_sum_floors};
    if (work->pass == HABITAT_PASS_BACKWARD) {
        each.share = fitted_loss_gradient;
        return paced_s(each, roof_s, floor_s) + floor_s + element_s;
    }
    if (work->write_bytes >= elements)
        return paced_s(each, roof_s, floor_s);
    return paced_s(each, roof_s + element_s, floor_s) + floor_s + paced_s(sum, element_s, floor_s);
}

/* Group norms, PyTorch's kernels in every format. Forward one block a group of an image finds its
 * mean, an element a thread and no load before the last one is used, so that few groups wait on the
 * cache or the memory; small groups take what a block begins and ends with; then all elements are
 * scaled place by place. Backward sums both tensors by channel, then goes place by place. */
static double group_norm_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s,
                           double floor_s) {
    double rows = work->shape.rows.rows, columns = work->shape.rows.columns;
    double a_cycle_s = gpu->sm_count * gpu->boost_clock_hz;
    double places_s = rows * columns / (fitted_placed_per_cycle * a_cycle_s);
    if (work->pass == HABITAT_PASS_BACKWARD)
        return places_s + fitted_group_gradient_floors * floor_s +
               roof_s * 2 / 3 / fitted_alone_group_sums;
    double missed = fmin(fmax(2 * work->write_bytes / gpu->l2_bytes - 1, 0), 1);
    double waiting = fitted_moments_waiting_cycles + missed * fitted_moments_missed_cycles;
    double alone_s = columns * waiting / gpu->boost_clock_hz;
    double all_s = rows * columns * fitted_moments_issue_cycles / a_cycle_s;
    double small_s =
        rows * (fitted_moments_block_cycles + columns * fitted_moments_small_cycles) / a_cycle_s;
    double moments_s = fmax(alone_s, fmax(all_s, small_s));
    return fitted_moments_start_floors * floor_s + moments_s + places_s;
}

/* Optimisers over lists: a block goes through its piece of a tensor a round at a time, each as long
 * as memory and its arithmetic take to answer; all blocks together are as fast as memory. Roots and
 * quotients of fp32 are worked out in steps; a product waits as long (docs/decisions/0452). */
static double list_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s,
                     double floor_s) {
    static const char *const quick[] = {"add", "addcmul", "zero", "copy"};
    const habitat_list_shape *list = &work->shape.list;
    double cycles = fitted_list_slow_cycles;
    for (size_t i = 0; i < sizeof quick / sizeof *quick; i++)
        if (strcmp(work->kind, quick[i]) == 0)
            cycles = fitted_list_quick_cycles;
    double rounds_s = list->longest / hardware_list_round * cycles / gpu->boost_clock_hz;
    return (list->launches - 1) * floor_s + hypot(rounds_s, roof_s / fitted_list_share);
}

double unmodelled_places_s(const habitat_work *work, const habitat_gpu *gpu) {
    double a_second = fitted_placed_per_cycle * gpu->sm_count * gpu->boost_clock_hz;
    double elements = work->shape.rows.columns;
    return work->by_place && a_second > 0
               ? begun_s(elements, fitted_placed_start_cycles, gpu) + elements / a_second
               : 0;
}

/* Sums of short rows: a warp takes as many at once as it has threads for, and hands each result
 * from thread to thread. Rows of 128 and more are read four numbers at a time. */
static double short_rows_s(const habitat_work *work, const habitat_gpu *gpu) {
    enum { WARP = 32, VECTORS = 128 };
    double rows = work->shape.rows.rows, length = work->shape.rows.columns;
    bool sums = work_kind_is(work->kind, WORK_SUM) || work_kind_is(work->kind, WORK_MEAN);
    if (work->op_class != HABITAT_CLASS_REDUCE || !sums || work->by_column || !(length > 1) ||
        length >= VECTORS)
        return 0;
    double threads = grid_power_of_two(fmin(length, WARP)), rounds = ceil(length / threads);
    double cycles = fitted_short_rows_cycles + (rounds - 1) * fitted_short_rows_round_cycles;
    return rows * threads / WARP * cycles / (gpu->sm_count * gpu->boost_clock_hz);
}

double unmodelled_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s,
                    double floor_s) {
    if (resampled_told(work, gpu))
        return resampled_s(work, gpu, roof_s);
    if (work->op_class == HABITAT_CLASS_EMBEDDING)
        return places_s(work, gpu, roof_s, floor_s);
    if (work->op_class == HABITAT_CLASS_COPY)
        return copy_s(work, gpu, roof_s, floor_s);
    if (scans_are_told(work, gpu))
        return scans_s(work, gpu, roof_s);
    if (work->by_column && gpu->l2_bytes > 0 && gpu->limits.threads_per_sm > 0)
        return sums_by_column_s(work, gpu, roof_s);
    if (strcmp(work->kind, USUAL_BIAS) == 0)
        return sums_of_bias_s(work, gpu, roof_s);
    if (work->op_class == HABITAT_CLASS_OPTIMIZER && work->shape.list.longest > 0)
        return list_s(work, gpu, roof_s, floor_s);
    if (batch_norms_told(work, gpu))
        return batch_norms_s(work, gpu, roof_s, floor_s);
    if (work->windowed)
        return windows_s(work, gpu, roof_s, floor_s);
    if (sorts_are_told(work, gpu) && roof_s > 0)
        return sorts_s(work, gpu, (work->read_bytes + work->write_bytes) / roof_s, floor_s);
    if (is_loss_of_elements(work))
        return losses_s(work, roof_s, floor_s);
    if (work_kind_is(work->kind, WORK_GROUP_NORM) && gpu->l2_bytes > 0)
        return group_norm_s(work, gpu, roof_s, floor_s);
    return fmax(fmax(paced_s(pace_of(work), roof_s, floor_s), unmodelled_places_s(work, gpu)),
                short_rows_s(work, gpu));
}
