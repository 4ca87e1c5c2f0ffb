/* The rates of a GPU that times are predicted from, and where each comes from. */
#ifndef HABITAT_REPORT_PAGE_RATES_H
#define HABITAT_REPORT_PAGE_RATES_H

#include <habitat/gpu.h>

#include "report/writer.h"

enum { RATE_FORMATS = 4, MOST_RATES = 2 * RATE_FORMATS + 1, RATE_BYTES = 64 };

/* A rate that is known: "DRAM", "fp32", "bf16 matrix". */
typedef struct page_rate {
    char name[RATE_BYTES];
    bool estimated;                   /* by rule, from the data sheet */
    const habitat_gpu_source *source; /* of its measurement; NULL: by rule, or a private file does
                                         not say */
} page_rate;

/* Their number. list: room for MOST_RATES. */
size_t page_rates_of(const habitat_gpu *gpu, page_rate *list);

/* Whether two rates have the same source, as a reader sees it: who published it, and when. */
bool page_rates_alike(const page_rate *a, const page_rate *b);

/* Whether no earlier rate is alike. */
bool page_rate_is_first(const page_rate *list, size_t at);

/* "fp32, bf16 matrix": those like the one at `at`. */
void page_rate_names(writer *w, const page_rate *list, size_t count, size_t at);

#endif
