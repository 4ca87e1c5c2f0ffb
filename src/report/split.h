/* The kernels of a workload put into rows: by launch, kernel name, operation and shape, class or
 * module. Made once per trace; summed for each destination. */
#ifndef HABITAT_REPORT_SPLIT_H
#define HABITAT_REPORT_SPLIT_H

#include <habitat/report.h>

#include "base/arena.h"

typedef enum split_by {
    SPLIT_LAUNCH, /* every kernel a row, in order */
    SPLIT_KERNEL, /* kernels of one name */
    SPLIT_OP,
    SPLIT_CLASS,
    SPLIT_MODULE,
    SPLIT_BLOCKS, /* modules, those of repeated blocks in one row */
} split_by;

typedef struct split_row {
    const char *name;   /* of the kernel, operation, class or module */
    const char *detail; /* input shapes (op), operation (launch, kernel); "" otherwise */
    habitat_class op_class;
    size_t kernels;     /* of all iterations */
    size_t calls;       /* operations of all iterations; kernels without one count each */
    double origin_ms;   /* per iteration; of the one launch with SPLIT_LAUNCH */
    uint32_t iteration; /* of its first kernel, from 0 */

    /* Sums over kernels of known work, so that rows can be added; NaN: of none. The shares are of
     * origin_ms: the time that the work takes at the sustained rate of the units, and of DRAM.
     * Above 1 caches helped. */
    double flop, bytes, compute_share, memory_share;
    /* Of origin_ms: kernels of which each is not known; infinite where kernels have no times. */
    double no_flop_ms, no_bytes_ms, no_compute_ms, no_memory_ms;
} split_row;

typedef struct split {
    split_by by;
    const habitat_workload *workload;
    double iterations; /* what sums are divided by; 1 with SPLIT_LAUNCH */
    split_row *rows;   /* shape (row_count) */
    size_t row_count;
    uint32_t *row_of; /* shape (kernel_count): row of each kernel of the workload, then of others */
    habitat_strings strings;
} split;

/* What one row takes on a destination; times as in split_row. */
typedef struct split_total {
    double ms, low_ms, high_ms;
    habitat_method method; /* behind most of the time */
    habitat_bound bound;   /* of most of the time */
    size_t kernels;        /* that the destination has of the row; 0: none of it runs there */
} split_total;

/* with: the workload, or one made from it: rows for what that has more stand there without calls
 * and without a time on the origin, which ran none of it. */
habitat_status split_create(const habitat_trace *trace, const habitat_workload *workload,
                            const habitat_workload *with, split_by by, split *out,
                            habitat_error *err);
void split_free(split *s);

/* totals: shape (row_count), in the order of rows. */
habitat_status split_sum(const split *s, const habitat_prediction *prediction, split_total *totals,
                         habitat_error *err);

/* order: shape (row_count), rows with the most time first (on the destination; totals NULL: on the
 * origin). With SPLIT_LAUNCH rows stay in order. */
habitat_status split_order(const split *s, const split_total *totals, size_t *order,
                           habitat_error *err);

#endif
