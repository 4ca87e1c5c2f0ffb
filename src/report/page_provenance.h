/* Where the numbers of every row of an HTML report come from, as one table. */
#ifndef HABITAT_REPORT_PAGE_PROVENANCE_H
#define HABITAT_REPORT_PAGE_PROVENANCE_H

#include "report/page_rows.h"

void page_provenance(page *p);

#endif
