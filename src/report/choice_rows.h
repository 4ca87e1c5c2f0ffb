/* The rows of a choice: the ranking, and behind it those that cannot be taken. */
#ifndef HABITAT_REPORT_CHOICE_ROWS_H
#define HABITAT_REPORT_CHOICE_ROWS_H

#include <habitat/choose.h>

#include "report/rows.h"

typedef struct ranked_line {
    const char *gpu;
    double iteration_ms, low_ms, high_ms, usd_per_hour, usd_per_1000_iterations, samples_per_usd;
    double hours, usd, energy_j, total_kwh, value, low, high, headroom_bytes;
    const char *price_date, *price_provider;
    double batch_size, samples, samples_per_s; /* NaN: unknown */
    const char *precision, *per;               /* what `value` is of: "iteration", "sample" */
    const char *value_unit;                    /* of value, low and high */
    uint64_t gpus;
    int tie, pareto, fits, price_gpu_alone;
    const char *interval, *bound_by;
    const char *excluded; /* NULL: it is ranked */
    bool first, equal, marked, other_vendor, at_least, cpu_sets;
} ranked_line;

/* Columns of a text table give way one after the other, until it is as narrow as the screen. */
enum { NARROW_ROOM = 1, NARROW_PRICE, NARROW_INTERVAL, NARROWEST = NARROW_INTERVAL };

typedef struct choice_listing {
    const habitat_choice *choice;
    size_t equals;       /* choice_equals() */
    int narrow;          /* columns of this number and below are left out */
    const size_t *order; /* shape (row_count): the ranking's rows as they stand; NULL: as ranked */
} choice_listing;

/* The ranking. list and room are kept: they must live as long as the rows are written. */
row_list choice_rows(const choice_listing *list, ranked_line *room);

/* Keys of the columns that tell the rows of a choice apart. keys: shape (TABLE_COLUMNS_MAX).
 * @return how many */
size_t choice_first_columns(const habitat_choice *choice, const char **keys);

/* "2 too small, 1 without a price": how many cannot be taken; "": none. */
void choice_excluded_words(const habitat_choice *choice, char *text, size_t size);

void choice_json(writer *w, const habitat_choice *choice);

#endif
