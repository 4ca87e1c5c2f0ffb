/* Judged iterations as Markdown and as CSV. */
#ifndef HABITAT_LAB_E2E_TABLES_H
#define HABITAT_LAB_E2E_TABLES_H

#include "lab/e2e.h"
#include "lab/report.h"

void e2e_print_tables(const e2e_set *set, report_text *text);
void e2e_print_networks(const e2e_set *set, report_text *text);
void e2e_print_cases(const e2e_set *set, report_text *text);

#endif
