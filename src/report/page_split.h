/* Where the time goes, in an HTML report. */
#ifndef HABITAT_REPORT_PAGE_SPLIT_H
#define HABITAT_REPORT_PAGE_SPLIT_H

#include "report/page_rows.h"

enum { PAGE_CLASSES = 8 };

/* Time by class of operation: kernels of the origin, if they were timed, then of each row. */
typedef struct page_class_bar {
    char name[LABEL_BYTES + 32];
    double ms[PAGE_CLASSES + 2]; /* of each class, of all others, of copies */
} page_class_bar;

typedef struct page_split {
    habitat_class classes[PAGE_CLASSES]; /* shape (class_count), most time first */
    size_t class_count;
    page_class_bar bars[MOST_BREAKDOWN + 1]; /* shape (bar_count) */
    size_t bar_count;
} page_split;

void page_split_make(const page *p, const habitat_answer *answer, page_split *out);

void page_breakdown(page *p);
void page_operations(page *p);

#endif
