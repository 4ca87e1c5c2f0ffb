/* Which GPUs a text table shows, and in which order:
 * docs/decisions/0150-the-table-people-meet-first.md */
#ifndef HABITAT_REPORT_SHORTLIST_H
#define HABITAT_REPORT_SHORTLIST_H

#include <habitat/ask.h>
#include <habitat/report.h>

typedef struct shortlist {
    const habitat_answer_row **rows; /* shape (count), sorted; free() */
    size_t count;                    /* that are to be shown */
    size_t passed;                   /* that pass the filters asked for */
    bool shortened;                  /* by the rule, not by --top */
} shortlist;

/* Orders of a table, by name. */
typedef enum sort_by {
    SORT_TIME = 0,
    SORT_COST,
    SORT_PRICE,
    SORT_ENERGY,
    SORT_MEMORY,
    SORT_DATE,
    SORT_NAME,
    SORT_COUNT, /* no order has this name */
} sort_by;

sort_by sort_named(const char *name); /* SORT_COUNT: none */

/* HABITAT_E_ARG, with the list of orders, for a name that is none. */
habitat_status sort_check(const char *name, habitat_error *err);

/* What rows of a GPU are sorted by that goes by the GPU alone, smallest first; NaN: not known. */
double sort_key_of_gpu(sort_by by, const habitat_gpu *gpu);

/* HABITAT_E_ARG for a sort order or a date that is none, and for a vendor of no row: of any report,
 * so that a slip of the pen is told where nothing is sorted, too. */
habitat_status shortlist_check(const habitat_answer *what, const habitat_report_options *options,
                               habitat_error *err);

/* Of options that were checked. HABITAT_E_ARG where they leave no row. */
habitat_status shortlist_make(const habitat_answer *what, const habitat_report_options *options,
                              shortlist *out, habitat_error *err);

/* The same with at most `most` rows where the rule picks them, which else are as many as
 * shortlist_most() says: fewer the more notes stand below. */
habitat_status shortlist_make_most(const habitat_answer *what,
                                   const habitat_report_options *options, size_t most,
                                   shortlist *out, habitat_error *err);
size_t shortlist_most(const habitat_answer *what);

/* Key of the column that holds what rows are sorted by; options are checked. */
const char *shortlist_column(const habitat_report_options *options);

/* What rows come to; by the sample where batch sizes or numbers of GPUs differ. */
typedef struct shortlist_best {
    const habitat_answer_row *fastest, *cheapest; /* NULL: no rows; no price */
    size_t ties;                                  /* that cannot be told from the fastest */
    bool batches;                                 /* batch sizes differ */
    bool counts;                                  /* numbers of GPUs do */
    bool by_sample;                               /* one of the two does */
} shortlist_best;

/* rows: shape (count), of those shown. A GPU without the memory is neither. */
shortlist_best shortlist_verdict(const habitat_answer_row *const *rows, size_t count);

#endif
