/* Where the numbers of an HTML report come from. */
#ifndef HABITAT_REPORT_PAGE_SOURCES_H
#define HABITAT_REPORT_PAGE_SOURCES_H

#include "report/page_rows.h"

void page_sources(page *p);

#endif
