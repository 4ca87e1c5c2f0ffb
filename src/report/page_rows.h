/* What an HTML report is about: its rows, and what its columns and charts are for. */
#ifndef HABITAT_REPORT_PAGE_ROWS_H
#define HABITAT_REPORT_PAGE_ROWS_H

#include <habitat/ask.h>
#include <habitat/choose.h>

#include "report/writer.h"

/* Rows of charts and of tables that go with them; a page with more says so. */
enum { MOST_TIMES = 150, MOST_BREAKDOWN = 24, MOST_OPERATIONS = 12, LABEL_BYTES = 128 };

/* One GPU, or several together, or one at one batch size. */
typedef struct page_row {
    const habitat_answer_row *from; /* of the first answer; NULL: not predicted */
    habitat_answer_key key;
    const habitat_gpu *gpu; /* key.gpu */
    char label[LABEL_BYTES];
    double ms, low_ms, high_ms; /* of an iteration; NaN: unknown */
    double samples;             /* of all its GPUs in an iteration; NaN: unknown */
    habitat_cost cost;          /* what is only a lower bound is unknown */
    int fits;
    double headroom_bytes;
    bool calibrated; /* its interval is */
    bool origin, best, equal, tie, front;
    bool cpu_sets, other_vendor;     /* of some recording */
    const char *reason;              /* why it cannot be chosen; NULL */
    habitat_exclusion_kind obstacle; /* which kind that is of; HABITAT_EXCLUDED_COUNT: none */
} page_row;

typedef struct page {
    writer w;
    const habitat_report_options *options;
    const habitat_answer *const *answers; /* shape (answer_count) */
    const double *weights;                /* the same shape; NULL: one answer */
    size_t answer_count;
    const habitat_answer *what;   /* the first of them */
    const habitat_choice *choice; /* NULL: of `predict` or `explain` */
    bool explains;                /* one destination, with all of its operations */
    page_row *rows;               /* shape (row_count) */
    size_t row_count, shown;      /* the first `shown` are in charts */
    const habitat_gpu *origin;    /* NULL: nobody timed it */
    bool batches, lengths, memory, prices, samples; /* what columns are for */
    /* Where rows differ in batch size or number of GPUs, an iteration of one is more work than that
     * of another: times and costs are compared by the sample. */
    bool by_sample;
    habitat_error *err;
} page;

/* The rows of p->what or p->choice, those of the charts first. The caller frees p->rows. */
habitat_status page_rows_make(page *p);

/* What a row is of an answer; NULL: it is not in it. */
const habitat_answer_row *page_row_in(const habitat_answer *answer, const page_row *row);

/* What times and costs of an iteration are divided by to be compared; NaN: not known. */
double page_units(const page *p, const page_row *row);

/* US dollars for 1,000 iterations, or by the sample for 1,000,000 of them. */
double page_unit_usd(const page *p, const page_row *row);

/* page_units() where bars of times are drawn: a choice compares, a prediction tells iterations. */
double page_bar_units(const page *p, const page_row *row);

/* Whether the chart of costs holds it: its cost is known, and it can be chosen or nothing can. */
bool page_in_costs(const page *p, const page_row *row);

/* Whether its kernels are those of the recording, so that operations can be named. */
bool page_as_recorded(const habitat_answer_row *row);

#endif
