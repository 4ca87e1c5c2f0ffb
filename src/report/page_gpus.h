/* The tables of GPUs in an HTML report; each fills one place of the frame. */
#ifndef HABITAT_REPORT_PAGE_GPUS_H
#define HABITAT_REPORT_PAGE_GPUS_H

#include "report/page_rows.h"

void page_times(page *p);  /* below the chart of times */
void page_cost(page *p);   /* around the chart of costs */
void page_filter(page *p); /* vendors to choose from */
void page_gpus(page *p);   /* the table of all of them */
void page_memory(page *p);

#endif
