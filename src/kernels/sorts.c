/* Sorts, and the largest of rows. Short rows are a block each; longer ones go through memory once
 * for each byte of a key. docs/decisions/0634 */
#include "kernels/sorts.h"

#include <math.h>
#include <string.h>

#include "base/constants_kernels.h"
#include "base/constants_operators.h"
#include "gpu/gpu.h"

enum { PLACE_BYTES = 8 };

typedef struct rows_sorted {
    double rows, length, key_bytes;
} rows_sorted;

static bool is_kind(const habitat_work *work, const char *kind) {
    return strcmp(work->kind, kind) == 0;
}

bool sorts_are_told(const habitat_work *work, const habitat_gpu *gpu) {
    bool kind = is_kind(work, "sort") || is_kind(work, "argsort") || is_kind(work, "topk");
    return work->known && work->op_class == HABITAT_CLASS_REDUCE && kind &&
           work->shape.rows.rows > 0 && work->shape.rows.columns > 0 && gpu->sm_count > 0 &&
           gpu->boost_clock_hz > 0;
}

/* Blocks of one thread an element, one for each row, at once on the GPU. */
static double waves(const rows_sorted *of, const habitat_gpu *gpu) {
    double threads = fmin(fmax(32 * ceil(of->length / 32), 32), 1024);
    double resident =
        gpu->limits.threads_per_sm ? gpu->limits.threads_per_sm : hardware_threads_per_sm;
    double on_sm = fmin(32, floor(resident / threads));
    return ceil(of->rows / (on_sm * gpu->sm_count));
}

/* Rows that a block holds, in its shared memory. */
static double short_sort_s(const rows_sorted *of, const habitat_gpu *gpu, double floor_s) {
    enum { BITONIC = 32 };
    if (of->length <= BITONIC)
        return fitted_bitonic_floors * floor_s * waves(of, gpu);
    double filled = fmin(1, of->length / chosen_sort_filled);
    double floors =
        fitted_short_sort_floors + fitted_short_sort_byte_floors * of->key_bytes * filled;
    return floors * floor_s * waves(of, gpu);
}

/* A pass for each byte of the key, in which keys and places are read and written. Rows of their own
 * are told apart by as many passes again. */
static double long_sort_s(const rows_sorted *of, double bytes_per_s, double floor_s) {
    double passes = of->key_bytes * (of->rows > 1 ? 2 : 1);
    double moved = 2 * of->rows * of->length * (of->key_bytes + PLACE_BYTES);
    return fitted_long_sort_floors * floor_s +
           passes * (fitted_long_sort_pass_floors * floor_s + moved / bytes_per_s);
}

/* Whether PyTorch shares a row among blocks: its own table, of rows and their length. */
static bool shares_rows(const rows_sorted *of) {
    static const struct {
        double most_rows, least_length;
    } steps[] = {{20, 20000}, {40, 10000}, {80, 8000},     {199, 5000},
                 {799, 3000}, {4000, 800}, {INFINITY, 400}};
    size_t i = 0;
    while (of->rows > steps[i].most_rows)
        i++;
    return of->length >= steps[i].least_length;
}

static double largest_s(const rows_sorted *of, double kept, const habitat_gpu *gpu,
                        double floor_s) {
    double cycle_s = 1 / gpu->boost_clock_hz, all_s = cycle_s / gpu->sm_count;
    rows_sorted found = {of->rows, kept, of->key_bytes};
    double sorted_s = short_sort_s(&found, gpu, floor_s);
    if (!shares_rows(of))
        return sorted_s + waves(of, gpu) * (fitted_largest_floors * floor_s +
                                            of->length * fitted_largest_cycles * cycle_s);
    return sorted_s + fitted_shared_rows_floors * floor_s +
           of->rows * (fitted_shared_row_cycles + of->length * fitted_shared_element_cycles) *
               all_s;
}

double sorts_s(const habitat_work *work, const habitat_gpu *gpu, double bytes_per_s,
               double floor_s) {
    enum { SHORT = 4096 };
    rows_sorted of = {work->shape.rows.rows, work->shape.rows.columns,
                      (double)habitat_dtype_bytes(work->dtype)};
    if (is_kind(work, "topk")) {
        double kept = work->write_bytes / (of.rows * (of.key_bytes + PLACE_BYTES));
        return largest_s(&of, fmin(fmax(kept, 1), SHORT), gpu, floor_s);
    }
    return of.length <= SHORT
               ? fitted_sort_prepared_floors * floor_s + short_sort_s(&of, gpu, floor_s)
               : long_sort_s(&of, bytes_per_s, floor_s);
}
