/* What the charts of an HTML report draw. */
#ifndef HABITAT_REPORT_PAGE_DATA_H
#define HABITAT_REPORT_PAGE_DATA_H

#include "report/page_rows.h"

void page_data(page *p);

#endif
