/* The constants of memory chosen without a model, and judged on it. */
#ifndef HABITAT_LAB_MEMORY_LEFT_OUT_H
#define HABITAT_LAB_MEMORY_LEFT_OUT_H

#include <stddef.h>

#include "lab/memory.h"
#include "lab/report.h"
#include "memory/model.h"

/* What is chosen. */
typedef struct memory_choice {
    int bound; /* on the correction: memory_bound() of it */
    memory_margin margin;
} memory_choice;

/* What came of a choice, or of the constants as built. */
typedef struct memory_judgement {
    size_t peaks, failed, ran;               /* predictions */
    size_t false_fits, false_refusals, open; /* of failed, of ran, of both */
    double error_sum;                        /* of peaks, each without its sign */
} memory_judgement;

enum { MEMORY_ALL = -1 }; /* instead of a family */

/* The best constants on all cases but those of a family; MEMORY_ALL: on all.
 * First the bound with the least mean error, every family counting alike. Then, of the margins that
 * let no failed run fit, the one that leaves the fewest runs open; of equals, the widest. Of the
 * largest tensor, what failed runs had free in pieces, where that is known. */
memory_choice memory_choose(const memory_set *set, ptrdiff_t without);

/* On the cases of a family; MEMORY_ALL: on all. choice NULL: the constants as built. */
memory_judgement memory_judge(const memory_set *set, ptrdiff_t family, const memory_choice *choice);

void memory_print_left_out(const memory_set *set, report_text *text);

#endif
