/* Pairs of recordings as Markdown and as CSV. */
#ifndef HABITAT_LAB_PAIRS_TABLES_H
#define HABITAT_LAB_PAIRS_TABLES_H

#include "lab/pairs.h"
#include "lab/report.h"

void pairs_print_tables(const pair_set *set, report_text *text);
void pairs_print_cases(const pair_set *set, report_text *text);

#endif
