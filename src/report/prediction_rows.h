/* The columns of predictions: `predict` and `explain` in JSON, CSV and text. */
#ifndef HABITAT_REPORT_PREDICTION_ROWS_H
#define HABITAT_REPORT_PREDICTION_ROWS_H

#include <habitat/ask.h>

#include "report/rows.h"

enum { COVERAGE_BYTES = 256, PLACE_BYTES = 64 };

/* One row of an answer. */
typedef struct prediction_line {
    const habitat_answer_row *row;
    const char *gpu, *method;
    double iteration_ms, low_ms, high_ms, busy_ms, kernel_ms, copy_ms, ratio, samples_per_s;
    double origin_iteration_ms; /* what ratio is to */
    const char *bound_by;       /* NULL: unknown */
    double memory_bytes;
    int fits;
    double headroom_bytes, context_bytes, margin_bytes, largest_batch;
    const char *coverage, *origin;
    double origin_busy_ms;
    const char *file;
    const char *assemble, *cpu_basis; /* cpu_basis NULL: there is no CPU side */
    double idle_ms, cpu_ms, gpu_ms, communication_ms, exposed_communication_ms;
    double waiting_ms, path_cpu_ms, path_kernel_ms, path_gap_ms;
    uint64_t gpus;
    const char *interval, *interval_basis; /* interval_basis NULL: there is none */
    bool mark_interval;                    /* text: it is a default width, and no mark says so */
    double sharded_layers;                 /* NaN: weights are whole */
    uint64_t calibrated_operations;
    double usd_per_hour, usd_per_1000_iterations, samples_per_usd, hours, usd, energy_j;
    int at_least; /* iteration_ms, hours and dollars are at least these: 1, 0 */
    const char *price_date, *release_date;
    int price_gpu_alone; /* the machine is charged apart: 1, 0; below 0: there is no price */
    double batch_size;   /* NaN: unknown */
    const char *precision;
    int decimals;
    char coverage_room[COVERAGE_BYTES], place[PLACE_BYTES];
    table_style style;
} prediction_line;

typedef struct prediction_listing {
    const habitat_answer *what;
    const habitat_answer_row *const *sorted; /* text: shape (sorted_count); NULL: as they are */
    size_t sorted_count;
    int decimals;        /* of milliseconds in a text table */
    bool mark_intervals; /* default widths beside the interval: the column of marks is not shown */
} prediction_listing;

/* list and room are kept: they must live as long as the rows are written. */
row_list prediction_rows(const prediction_listing *list, prediction_line *room);

/* Columns that the object of `explain` has. */
enum { IN_EXPLAIN = 8 };

/* Whether the rows of an answer are of different numbers of GPUs. */
bool counts_differ(const habitat_answer *what);

/* By how many samples the iterations of two rows of one answer differ: batch size, where it was
 * asked, times GPUs. */
double row_samples(const habitat_answer_row *row);

/* By the time of an iteration, or of a sample where batch sizes or numbers of GPUs differ; equal
 * ones by name, as in the table. */
bool row_is_faster(const habitat_answer_row *a, const habitat_answer_row *b);

/* "origin, CPU", "too small": what a text table says of a row, and how. ends: the fastest and the
 * slowest of all have a style of their own. */
table_style place_of(const habitat_answer *what, const habitat_answer_row *row, bool ends,
                     char *note, size_t size);

#endif
